import pytest

from crawler.text.fold import fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("", ""),
        ("ABC", "abc"),
        ("Straße", "strasse"),
        ("Ｗｉｄｅ１２３，", "wide123,"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("㎞", "km"),
        ("深度學習與電腦", "深度学习与电脑"),
        ("著名", "著名"),
        ("\ud800x", "\ud800x"),
        ("e\u0301", "é"),
    ],
)
def test_fold_gives_one_spelling(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_fold_cuts_endless_runs_of_combining_marks() -> None:
    assert len(fold("x" + "\u0301\u0316" * 100_000)) == 31


@pytest.mark.parametrize("mark", ["\u0316", "\U0001d165"])
@pytest.mark.parametrize("before", ["x", "深", "深度学习，" * 20])
def test_fold_keeps_thirty_marks_of_a_run(mark: str, before: str) -> None:
    assert fold(before + mark * 30 + "y") == fold(before) + mark * 30 + "y"
    assert fold(before + mark * 40 + "y") == fold(before) + mark * 30 + "y"

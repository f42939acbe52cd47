"""The check of docstrings and comments: words that say too little, and long sentences."""

from pathlib import Path

import pytest

from tools.prose import MAX_WORDS, findings_in, findings_in_page, main


def texts(source: str) -> list[str]:
    return [str(finding) for finding in findings_in("x.py", source)]


@pytest.mark.parametrize(
    "source",
    [
        '"""Pages that nobody fetched."""',
        "x = 1  # the site is asked once more",
        "# What the reader\n# is told of a page.\n",
        'def f() -> None:\n    """Look at a page again, if it is no copy."""',
        'class A:\n    """The home of scouts."""',
    ],
)
def test_a_word_that_says_too_little_is_found(source: str) -> None:
    assert texts(source)


@pytest.mark.parametrize(
    "source",
    [
        '"""Return the pages that were never fetched."""',
        '"""There is no such page, and it is no longer stored; see `told`."""',
        'X = "nobody is told"',
        'def f(asked: int) -> None:\n    """Count.\n\n    Parameters\n    ----------\n'
        '    asked : int\n    """',
    ],
)
def test_plain_prose_code_and_names_pass(source: str) -> None:
    assert texts(source) == []


def test_a_long_sentence_is_found_and_two_short_ones_pass() -> None:
    sentence = " ".join(["word"] * MAX_WORDS)

    assert texts(f'"""{sentence}. {sentence}."""') == []
    assert len(texts(f'"""{sentence} more."""')) == 1


@pytest.mark.parametrize(
    "page",
    [
        "Nobody reads it.",
        "- It is no page.\n",
        f"A {'long ' * MAX_WORDS}\nsentence.",
        "Off for good.",
    ],
)
def test_vague_words_and_long_sentences_of_the_documentation_are_found(page: str) -> None:
    assert len(list(findings_in_page("x.md", page))) == 1


@pytest.mark.parametrize(
    "page",
    [
        f"- {'word ' * 20}\n- {'word ' * 20}\n",
        f"| {'word ' * 40} |\n",
        f"```\nnobody {'word ' * 40}\n```\n",
        f"**{'word ' * 20}.** {'word ' * 20}",
        "You may ask; [a page](nobody.md) tells `nobody` apart.",
    ],
)
def test_lists_tables_code_and_links_of_the_documentation_pass(page: str) -> None:
    assert list(findings_in_page("x.md", page)) == []


def test_the_file_and_line_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.py"
    file.write_text('x = 1\n\n# Nobody knows.\ny = "# nobody"\n', "utf-8")

    assert main([str(file)]) == 1

    assert capsys.readouterr().out.startswith(f"{file}:3: “Nobody”")

"""A stored article is read in passages: headings, paragraphs, lists, code with its lines."""

from topics.pages.passages import MAX_CHARS, Passage, passages


def test_lines_of_one_kind_are_one_list_and_code_keeps_its_lines() -> None:
    text = "Cells\nSunlight.\nMore light.\none\ntwo\nif x:\n    y()\nSaid."

    assert passages(text, "hppllccq") == [
        Passage("h", ("Cells",)),
        Passage("p", ("Sunlight.",)),
        Passage("p", ("More light.",)),
        Passage("l", ("one", "two")),
        Passage("c", ("if x:\n    y()",)),
        Passage("q", ("Said.",)),
    ]


def test_a_first_heading_that_is_the_title_is_not_repeated() -> None:
    found = passages("Cells\nSunlight.\nCells", "hph", title="Cells")

    assert found == [Passage("p", ("Sunlight.",)), Passage("h", ("Cells",))]


def test_without_kinds_each_line_is_a_paragraph() -> None:
    assert passages("Cells\nSunlight.", "") == [
        Passage("p", ("Cells",)),
        Passage("p", ("Sunlight.",)),
    ]
    assert passages("", "") == []


def test_a_long_article_ends_after_so_many_characters() -> None:
    found = passages("\n".join(["x" * 999] * 100), "p" * 100)

    assert sum(len(line) for one in found for line in one.lines) == MAX_CHARS

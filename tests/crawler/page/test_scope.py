"""Which URLs are fetched, by the ending of their path."""

import pytest

from crawler.page.scope import is_worth_fetching


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", True),
        ("page.html", True),
        ("paper.pdf", True),
        ("PAPER.PDF?download=1", True),
        (".pdf", True),
        ("archive.zip", False),
        ("picture.JPG", False),
        ("paper.ps", False),
        ("slides.pptx", False),
        ("?file=archive.zip", True),
        ("v1.2/", True),
    ],
)
def test_pages_and_pdf_files_are_fetched_and_other_files_are_not(path: str, expected: bool) -> None:
    assert is_worth_fetching(f"http://papers.test/{path}") is expected

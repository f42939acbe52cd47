import pytest
from django.core.exceptions import ValidationError

from tests.crawler.page.lists.test_reading_lists import BOOKMARKS, OPML
from topics.rules.validators import canonical_seeds


@pytest.mark.parametrize(
    ("text", "seeds"),
    [
        (OPML, ["http://grid.test/feed", "http://cunwang.test/rss", "http://p.test/"]),
        (BOOKMARKS, ["http://grid.test/?a=1&b=2", "http://cunwang.test/"]),
    ],
    ids=["opml", "bookmarks"],
)
def test_a_list_from_elsewhere_stands_for_its_addresses(text: str, seeds: list[str]) -> None:
    assert canonical_seeds(text).split("\n") == seeds


def test_a_list_without_an_address_is_refused_like_any_line() -> None:
    with pytest.raises(ValidationError):
        canonical_seeds("<opml><body/></opml>")


@pytest.mark.parametrize(
    ("text", "seeds"),
    [
        ("a.test, b.test", ["https://a.test/", "https://b.test/"]),
        ("http://a.test/,http://b.test/", ["http://a.test/", "http://b.test/"]),
        ("a.test、b.test；c.test", ["https://a.test/", "https://b.test/", "https://c.test/"]),
        ("http://a.test/x,y", ["http://a.test/x,y"]),
        ("a.test,", ["https://a.test/"]),
    ],
)
def test_commas_between_addresses_are_no_part_of_them(text: str, seeds: list[str]) -> None:
    assert canonical_seeds(text).split("\n") == seeds

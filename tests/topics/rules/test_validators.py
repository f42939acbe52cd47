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

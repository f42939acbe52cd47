"""What a page says of its links is stored with it, but only of links that may be followed."""

import random

import pytest

from crawler.crawl import manager
from crawler.crawl.collector import collect
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.manager import BatchLimits
from crawler.models import Page, Run, Url
from crawler.models.web import pack_links, unpack_links
from crawler.page.parse import parse_page
from crawler.page.parsed import StoredLinks
from crawler.store.pages import MAX_STORED_LINKS, stored_links
from tests.crawler.web import NOON, SEED, PaperWeb


@pytest.mark.parametrize(
    "links",
    [
        StoredLinks(),
        StoredLinks([7], ["光伏"], [-1], []),
        StoredLinks([2**40, 1], ["", "a" * 200], [0, 0], [(3, 9)]),
    ],
)
def test_stored_links_come_back_as_they_were(links: StoredLinks) -> None:
    assert unpack_links(pack_links(links)) == links


def test_a_fetched_page_keeps_its_links_with_their_words(run: Run) -> None:
    board = DatabaseBlackboard(run)
    manager.start(board, [SEED], NOON)
    manager.plan(board, NOON, BatchLimits(), random.Random(1))
    collect(board, PaperWeb(), "tester", lambda: NOON)

    page = Page.objects.get(url__url=SEED)

    targets = dict(Url.objects.values_list("pk", "url"))
    assert [targets[key] for key in page.links.targets] == [
        *("http://solar.test/cells", "http://kitchen.test/soup"),
        *("http://hub.test/moved", "http://hub.test/gone"),
    ]
    assert page.links.anchors == ["solar cells", "soup", "the old address", "what is gone"]
    (first, after_last), tokens = page.links.spans[0], list(page.terms.tokens())
    assert tokens[first:after_last][:2] == ["list", "read"]
    assert page.links.blocks == [0, 0, 0, 0]


def test_links_that_are_not_followed_are_not_stored() -> None:
    page = parse_page(
        b"<p>words <a href=/a rel=nofollow>a</a> <a href=/b>b</a> <a href=/c>c</a></p>",
        "http://a.test/",
    )

    # "http://a.test/c" lies on a site that is left alone, so that it has no number.
    kept = stored_links(page, {"http://a.test/a": 1, "http://a.test/b": 2})

    assert kept.targets == [2]
    assert kept.anchors == ["b"]


def test_only_so_many_links_are_stored() -> None:
    body = "".join(f"<a href=/{n}>{n}</a> " for n in range(MAX_STORED_LINKS + 5))
    page = parse_page(f"<p>{body}</p>".encode(), "http://a.test/")
    numbers = {link.url: number for number, link in enumerate(page.links, 1)}

    assert stored_links(page, numbers).targets == list(range(1, MAX_STORED_LINKS + 1))

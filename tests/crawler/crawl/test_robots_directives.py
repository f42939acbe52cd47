"""A page's directives for crawlers, through the whole loop: stored, followed, ended, indexed."""

from dataclasses import dataclass
from datetime import timedelta

import pytest

from crawler.models import FrontierEntry, IndexOutbox, Page
from crawler.reasons import Reason
from focusweb.clock import utc_now
from tests.crawler.hostile_web import TEXT, HostileWeb, crawl, ends, page
from topics.search.outbox import indexable_pages

pytestmark = pytest.mark.django_db(transaction=True)

SEED = "http://a.test/"


@dataclass(frozen=True)
class Wish:
    """What a page says, and what must come of it."""

    head: str = ""
    header: str = ""
    rel: str = ""
    indexed: bool = True
    followed: bool = True


def meta(content: str, name: str = "robots") -> str:
    return f'<meta name="{name}" content="{content}">'


WISHES = [
    Wish(),
    Wish(meta("index, follow")),
    Wish(meta("all")),
    Wish(meta("noindex"), indexed=False),
    Wish(meta("NOINDEX"), indexed=False),
    Wish(meta("nofollow"), followed=False),
    Wish(meta("noindex,nofollow"), indexed=False, followed=False),
    Wish(meta("none"), indexed=False, followed=False),
    Wish(meta("noarchive, nosnippet")),
    Wish(meta("max-snippet:-1, noindex"), indexed=False),
    Wish(meta("noindex", name="FocusWeb"), indexed=False),
    Wish(meta("noindex", name="otherbot")),
    Wish(meta("index") + meta("noindex"), indexed=False),
    Wish(meta("noindex", name="ROBOTS"), indexed=False),
    Wish(meta("unavailable_after: 2030-01-01")),
    Wish(meta("index", name="focusweb") + meta("noindex"), indexed=False),
    Wish(header="noindex", indexed=False),
    Wish(header="nofollow", followed=False),
    Wish(header="none", indexed=False, followed=False),
    Wish(header="focusweb: noindex", indexed=False),
    Wish(header="otherbot: noindex"),
    Wish(header="otherbot: noindex, focusweb: nofollow", followed=False),
    Wish(header="otherbot: noindex, nofollow"),
    Wish(header="max-image-preview:large, noindex", indexed=False),
    Wish(header="unavailable_after: 25 Jun 2030 15:00:00 PST"),
    Wish(header="nofollow", head=meta("noindex"), indexed=False, followed=False),
    Wish(header="index", head=meta("noindex"), indexed=False),
    Wish(rel="nofollow", followed=False),
    Wish(rel="ugc", followed=False),
    Wish(rel="noopener sponsored", followed=False),
    Wish(rel="NOFOLLOW", followed=False),
    Wish(rel="noopener"),
]


@pytest.mark.parametrize("wish", WISHES, ids=lambda wish: wish.head + wish.header + wish.rel)
def test_a_pages_wish_is_obeyed(web: HostileWeb, wish: Wish) -> None:
    body = f'{TEXT * 3}{wish.head}<a rel="{wish.rel}" href="/more">solar cells</a>'
    headers = {"X-Robots-Tag": wish.header} if wish.header else {}
    web.serve("a.test", {"/": page("Solar", body, **headers), "/more": page("More")})

    crawl(SEED)

    stored = Page.objects.get(url__url=SEED)
    assert stored.noindex is not wish.indexed
    assert indexable_pages().filter(url__url=SEED).exists() is wish.indexed
    assert ends()[SEED] == (Reason.FETCHED if wish.indexed else Reason.NOINDEX)
    assert ("/more" in web.requested("a.test")) is wish.followed


@pytest.mark.parametrize(
    ("canonical", "followed"),
    [
        ("/other", True),
        ("http://a.test/other", True),
        ("http://b.test/other", False),
        ("//b.test/other", False),
        ("javascript:alert(1)", False),
        ("http://[::1", False),
        ("/", False),
    ],
)
def test_a_canonical_address_is_looked_at_on_its_own_host_only(
    web: HostileWeb, canonical: str, followed: bool
) -> None:
    web.serve("a.test", {"/": page("Solar", f'{TEXT}<link rel="canonical" href="{canonical}">')})

    crawl(SEED)

    assert (web.requested("a.test") == ["/", "/other"]) is followed
    assert web.requested("b.test") == []


def test_a_page_that_takes_its_permission_back_leaves_the_index(web: HostileWeb) -> None:
    web.serve("a.test", {"/": page("Solar", TEXT * 3)})
    crawl(SEED)
    assert indexable_pages().count() == 1
    IndexOutbox.objects.all().delete()
    FrontierEntry.objects.update(ended=utc_now() - timedelta(days=1))
    web.serve("a.test", {"/": page("Solar", TEXT * 3, X_Robots_Tag="noindex")})

    crawl(SEED)

    assert indexable_pages().count() == 0
    assert IndexOutbox.objects.count() == 1

"""What a live crawl learns of a site's frame, and keeps with the site."""

import pytest

from crawler.models import Page, Site, SiteLines
from crawler.models.web import EPOCH
from crawler.page.article.site_frame import SiteFrame
from crawler.store.frontier.politeness import find_frames, keep_frames
from crawler.store.removal import remains, remove_site
from focusweb.clock import utc_now
from tests.crawler.hostile_web import HostileWeb, crawl, links, page
from tests.crawler.page.article.test_site_frame import NOTICE, WORDS, paragraphs

pytestmark = pytest.mark.django_db(transaction=True)


def report(number: int) -> str:
    """An article about the topic with the site's notice in it."""
    solar = f"Solar cells and solar panels of the kind {WORDS[number]} turn light into electricity."
    return "</p><p>".join([NOTICE, solar, *paragraphs(number)])


def serve(web: HostileWeb, names: str) -> None:
    pages = {f"/{name}": page(f"Solar {name}", report(place)) for place, name in enumerate(names)}
    pages["/"] = page("Solar cells", links(*pages))
    web.serve("a.test", pages)


def with_notice() -> set[str]:
    return {
        page.url.url.removeprefix("http://a.test/")
        for page in Page.objects.select_related("url")
        if NOTICE in page.text
    }


def test_a_crawl_learns_the_frame_of_a_site_and_the_next_one_knows_it(web: HostileWeb) -> None:
    serve(web, "abcde")
    crawl("http://a.test/")

    first = with_notice()
    assert len(first) == 3
    assert Page.objects.count() == 6

    serve(web, "abcdefg")
    Page.objects.update(etag="", last_modified="")
    crawl("http://a.test/f", "http://a.test/g")

    assert Page.objects.filter(url__url__in=["http://a.test/f", "http://a.test/g"]).count() == 2
    assert with_notice() == first


def test_nothing_is_kept_of_the_frame_of_a_removed_site(web: HostileWeb) -> None:
    keep_frames({"a.test": SiteFrame(1, {7: 1}, [3])})
    assert not SiteLines.objects.exists()

    site = Site.objects.create(name="a.test", domain="a.test", first_seen=EPOCH)
    keep_frames({"a.test": SiteFrame(1, {7: 1}, [3])})
    keep_frames({"a.test": SiteFrame(2, {7: 2}, [3, 4])})
    assert find_frames(["a.test", "b.test"]) == {"a.test": SiteFrame(2, {7: 2}, [3, 4])}

    remove_site(site, utc_now())
    keep_frames({"a.test": SiteFrame(3, {7: 3}, [3, 4, 5])})
    assert find_frames(["a.test"]) == {}
    assert remains(site) == []

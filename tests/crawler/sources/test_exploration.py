"""Sites that pages on topic name, new ones, and pages of hubs are tried without waiting."""

from datetime import timedelta

import pytest

from crawler.crawl import manager
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.models import Crawl, FrontierEntry, Link, Run, Site
from crawler.sources import registry
from crawler.sources.exploration import Exploration
from tests.crawler.crawl.test_crawl_loop import crawl as crawl_all
from tests.crawler.sources.test_sources import inquiry
from tests.crawler.store.test_baseline import item
from tests.crawler.web import NOON, PROFILE, SETTINGS, PaperWeb


def _page(name: str, *links: str) -> str:
    """A page on topic that is not a copy of another."""
    return item(" ".join(f"{name}{number}" for number in range(9)), None, *links)


LIST, OLD_LIST, SITES = "http://list.test/", "http://known.test/", "http://known.test/sites"
LATE = "http://late.test/"
SEEDS = ("http://a.test/", "http://b.test/", "http://c.test/")
LISTED = (*SEEDS, SITES, LATE)
WEB = {
    "http://a.test/": _page("one", LIST, "http://loner.test/"),
    "http://b.test/": _page("two", f"{LIST}about", "http://b.test/x"),
    "http://c.test/": _page("three", LIST, OLD_LIST),
    OLD_LIST: f"<title>All</title>{''.join(f'<a href={url}>x</a>' for url in LISTED)}",
}


@pytest.fixture
def topic(db: None) -> Crawl:
    """A topic whose run ended with the pages that were given."""
    topic = Crawl(key="solar", first_seen=NOON)
    topic.describe(PROFILE, SETTINGS)
    topic.save()
    run = Run.objects.create(crawl=topic, started=NOON, n_pages=4)
    board = DatabaseBlackboard(run)
    manager.start(board, [*SEEDS, OLD_LIST], NOON)
    crawl_all(board, PaperWeb(WEB))
    return topic


def test_a_site_that_two_domains_link_to_is_tried_at_its_front_page(topic: Crawl) -> None:
    found = Exploration().find(inquiry(topic))

    assert found.urls == (LIST,)
    assert not found.problems


def test_a_site_that_only_menus_name_is_not_tried(topic: Crawl) -> None:
    Link.objects.filter(source__url__in=SEEDS[:2]).update(in_frame=True)

    assert Exploration().find(inquiry(topic)).urls == ()


def test_nothing_is_tried_twice_nor_where_there_is_a_feed(topic: Crawl) -> None:
    registry.note(topic, registry.FEEDS, ["http://list.test/feed"], NOON)
    fed = Exploration().find(inquiry(topic)).urls
    registry.save_sources(topic, {})
    FrontierEntry.objects.filter(crawl=topic, url__url=LIST).update(state="failed")

    assert fed == ()
    assert Exploration().find(inquiry(topic)).urls == ()


def test_stopped_and_blocked_sites_are_left_alone(topic: Crawl) -> None:
    Site.objects.filter(name="list.test").update(stopped=True)

    assert Exploration().find(inquiry(topic)).urls == ()


def test_other_pages_of_a_hub_are_tried_first(topic: Crawl) -> None:
    registry.note(topic, registry.HUBS, [OLD_LIST], NOON)

    assert Exploration().find(inquiry(topic)).urls == (SITES, LIST)


def test_a_new_site_is_tried_when_one_page_or_list_names_it(topic: Crawl) -> None:
    Run.objects.filter(crawl=topic).update(ended=NOON)
    later = NOON + timedelta(days=2)
    Site.objects.filter(name__in=["loner.test", "late.test"]).update(first_seen=later)
    named_by_a_page = Exploration().find(inquiry(topic, later)).urls
    registry.note(topic, registry.HUBS, [OLD_LIST], NOON)
    FrontierEntry.objects.filter(crawl=topic, url__url=SITES).update(state="done")

    assert named_by_a_page == ("http://loner.test/", LIST)
    assert Exploration().find(inquiry(topic, later)).urls == (LATE, "http://loner.test/", LIST)
    assert Exploration().find(inquiry(topic, later + timedelta(days=40))).urls == (LIST,)


def test_a_new_site_is_heard_with_three_pages(topic: Crawl) -> None:
    Run.objects.filter(crawl=topic).update(ended=NOON)
    later = NOON + timedelta(days=2)
    paths = [f"http://young.test/{number}" for number in range(9)]
    web = WEB | {paths[0]: _page("young", *paths[1:])}
    board = DatabaseBlackboard(Run.objects.create(crawl=topic, started=later, n_pages=1))
    manager.start(board, paths[:1], later)
    crawl_all(board, PaperWeb(web), now=later)
    known = Exploration().find(inquiry(topic, later)).urls
    Site.objects.filter(name="young.test").update(first_seen=NOON - timedelta(days=9))

    assert [url for url in known if url in paths] == paths[1:3]
    assert not {*Exploration().find(inquiry(topic, later)).urls} & {*paths}

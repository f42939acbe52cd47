"""Raise, lower, pin or block a site of a topic: scores and lists follow at once."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from crawler.crawl import manager
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.fetch.config import FetchConfig, build_user_agent
from crawler.fetch.door import Door
from crawler.models import FrontierEntry, Harvest, IndexOutbox, Page, Run, Site
from crawler.page.parsed import ParsedPage
from crawler.sources.base import Inquiry
from crawler.sources.feeds import note_feeds
from crawler.sources.pinned import PinnedSites
from tests.crawler.crawl.test_crawl_loop import crawl as crawl_all
from tests.crawler.web import NOON, PAGES, PaperWeb
from tests.topics.factories import topic_of
from topics.models import SiteControl, Topic
from topics.pages.explain import why_sentence
from topics.profile.crawl import save_crawl
from topics.sources.site_rules import set_rule

CELLS, PANELS = "http://solar.test/cells", "http://solar.test/panels"


@pytest.fixture
def topic(ann: User) -> Topic:
    """A topic whose first run over the web of four pages is done."""
    topic = topic_of(
        ann,
        "solar",
        name="solar cells",
        seeds="http://hub.test/",
        judge="cosine",
        threshold=0.1,
        strategy="best_first",
        breadth="deep",
    )
    crawl = save_crawl(topic, NOON)
    run = Run.objects.create(crawl=crawl, started=NOON, n_pages=50)
    board = DatabaseBlackboard(run)
    manager.start(board, ["http://hub.test/"], NOON)
    crawl_all(board, PaperWeb(PAGES))
    return topic


def harvest(url: str = CELLS) -> Harvest:
    return Harvest.objects.get(url__url=url)


def solar() -> Site:
    return Site.objects.get(name="solar.test")


def part(page: Harvest, name: str) -> float:
    return float(sum(one["value"] for one in page.explanation["parts"] if one["name"] == name))


@pytest.mark.parametrize(("rule", "sign"), [("raise", 1), ("lower", -1)])
def test_a_word_moves_the_score_by_a_part_that_is_reported(
    topic: Topic, rule: str, sign: int
) -> None:
    before = harvest()
    moved = set_rule(topic, solar(), rule, timezone.now())
    after = harvest()

    assert before.pk in moved.moved
    assert sign * (after.score - before.score) > 0.05
    assert part(after, "site") == pytest.approx(after.score - before.score)
    assert sum(one["value"] for one in after.explanation["parts"]) == pytest.approx(after.score)
    assert f"its site was {rule.rstrip('e')}ed" in why_sentence(after.explanation)


def test_a_word_that_is_taken_back_leaves_nothing(topic: Topic) -> None:
    before = harvest()
    set_rule(topic, solar(), "raise", NOON)
    set_rule(topic, solar(), "", NOON)
    after = harvest()

    assert after.score == pytest.approx(before.score)
    assert "site" not in after.explanation
    assert not SiteControl.objects.exists()


def test_a_blocked_site_leaves_every_list_and_the_index_and_comes_back(topic: Topic) -> None:
    kept = set(Harvest.objects.kept().values_list("url__url", flat=True))
    IndexOutbox.objects.all().delete()
    set_rule(topic, solar(), "block", NOON)
    left = set(Harvest.objects.kept().values_list("url__url", flat=True))
    queued = set(IndexOutbox.objects.values_list("page_id", flat=True))
    set_rule(topic, solar(), "", NOON)

    assert kept - left == {CELLS, PANELS}
    assert queued == set(
        Page.objects.filter(url__url__in=[CELLS, PANELS]).values_list("pk", flat=True)
    )
    assert set(Harvest.objects.kept().values_list("url__url", flat=True)) == kept


def test_the_word_holds_for_pages_that_come_later(topic: Topic) -> None:
    set_rule(topic, solar(), "raise", NOON)
    Run.objects.update(ended=NOON)
    run = Run.objects.create(crawl=save_crawl(topic, NOON), started=NOON, n_pages=50)
    board = DatabaseBlackboard(run)
    new = "http://solar.test/new"
    manager.start(board, [new], NOON)
    crawl_all(board, PaperWeb({new: PAGES[CELLS].replace("many", "new")}))

    assert part(harvest(new), "site") > 0


def test_a_run_begins_with_the_pinned_sites(topic: Topic) -> None:
    set_rule(topic, solar(), "pin", NOON)
    crawl = topic.crawl
    assert crawl is not None
    note_feeds(crawl, [ParsedPage(CELLS, feeds=["http://solar.test/feed"])], NOON)
    door = Door(FetchConfig(build_user_agent("http://us.test/")))
    found = PinnedSites().find(Inquiry(crawl.profile, door, crawl.pk, NOON))

    assert found.urls[:2] == ("http://solar.test/", "http://solar.test/feed")
    assert {*found.urls[2:]} == {CELLS, PANELS}


def test_an_unknown_rule_is_refused(topic: Topic) -> None:
    with pytest.raises(ValueError, match="'love'"):
        set_rule(topic, solar(), "love", NOON)


def test_the_buttons_say_what_moved_and_take_it_back(as_ann: Client, topic: Topic) -> None:
    address = f"/topics/solar/sites/{solar().pk}/rule"
    raised = as_ann.post(address, {"rule": "raise"}, headers={"hx-request": "true"})
    undone = as_ann.post(address, {"rule": "none", "next": "/topics/solar/known/"})

    # White space beside a tag is the template's own.
    html = re.sub(r"\s*([<>])\s*", r"\1", raised.content.decode())
    assert "2 pages changed rank" in html
    assert ">raised</summary>" in html
    assert ">undo</button>" in html
    assert undone.headers["location"] == "/topics/solar/known/"
    assert not SiteControl.objects.exists()


def test_a_site_that_the_topic_never_met_is_nobodys_to_judge(as_ann: Client, topic: Topic) -> None:
    other = Site.objects.create(name="far.test", domain="far.test", first_seen=NOON)

    assert as_ann.post(f"/topics/solar/sites/{other.pk}/rule", {"rule": "raise"}).status_code == 404
    assert as_ann.post("/topics/solar/sites/0/rule", {"rule": "raise"}).status_code == 404
    assert not FrontierEntry.objects.filter(url__site=other).exists()


def test_no_word_is_no_rule(as_ann: Client, topic: Topic) -> None:
    assert as_ann.post(f"/topics/solar/sites/{solar().pk}/rule", {"rule": "x"}).status_code == 400

"""Known pages are visited again within a fifth of a run, and their visits are stored."""

from datetime import timedelta

import pytest

from crawler.crawl import manager
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.fetch.config import FetchConfig, build_user_agent
from crawler.fetch.door import Door
from crawler.models import Crawl, FrontierEntry, Harvest, Page, Run
from crawler.models.web import MAX_CHECKS, READER_VERSION, pack_checks, unpack_checks
from crawler.revisit.refresh import PastVisit, believed_rate, best_to_revisit
from crawler.sources.base import Inquiry
from crawler.sources.known_pages import KnownPages, to_read_again
from crawler.store.frontier.revisits import conditional_headers
from crawler.store.labels import LabelledPage, save_labels
from tests.crawler.crawl.test_crawl_loop import crawl as crawl_all
from tests.crawler.store.test_baseline import look
from tests.crawler.web import NOON, PAGES, PROFILE, SEED, SETTINGS, PaperWeb

DAY = timedelta(days=1)
CELLS = "http://solar.test/cells"
LONG = "<p>" + "A solar cell turns sunlight into electricity. Solar panels hold many cells. " * 9
WEB = {**PAGES, CELLS: f"<title>Solar cells</title>{LONG}</p>"}
OTHER = "<p>" + "Since the storm the solar panels of the village feed a battery in the mill. " * 9


@pytest.fixture
def topic(db: None) -> Crawl:
    topic = Crawl(key="solar", first_seen=NOON)
    topic.describe(PROFILE, SETTINGS)
    topic.save()
    look(topic, WEB, NOON)
    return topic


def checks() -> list[PastVisit]:
    return unpack_checks(Page.objects.get(url__url=CELLS).packed_checks)


# what stands on the page at the second look, and whether that is a change
@pytest.mark.parametrize(
    ("markup", "changed"),
    [
        (WEB[CELLS], False),
        (WEB[CELLS].replace("<title>", "<!-- 9 --><title>"), False),
        (WEB[CELLS].replace("</p>", " Read 1,204 times.</p>"), False),
        (f"<title>Solar cells</title>{OTHER}</p>", True),
    ],
)
def test_a_page_has_changed_when_its_main_text_has_moved(
    topic: Crawl, markup: str, *, changed: bool
) -> None:
    look(topic, {**WEB, CELLS: markup}, NOON + 3 * DAY, [CELLS])

    assert checks() == [PastVisit(3.0, changed)]
    assert (Page.objects.get(url__url=CELLS).changed > NOON) is changed


def test_looks_add_up_and_the_oldest_are_forgotten(topic: Crawl) -> None:
    for day in range(1, 4):
        look(topic, WEB, NOON + day * DAY, [CELLS])

    assert checks() == [PastVisit(1.0, changed=False)] * 3
    many = [PastVisit(float(number), changed=True) for number in range(99)]
    assert unpack_checks(pack_checks(many)) == many[-MAX_CHECKS:]


def known_pages(topic: Crawl, days: float) -> tuple[str, ...]:
    door = Door(FetchConfig(build_user_agent("http://us.test/")))
    now = NOON + timedelta(days=days)
    return KnownPages().find(Inquiry(topic.profile, door, topic.pk, now)).urls


def test_what_changed_and_matters_comes_first_within_a_fifth_of_the_run(topic: Crawl) -> None:
    kept = Harvest.objects.kept()
    kept.update(score=0.5)
    changing = kept.order_by("-pk")[0]
    Page.objects.filter(pk=changing.url_id).update(
        packed_checks=pack_checks([PastVisit(1.0, changed=True)] * 5)
    )
    found = known_pages(topic, 3)
    topic.describe(PROFILE, type(SETTINGS)(n_pages=5, judge="cosine", strategy="best_first"))
    topic.save()

    assert found[0] == changing.url.url
    assert set(found) == set(kept.values_list("url__url", flat=True))
    assert len(known_pages(topic, 3)) == 1


def test_a_page_looked_at_lately_is_left_alone(topic: Crawl) -> None:
    assert known_pages(topic, 0.9) == ()


def test_pages_that_are_gone_do_not_take_the_turns_of_all_others(topic: Crawl) -> None:
    Harvest.objects.kept().update(score=0.5)
    settings = type(SETTINGS)(n_pages=5, judge="cosine", strategy="best_first")
    topic.describe(PROFILE, settings)
    topic.save()
    n_kept = Harvest.objects.kept().count()
    assert n_kept > 1

    visited = set()
    for day in range(1, 1 + n_kept):
        (url,) = known_pages(topic, 2 * day)
        visited.add(url)
        look(topic, {}, NOON + 2 * day * DAY, [url])

    assert len(visited) == n_kept


def test_to_look_again_changes_neither_the_path_to_a_page_nor_its_depth(topic: Crawl) -> None:
    entries = FrontierEntry.objects.filter(crawl=topic, parent__isnull=False, state="done")
    before = dict(entries.values_list("url_id", "depth_hops"))
    parents = dict(entries.values_list("url_id", "parent_id"))
    found = known_pages(topic, 3)
    Run.objects.update(ended=NOON)
    board = DatabaseBlackboard(Run.objects.create(crawl=topic, started=NOON + 3 * DAY, n_pages=50))
    manager.start(board, found, NOON + 3 * DAY, found_by=dict.fromkeys(found, "refresh"))
    web = PaperWeb(WEB)
    crawl_all(board, web, now=NOON + 3 * DAY)

    assert {*found} <= {*web.requested}
    assert dict(entries.values_list("url_id", "depth_hops")) == before
    assert dict(entries.values_list("url_id", "parent_id")) == parents
    assert SEED in web.requested


def test_a_page_never_seen_to_change_is_believed_to_change_seldom() -> None:
    steady = believed_rate([PastVisit(7.0, changed=False)] * 20)
    lively = believed_rate([PastVisit(1.0, changed=True)] * 20)

    assert 0 < steady < believed_rate([]) < 1 / 30 < lively


def test_pages_of_no_importance_are_not_looked_at() -> None:
    pages = {1: (0.0, (), 9.0), 2: (0.5, (), 9.0), 3: (0.9, (), 9.0), 4: (0.9, (), 0.0)}

    assert best_to_revisit(pages, 10) == [3, 2]


def test_pages_stored_whole_come_first_in_half_of_the_looks(topic: Crawl) -> None:
    settings = type(SETTINGS)(n_pages=10, judge="cosine", strategy="best_first")
    topic.describe(PROFILE, settings)
    topic.save()
    kept = Harvest.objects.kept().order_by("-score", "pk")
    assert len(kept) > 2
    Page.objects.filter(pk__in=[one.url_id for one in kept[1:]]).update(reader_version=None)

    assert known_pages(topic, 3) == (kept[1].url.url, kept[0].url.url)
    assert known_pages(topic, 0.9) == ()


def test_a_page_stored_whole_is_asked_for_in_full_and_has_not_changed(topic: Crawl) -> None:
    page = Page.objects.filter(url__url=CELLS)
    page.update(reader_version=None, etag='"1"', fingerprint=1, content_hash="menus and all")
    assert conditional_headers(topic, [page.get().pk]) == {}
    was = Harvest.objects.get(url__url=CELLS)
    look(topic, WEB, NOON + 3 * DAY, [CELLS])
    after = Harvest.objects.get(url__url=CELLS)

    assert (page.get().reader_version, page.get().changed) == (READER_VERSION, NOON)
    assert checks() == []
    assert (after.first_seen, after.baseline) == (was.first_seen, was.baseline)
    assert not to_read_again(topic).exists()
    look(topic, {**WEB, CELLS: f"<title>Solar</title>{OTHER}"}, NOON + 5 * DAY, [CELLS])
    assert checks() == [PastVisit(2.0, changed=True)]


@pytest.mark.parametrize("has_thumb", [True, False])
def test_a_thumb_outlives_the_menus_that_held_the_words(topic: Crawl, *, has_thumb: bool) -> None:
    key = Page.objects.get(url__url=CELLS).pk
    if has_thumb:
        save_labels(topic, [LabelledPage(good=True, weight=2.0, page=key, decided=True)])
    Page.objects.update(reader_version=None)
    waiting = {"state": "new", "assignment": None, "attempts": 0}
    FrontierEntry.objects.filter(url__url=CELLS).update(**waiting)
    leeks = f"<title>Leeks</title><p>{'Cut the leeks. ' * 9}"
    look(topic, {**WEB, CELLS: leeks}, NOON + 3 * DAY)

    assert Page.objects.get(url__url=CELLS).title == "Leeks"
    assert Harvest.objects.get(url__url=CELLS).kept is has_thumb


def test_a_page_stored_whole_that_is_gone_is_let_be(topic: Crawl) -> None:
    Page.objects.update(reader_version=None)
    before = set(to_read_again(topic).values_list("url__url", flat=True))
    look(topic, {}, NOON + 3 * DAY, [CELLS])
    after = set(to_read_again(topic).values_list("url__url", flat=True))

    assert before - after == {SEED, CELLS}
    assert after


def test_pages_that_are_not_kept_are_read_again_after_those_that_are(topic: Crawl) -> None:
    kept = Harvest.objects.kept().order_by("-score", "pk")
    assert len(kept) > 2
    Page.objects.filter(pk__in=[one.url_id for one in kept]).update(reader_version=None)
    near, far, down = kept[0], kept[1], kept[2]
    least = topic.settings.threshold / 2
    below = 0.99 * least
    Harvest.objects.filter(pk=near.pk).update(kept=False, relevance=least, score=1.0)
    Harvest.objects.filter(pk=far.pk).update(kept=False, relevance=below, judge_relevance=below)
    Harvest.objects.filter(pk=down.pk).update(
        kept=False, relevance=0.0, judge_relevance=2 * least, score=0.0
    )

    found = known_pages(topic, 3)

    assert far.url.url not in found
    assert {near.url.url, down.url.url} <= {*found}
    still_kept = [one.url.url for one in kept[3:]]
    assert list(found)[: len(still_kept)] == still_kept
    assert found[-2:] == (near.url.url, down.url.url)


def test_a_thumb_down_stands_when_its_page_is_read_again(topic: Crawl) -> None:
    page = Page.objects.get(url__url=CELLS)
    save_labels(topic, [LabelledPage(good=False, weight=1.0, page=page.pk, decided=True)])
    Page.objects.filter(pk=page.pk).update(reader_version=None)
    Harvest.objects.filter(url_id=page.pk).update(kept=False)

    look(topic, WEB, NOON + 3 * DAY, [*known_pages(topic, 3)])

    assert Page.objects.get(pk=page.pk).reader_version == READER_VERSION
    assert not Harvest.objects.get(url_id=page.pk).kept
    assert not to_read_again(topic).exists()

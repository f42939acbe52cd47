"""Copies of a report on several sites become one story, and stay it."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from crawler.crawl import manager
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.models import Crawl, Harvest, Run, Story
from crawler.replay.memory_blackboard import MemoryBlackboard
from crawler.store.stories import group_stories
from tests.crawler.conftest import MakeBoard
from tests.crawler.crawl.test_crawl_loop import crawl as crawl_all
from tests.crawler.store.test_baseline import look
from tests.crawler.web import NOON, PROFILE, SEED, SETTINGS, PaperWeb

DAY = timedelta(days=1)
REPORT = """The solar cells on the roof of the village school were wired in a single weekend by
two neighbours and a retired electrician. Since then the solar panels have paid for themselves
twice, and the children read the meter every morning before the first lesson begins. Next year
the solar cells of the town hall are to follow, if the council finds the money for the wires."""
OTHER = """Solar cells made of a new mineral lost half of their power within a month, a team has
found. The layers came apart where water got in. Solar panels of the old kind, left in the same
field beside them, lost nothing at all, and nobody on the team was surprised by that result."""
WEEKLY = {
    "monday": """The meters of the coast were read once more. The solar cells of the harbour gave a
little less than last time, those of the brewery a little more, and nobody knows why.""",
    "friday": """A crane that is to stay until summer throws its shade on the solar panels of the
school. The builders will pay for what is lost, and have asked how anybody can know that.""",
}
FRAME = "<p>{0} is the paper of the coast. Write to {0}, read {0}, share {0} with your friends.</p>"


def page(title: str, text: str, site: str) -> str:
    return f"<title>{title} - {site}</title>{FRAME.format(site)}<h1>{title}</h1><p>{text}</p>"


WEB = {
    "http://hub.test/": "<title>Solar cells</title><p>Solar cells and solar panels on all the"
    " roofs of the coast: a list of what has been written of solar cells.</p>"
    + "".join(f'<a href="http://{site}.test/">solar cells {site}</a>' for site in "abc"),
    "http://a.test/": page("School wires its roof with solar cells", REPORT, "Alpha"),
    "http://b.test/": page("School wires its roof with solar cells", REPORT, "Beta News"),
    "http://c.test/": page("New solar cells lose half of their power", OTHER, "Gamma"),
}
SAME = {"http://a.test/", "http://b.test/"}


def stories_of(board: object, web: Mapping[str, str] = WEB) -> dict[str, object]:
    """The story of each kept page of either board."""
    if isinstance(board, MemoryBlackboard):
        return {board.url_of(key): story for key, story in board.stories.items()}
    rows = Harvest.objects.kept().values_list("url__url", "story_id")
    return dict(rows)


def test_copies_on_several_sites_are_one_story_on_either_board(make_board: MakeBoard) -> None:
    board = make_board(SETTINGS)
    manager.start(board, [SEED], NOON)
    crawl_all(board, PaperWeb(WEB))
    story_by_url = stories_of(board)

    assert set(story_by_url) == {*WEB}
    assert None not in story_by_url.values()
    assert story_by_url["http://a.test/"] == story_by_url["http://b.test/"]
    assert len(set(story_by_url.values())) == len(WEB) - 1


@pytest.fixture
def topic(db: None) -> Crawl:
    topic = Crawl(key="solar", first_seen=NOON)
    topic.describe(PROFILE, SETTINGS)
    topic.save()
    look(topic, WEB, NOON)
    return topic


def with_page(url: str, markup: str) -> dict[str, str]:
    """The web with one page more, linked from the hub."""
    return {**WEB, url: markup, SEED: WEB[SEED] + f'<a href="{url}">solar cells</a>'}


def story(topic: Crawl, url: str) -> int | None:
    return topic.harvests.get(url__url=url).story_id


def test_a_copy_that_comes_later_joins_the_story_and_moves_nobody(topic: Crawl) -> None:
    before = dict(topic.harvests.values_list("url__url", "story_id"))
    copy = page("School wires its roof with solar cells", REPORT, "Delta")
    look(topic, with_page("http://d.test/", copy), NOON + DAY)

    after = dict(topic.harvests.values_list("url__url", "story_id"))
    assert after.items() >= before.items()
    assert after["http://d.test/"] == before["http://a.test/"]
    assert Story.objects.count() == len(set(before.values()))


def test_the_very_same_text_elsewhere_is_of_the_story_though_it_is_not_kept(topic: Crawl) -> None:
    look(topic, with_page("http://d.test/", WEB["http://a.test/"]), NOON + DAY)
    copy = topic.harvests.get(url__url="http://d.test/")

    assert not copy.kept
    assert copy.story_id == story(topic, "http://a.test/")


def test_pages_of_one_site_under_one_frame_are_stories_of_their_own(topic: Crawl) -> None:
    reports = {
        f"http://hub.test/{day}": page(f"Solar cells of the week, {day}", WEEKLY[day], "Hub")
        for day in ("monday", "friday")
    }
    links = "".join(f'<a href="{url}">solar cells of the week</a>' for url in reports)
    look(topic, {**WEB, **reports, SEED: WEB[SEED] + links}, NOON + DAY)

    one, other = (story(topic, url) for url in reports)
    assert one != other


def test_grouping_again_changes_nothing(topic: Crawl) -> None:
    before = list(topic.harvests.order_by("pk").values_list("pk", "story_id"))

    assert group_stories(topic) == 0
    assert list(topic.harvests.order_by("pk").values_list("pk", "story_id")) == before


def test_the_best_page_of_each_story_stands_for_it(topic: Crawl) -> None:
    topic.harvests.filter(url__url="http://b.test/").update(score=1.0)
    shown = topic.harvests.kept().one_per_story()

    urls = set(shown.values_list("url__url", flat=True))
    assert urls == {*WEB} - {"http://a.test/"}
    assert shown.count() == len(WEB) - 1


def test_pages_without_a_story_stand_for_themselves(topic: Crawl) -> None:
    topic.harvests.update(story=None)

    assert topic.harvests.kept().one_per_story().count() == len(WEB)


def test_a_run_that_ends_leaves_no_kept_page_without_its_story(topic: Crawl) -> None:
    Run.objects.update(ended=NOON)
    run = Run.objects.create(crawl=topic, started=NOON + 2 * DAY, n_pages=1)
    board = DatabaseBlackboard(run)
    manager.start(board, ["http://e.test/"], NOON + 2 * DAY)
    crawl_all(board, PaperWeb({"http://e.test/": page("Solar cells", OTHER * 2, "E")}), now=NOON)

    assert not topic.harvests.kept().filter(story=None).exists()

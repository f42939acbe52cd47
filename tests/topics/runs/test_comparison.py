"""Strategies are compared on what a topic has fetched, and one of them is chosen."""

from datetime import timedelta

import msgspec
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django_q.models import OrmQ

from crawler.models import Crawl, Harvest, Knowledge
from crawler.models.values import save_value
from focusweb.charts.line_chart import COLOURS, GRID, LineChart, LineSeries, svg
from tests.crawler.solar_web import SHAPES, crawl_shapes
from tests.crawler.web import SEED
from tests.topics.factories import NOON, topic_of
from topics import tasks
from topics.models import Topic
from topics.profile.crawl import save_crawl
from topics.runs import comparison
from topics.runs.comparison import (
    PATIENCE,
    SILENCE,
    Comparison,
    StrategyChoice,
    compare_next,
    find_comparison,
    obstacle,
    request_comparison,
    use_strategy,
)

STRATEGIES = ["best_first", "breadth_first"]
PAGE = "/topics/solar/compare/"


@pytest.fixture
def topic(ann: User) -> Topic:
    """A topic on solar cells that has fetched its web."""
    topic = topic_of(
        ann,
        "solar",
        name="solar cells",
        seeds=SEED,
        threshold=0.3,
        judge="cosine",
        strategy="best_first",
    )
    crawl_shapes(save_crawl(topic, NOON))
    return topic


def crawl_of(topic: Topic) -> Crawl:
    assert topic.crawl is not None
    return topic.crawl


def seen(topic: Topic) -> Comparison:
    """The comparison as it was last saved, whatever the time."""
    found = find_comparison(topic, NOON)
    assert found is not None
    return found


def finish(topic: Topic) -> Comparison:
    comparison = request_comparison(topic, STRATEGIES, NOON)
    while compare_next(crawl_of(topic), comparison.token):
        pass
    return seen(topic)


def test_every_strategy_gets_a_curve_over_the_stored_pages(topic: Topic) -> None:
    done = finish(topic)

    assert (done.state, sorted(done.curves), done.n_pages) == ("done", STRATEGIES, len(SHAPES))
    for curve in done.curves.values():
        assert curve.n_fetched == len(SHAPES)
        assert curve.points[0] == (0, 0)
        assert curve.points[-1] == (len(SHAPES), done.n_wanted)
        assert not curve.is_cut
        assert curve.recall_5x == 1.0


def test_the_harvest_rate_is_that_of_what_was_fetched(topic: Topic) -> None:
    for curve in finish(topic).curves.values():
        (n_fetched, n_found) = curve.points[-1]
        assert n_fetched == curve.n_fetched > 0
        assert curve.harvest_rate == pytest.approx(n_found / n_fetched)


def test_the_task_queues_itself_for_the_next_strategy(topic: Topic) -> None:
    comparison = request_comparison(topic, STRATEGIES, NOON)
    assert OrmQ.objects.count() == 1

    assert tasks.compare(crawl_of(topic).pk, comparison.token) == "one of several"
    assert (seen(topic).state, len(seen(topic).curves), OrmQ.objects.count()) == ("running", 1, 2)
    assert tasks.compare(crawl_of(topic).pk, comparison.token) == "done"
    assert (seen(topic).state, OrmQ.objects.count()) == ("done", 2)


def test_a_task_that_is_delivered_twice_does_nothing(topic: Topic) -> None:
    done = finish(topic)

    assert compare_next(crawl_of(topic), done.token) is False
    assert tasks.compare(0, done.token) == "done"
    assert seen(topic) == done


def test_another_comparison_takes_the_place_of_one_under_way(topic: Topic) -> None:
    old = request_comparison(topic, STRATEGIES, NOON)
    new = request_comparison(topic, ["random"], NOON)

    assert compare_next(crawl_of(topic), old.token) is False
    assert compare_next(crawl_of(topic), new.token) is False
    assert list(seen(topic).curves) == ["random"]


def test_a_strategy_whose_time_is_over_is_cut(topic: Topic) -> None:
    comparison = request_comparison(topic, ["best_first"], NOON)

    compare_next(crawl_of(topic), comparison.token, limit_s=0.0)

    curve = seen(topic).curves["best_first"]
    assert curve.is_cut
    assert curve.n_fetched < len(SHAPES)


def test_a_strategy_that_breaks_down_is_reported_and_nobody_waits(topic: Topic) -> None:
    comparison = request_comparison(topic, ["best_first"], NOON)
    crawl = crawl_of(topic)
    crawl.profile_json = {"name": 7}
    crawl.save()

    with pytest.raises(msgspec.ValidationError):
        compare_next(crawl, comparison.token)

    outcome = seen(topic)
    assert (outcome.state, outcome.problem) == ("failed", "crashed")
    assert outcome.detail.startswith("best_first: ValidationError(")


def test_a_strategy_that_is_refused_is_reported(topic: Topic) -> None:
    comparison = request_comparison(topic, ["teleport"], NOON)

    assert compare_next(crawl_of(topic), comparison.token) is False

    outcome = seen(topic)
    assert (outcome.state, outcome.problem) == ("failed", "refused")
    assert "no strategies named 'teleport'" in outcome.detail


def test_too_few_pages_among_the_newest_are_reported(topic: Topic) -> None:
    comparison = request_comparison(topic, ["best_first"], NOON)
    Harvest.objects.exclude(url__url="http://solar.test/cells").update(kept=False)

    compare_next(crawl_of(topic), comparison.token)

    assert (seen(topic).state, seen(topic).problem) == ("failed", "too_few")


@pytest.mark.parametrize(
    ("state", "limit", "problem"),
    [("running", SILENCE, "silent"), ("waiting", PATIENCE, "not_begun")],
)
def test_a_silent_worker_is_not_waited_for(
    topic: Topic, state: str, limit: timedelta, problem: str
) -> None:
    comparison = Comparison("t", state, STRATEGIES, NOON, NOON)
    save_value(crawl_of(topic), "comparison", msgspec.msgpack.encode(comparison))

    later = find_comparison(topic, NOON + limit + timedelta(seconds=1))
    in_time = find_comparison(topic, NOON + limit)

    assert later is not None
    assert in_time is not None
    assert (later.state, later.problem) == ("failed", problem)
    assert (in_time.state, in_time.problem) == (state, "")


def test_what_stands_in_the_way_is_named(topic: Topic) -> None:
    assert obstacle(topic) == ""
    few = list(Harvest.objects.kept().values_list("pk", flat=True)[: comparison.MIN_WANTED - 1])
    Harvest.objects.exclude(pk__in=few).update(kept=False)
    assert obstacle(topic) == "too_few"
    Harvest.objects.all().delete()
    assert obstacle(topic) == "never_run"


def test_a_chosen_strategy_reaches_the_crawl_and_the_one_before_is_reported(topic: Topic) -> None:
    topic.strategy, topic.strategy_parameters = "best_first", {"anchor_weight": 0.8}
    topic.save()

    before = use_strategy(topic, StrategyChoice("shark_search", {}), NOON)

    assert before == StrategyChoice("best_first", {"anchor_weight": 0.8})
    settings = Crawl.objects.get(pk=crawl_of(topic).pk).settings
    assert (settings.strategy, settings.strategy_parameters) == ("shark_search", {})


def test_the_page_starts_a_comparison_and_follows_it(as_ann: Client, topic: Topic) -> None:
    assert 'value="focus" checked' in as_ann.get(PAGE).content.decode()

    answer = as_ann.post(PAGE, {"strategies": STRATEGIES}, follow=True)

    assert "data-live" in answer.content.decode()
    assert "The background worker is not running" in answer.content.decode()
    for _ in STRATEGIES:
        tasks.compare(crawl_of(topic).pk, seen(topic).token)
    assert "data-ended" in as_ann.get(f"{PAGE}live").content.decode()
    page = as_ann.get(PAGE).content.decode()
    for colour in COLOURS[: len(STRATEGIES)]:
        # Once in the chart's lines, once in its legend, and at the strategy's figures.
        assert page.count(f'stroke="{colour}"') == 3
    assert "data-live" not in page
    assert f"on {len(SHAPES)} stored pages, of which {seen(topic).n_wanted} were to find" in page
    # The strategy in use can only be replaced by the other one.
    assert page.count("Use this strategy") == 1


@pytest.mark.parametrize(
    "strategies", [[], ["teleport"], ["focus", "hits", "random", "genetic", "viterbi"]]
)
def test_a_choice_of_no_or_too_many_strategies_is_refused(
    as_ann: Client, topic: Topic, strategies: list[str]
) -> None:
    answer = as_ann.post(PAGE, {"strategies": strategies})

    assert "Choose 1 to 4 strategies." in answer.content.decode()
    assert not Knowledge.objects.filter(name="comparison").exists()


def test_a_topic_without_pages_is_reported_so(as_ann: Client, ann: User) -> None:
    topic_of(ann, "solar")

    assert "has not fetched any page" in as_ann.get(PAGE).content.decode()
    answer = as_ann.post(PAGE, {"strategies": STRATEGIES})
    assert "There are not enough pages to compare yet." in answer.content.decode()


def test_a_strategy_is_used_and_taken_back(as_ann: Client, topic: Topic) -> None:
    Topic.objects.update(strategy_parameters={"anchor_weight": 0.8})

    page = as_ann.post(f"{PAGE}use", {"strategy": "focus"}, follow=True).content.decode()
    assert "now uses the strategy focus" in page
    assert "instead of <strong>best_first</strong>" in page
    assert Topic.objects.get().strategy == "focus"

    page = as_ann.post(f"{PAGE}use", {"undo": "1"}, follow=True).content.decode()
    assert 'name="undo"' not in page
    again = Topic.objects.get()
    assert (again.strategy, again.strategy_parameters) == ("best_first", {"anchor_weight": 0.8})


@pytest.mark.parametrize("data", [{}, {"strategy": "teleport"}, {"undo": "1"}])
def test_a_strategy_that_does_not_exist_changes_nothing(
    as_ann: Client, topic: Topic, data: dict[str, str]
) -> None:
    page = as_ann.post(f"{PAGE}use", data, follow=True).content.decode()

    assert "This strategy does not exist" in page
    assert Topic.objects.get().strategy == "best_first"


def test_looking_changes_nothing(as_ann: Client, topic: Topic) -> None:
    assert as_ann.get(f"{PAGE}use").status_code == 405
    assert as_ann.get(f"{PAGE}live").status_code == 200
    assert OrmQ.objects.count() == 0


def test_the_first_choice_is_installed() -> None:
    assert comparison.known_strategies()[:4] == sorted(comparison.FIRST_CHOICE)


@pytest.mark.parametrize("colour", [GRID, *COLOURS[:2]])
def test_the_page_has_a_colour_of_its_own_for_what_no_dark_ground_shows(colour: str) -> None:
    style = (settings.BASE_DIR / "static" / "focusweb.css").read_text("utf-8")

    assert f'.chart svg path[stroke="{colour}"]' in style
    assert f'stroke="{colour}"' in svg(chart_of_two_lines())


def chart_of_two_lines() -> LineChart:
    lines = tuple(LineSeries(name, ((0.0, 0.0), (9.0, 5.0))) for name in ("a", "b"))
    return LineChart("Found", "fetched", "found", lines)

"""The error of a filter of links is known from a sample of what it drops."""

from dataclasses import replace
from datetime import timedelta

import pytest

from crawler.crawl import manager
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.knowledge.profile import WeightedTerm
from crawler.models import Harvest, Run
from crawler.store.frontier.drop_sample import DropSample, drop_sample
from crawler.strategies.link_notes import REFRESH
from tests.crawler.crawl.test_crawl_loop import crawl
from tests.crawler.web import NOON, PROFILE, SEED, SETTINGS, PaperWeb

pytestmark = pytest.mark.django_db

SOLAR = "<title>Solar</title><p>Solar power from solar cells, and the power of panels</p>"
SOUP = "<title>Soup</title><p>Carrots and a soup of onions for the evening</p>"


def web() -> PaperWeb:
    """Eight pages behind links whose words do not name the topic; three are relevant."""
    names = [f"http://site{number}.test/{number}" for number in range(8)]
    links = "".join(f'<p><a href="{name}">more</a></p>' for name in names)
    pages = {name: SOLAR if place < 3 else SOUP for place, name in enumerate(names)}
    # The filter is taught by the seed, so it drops links of the page after it.
    pages |= {SEED: f'{SOLAR}<p><a href="http://list.test/">solar power</a></p>'}
    return PaperWeb(pages | {"http://list.test/": f"{SOLAR}{links}"})


def sampled(run: Run, sample: int) -> DropSample | None:
    """Crawl that web under the first paper's strategy."""
    settings = replace(
        SETTINGS,
        strategy="ontology",
        strategy_parameters={"sample": float(sample)},
        judge="cosine",
        threshold=0.3,
    )
    profile = replace(PROFILE, terms=(WeightedTerm("solar"), WeightedTerm("power")))
    run.crawl.describe(profile, settings)
    run.crawl.save()
    board = DatabaseBlackboard(run)
    manager.start(board, [SEED], NOON)
    crawl(board, web())
    run.refresh_from_db()
    return drop_sample(run)


def test_every_dropped_link_may_be_in_the_sample(run: Run) -> None:
    found = sampled(run, 1)

    assert found == DropSample(n_fetched=8, n_relevant=3)
    assert found.share == pytest.approx(3 / 8)
    # By hand: (.375 + .2401) / 1.4802 and 1.96 / 1.4802 * sqrt(.0293 + .0150)
    assert found.interval == pytest.approx((0.137, 0.694), abs=0.001)

    Harvest.objects.update(kept=False)
    none_kept = drop_sample(run)
    assert none_kept is not None and none_kept.n_relevant == 0
    assert none_kept.interval[0] == 0.0


def test_the_sample_of_a_run_stays_when_relevant_pages_are_visited_again(run: Run) -> None:
    first = sampled(run, 1)
    Run.objects.update(ended=NOON)
    later = NOON + timedelta(days=2)
    second = Run.objects.create(crawl=run.crawl, started=later, n_pages=50)
    board = DatabaseBlackboard(second)
    again = list(Harvest.objects.kept().values_list("url__url", flat=True))

    manager.start(board, again, later, found_by=dict.fromkeys(again, REFRESH))
    assert drop_sample(run) == first
    crawl(board, web(), now=later)

    assert drop_sample(run) == first
    assert drop_sample(second) is None


def test_without_a_sample_nothing_is_said_of_the_error(run: Run) -> None:
    assert sampled(run, 0) is None
    assert run.n_left_out == 8

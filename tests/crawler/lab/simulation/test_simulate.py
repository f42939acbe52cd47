"""The whole simulation on a small web, by its command."""

import json
from concurrent.futures import ProcessPoolExecutor
from io import StringIO
from multiprocessing import get_context
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from crawler.lab.simulation.experiment import SimulationScope, WebJob, run_job
from crawler.lab.simulation.making import Extent
from crawler.lab.simulation.monitor import Monitor, WatchPlan
from crawler.lab.simulation.outcome import NEAR_AVERAGE, OLD_DAYS, Watching
from crawler.lab.simulation.planted_cases import AVERAGE
from crawler.lab.simulation.web import make_web
from crawler.lab.simulation.words import TOPIC
from crawler.models import Harvest, Run, Site, Url


# One test, as it takes a minute: with several, each process of the tests would simulate for itself.
@pytest.mark.django_db
def test_figures_are_written_by_policy_reported_to_people_and_drawn(tmp_path: Path) -> None:
    file, plots, out = tmp_path / "figures.json", tmp_path / "plots", StringIO()
    options = ["--quick", "--policies", "uniform,ours", "--processes", "1"]

    # Its processes use tables of their own, in memory.
    call_command("simulate", *options, "--json", file, "--plots", plots, stdout=out)

    data = json.loads(file.read_text())

    # Whole webs run the product, so under its own policy.
    assert set(data["whole_web"]) == {"ours"}
    for part in ("policies", "drifting", "jumping", "whole_web"):
        assert set(data[part]) == {"uniform", "ours"} or part == "whole_web"
        for figures in data[part].values():
            assert figures["delay_mean_h"] > 0
            assert 0 <= figures["share_24h"] <= figures["recall"] <= 1
    assert data["policies"]["ours"]["delay_mean_h"] < data["policies"]["uniform"]["delay_mean_h"]
    shares = (
        *("new_site_win_rate", "new_site_top10_24h", "old_win_rate", "old_listed_win_rate"),
        *("spam_in_top10", "share_304", "trap_waste"),
    )
    assert all(0 <= data[name] <= 1 for name in shares)
    assert data["share_304"] >= 0.95
    assert data["trap_waste"] <= 0.01
    assert data["honest_sites_taken"] == 0 < data["honest_sites"]
    assert data["farm_sites_found"] <= data["farm_sites"]
    assert data["old_as_new"] == 0
    assert data["old_met"] > 0
    assert data["moved_known_shown"] == 0
    assert data["moved_shown"] <= data["moved_unknowable"] <= data["moved_met"]

    printed = out.getvalue()
    assert "steady rates" in printed
    assert "304 for what has not changed" in printed
    assert {plot.name for plot in plots.iterdir()} == {
        f"found-{drift}.svg" for drift in ("steady", "drifting", "jumping")
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--pages", "10"], "--pages 2000 or more"),
        (["--weeks", "1"], "--weeks 3 or more"),
        (["--seeds", "0"], "--seeds 1 or more"),
        (["--processes", "-1"], "--processes: must be at least 0, got -1"),
        (["--seed", "-1"], "--seed: must be at least 0, got -1"),
        (["--policies", "best"], "no policy 'best'; there are uniform"),
        (["--policies", ""], "no policy ''"),
    ],
)
def test_what_cannot_be_simulated_is_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("simulate", *arguments)


@pytest.mark.django_db
def test_two_watchings_of_one_web_are_the_same() -> None:
    plan = WatchPlan(run_h=120.0, n_pages=20, first_pages=30)
    extent = Extent(n_pages=2_000, n_sites=60, n_days=21)
    scope = SimulationScope(("ours",), seed=3, n_seeds=1, extent=extent, watch=plan)

    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as processes:
        both = [processes.submit(run_job, scope, WebJob(3)) for _ in range(2)]
        first, second = (one.result() for one in both)

    assert first == second


@pytest.mark.django_db
def test_a_moved_page_is_unknowable_if_its_original_was_not_fetched_before() -> None:
    web = make_web(3, Extent(n_pages=20_000, n_sites=200, n_days=28))
    watching = Watching(Monitor(web, 3, WatchPlan()))
    pairs = [(copy.number, original.number) for copy, original in web.planted.moved[:4]]
    (seen, old), (late, later), (alone, _), _ = pairs

    watching.monitor.source.fetched_first |= {
        old: 1.0,
        seen: 9.0,
        late: 9.0,
        later: 10.0,
        alone: 9.0,
    }

    assert watching.moved_unknowable() == {late, alone}


@pytest.mark.django_db
def test_a_better_page_is_compared_with_old_average_pages_of_the_most_linked_site() -> None:
    web = make_web(3, Extent(n_pages=6_000, n_sites=120, n_days=28))
    watching = Watching(Monitor(web, 3, WatchPlan()))
    crawl, now = watching.monitor.crawl, watching.monitor.now
    duel = web.planted.duels[0]
    portal = [a for a in web.articles if a.site == duel.average.site and a.subject == TOPIC]
    average = [a for a in portal if abs(a.density - AVERAGE) <= NEAR_AVERAGE]
    lower, higher = (a for a in average[:2] if a.published <= duel.day - OLD_DAYS)
    young = next(a for a in average if a.published > duel.day - OLD_DAYS)
    dense = next(a for a in portal if a.density > AVERAGE + NEAR_AVERAGE)
    run = Run.objects.create(crawl=crawl, started=now, n_pages=1)
    keys = []
    pages = [(duel.better, 0.6), (lower, 0.5), (higher, 0.7), (young, 0.1), (dense, 0.1)]
    for article, score in pages:
        host = web.sites[article.site].host
        site, _made = Site.objects.get_or_create(
            name=host, defaults={"domain": host, "first_seen": now}
        )
        url = Url.objects.create(url=web.url_of(article), site=site, first_seen=now)
        harvest = Harvest.objects.create(
            crawl=crawl, url=url, run=run, kept=True, relevance=0.9, score=score, first_seen=now
        )
        keys.append(harvest.pk)

    watching.compare_with_old(duel, [keys[2], keys[0]])

    assert (watching.n_old, watching.n_old_wins) == (2, 1)
    assert (watching.n_old_listed, watching.n_old_listed_wins) == (1, 0)

"""The whole simulation on a small web, by its command."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from crawler.lab.simulation.making import Extent
from crawler.lab.simulation.monitor import Monitor, WatchPlan
from crawler.lab.simulation.outcome import Watching
from crawler.lab.simulation.policies import Ours
from crawler.lab.simulation.times import moment
from crawler.lab.simulation.watching import true_rate
from crawler.lab.simulation.web import make_web
from crawler.lab.simulation.words import TOPIC


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A quick simulation of two policies: the folder it wrote to, and what it printed."""
    folder, out = tmp_path_factory.mktemp("simulated"), StringIO()
    call_command(
        "simulate",
        "--quick",
        "--policies",
        "uniform,ours",
        "--processes",
        "1",
        "--json",
        folder / "told.json",
        "--plots",
        folder / "plots",
        stdout=out,
    )
    return folder, out.getvalue()


def test_the_figures_are_written_by_policy(told: tuple[Path, str]) -> None:
    data = json.loads((told[0] / "told.json").read_text())

    for part in ("policies", "drifting", "jumping", "whole_web"):
        assert set(data[part]) == {"uniform", "ours"}
        for figures in data[part].values():
            assert figures["delay_mean_h"] > 0
            assert 0 <= figures["share_24h"] <= figures["recall"] <= 1
    assert data["policies"]["ours"]["delay_mean_h"] < data["policies"]["uniform"]["delay_mean_h"]
    shares = ("new_site_win_rate", "new_site_top10_24h", "spam_in_top10", "share_304", "trap_waste")
    assert all(0 <= data[name] <= 1 for name in shares)
    assert data["share_304"] >= 0.95
    assert data["trap_waste"] <= 0.01
    assert data["old_as_new"] == 0
    assert data["old_met"] > 0
    assert data["moved_known_shown"] == 0
    assert data["moved_shown"] <= data["moved_unknowable"] <= data["moved_met"]


def test_they_are_told_to_people_and_drawn(told: tuple[Path, str]) -> None:
    folder, printed = told

    assert "steady rates" in printed
    assert "304 for what has not changed" in printed
    assert {file.name for file in (folder / "plots").iterdir()} == {
        f"found-{drift}.svg" for drift in ("steady", "drifting", "jumping")
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--pages", "10"], "--pages 2000 or more"),
        (["--weeks", "1"], "--weeks 3 or more"),
        (["--seeds", "0"], "--seeds 1 or more"),
        (["--policies", "best"], "no policy 'best'; there are uniform"),
        (["--policies", ""], "no policy ''"),
    ],
)
def test_what_cannot_be_simulated_is_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("simulate", *arguments)


def test_two_watchings_of_one_web_are_the_same() -> None:
    plan = WatchPlan(run_h=48.0, pages_per_run=10, first_pages=40)

    def watched() -> tuple[list[str], list[tuple[float, str]]]:
        web = make_web(3, Extent(n_pages=2_000, n_sites=60, n_days=21))
        monitor = Monitor(web, 3, Ours(), plan)
        monitor.watch(Watching(monitor).after_run)
        return [monitor.board.url_of(key) for key in monitor.board.harvests], monitor.looks

    assert watched() == watched()


def test_a_moved_page_is_unknowable_if_its_original_was_not_fetched_before() -> None:
    web = make_web(3, Extent(n_pages=20_000, n_sites=200, n_days=28))
    watching = Watching(Monitor(web, 3, Ours(), WatchPlan()))
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


def test_the_oracle_knows_how_often_a_site_publishes() -> None:
    web = make_web(3, Extent(n_pages=2_000, n_sites=60, n_days=21))
    rate = true_rate(web)
    counts = {
        site.host: sum(
            web.articles[number].subject == TOPIC and 5 <= day <= 11
            for day, number in web.listed[site.number]
        )
        for site in web.sites
    }
    busiest = max(counts, key=lambda host: counts[host])

    assert rate(f"http://{busiest}/", moment(8.0)) == pytest.approx((counts[busiest] + 0.1) / 6)

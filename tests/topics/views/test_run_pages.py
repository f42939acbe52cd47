"""The pages about runs: the reasons of their URLs, kept pages, progress and harvest rate."""

from datetime import timedelta

import pytest
from django.test import Client

from crawler.models import FrontierEntry, Run
from tests.topics.factories import Scene
from tests.topics.views.conftest import LOCAL, get


def test_the_run_page_gives_every_reason_a_sentence_and_its_addresses(
    as_ann: Client, now_scene: Scene
) -> None:
    html = get(as_ann, f"{LOCAL}runs/{now_scene.run.pk}/")
    assert "The site&#x27;s robots.txt asks not to fetch this page." in html
    assert "page limit." in html
    listed = get(as_ann, f"{LOCAL}runs/{now_scene.run.pk}/reasons/robots_forbidden")
    assert "https://portal.test/private/x" in listed
    assert "1 of 2 URLs" in listed


# minutes between the visit of a seed and the beginning of a run: below 0 the run visited it
@pytest.mark.parametrize(("minutes", "said"), [(-1, False), (5, True), (59, True), (61, False)])
def test_a_run_says_that_seeds_rested_if_they_did(
    as_ann: Client, now_scene: Scene, minutes: int, *, said: bool
) -> None:
    ended = now_scene.run.ended
    assert ended is not None
    started = ended + timedelta(minutes=5)
    FrontierEntry.objects.filter(url__url="https://portal.test/").delete()
    now_scene.entry("https://portal.test/")
    seed = FrontierEntry.objects.filter(url__url="https://portal.test/")
    seed.update(ended=started - timedelta(minutes=minutes))
    run = Run.objects.create(
        crawl=now_scene.crawl,
        started=started,
        ended=started,
        n_pages=9,
        stop_reason="frontier_empty",
    )
    assert (
        "Seeds are checked at most once an hour" in get(as_ann, f"{LOCAL}runs/{run.pk}/")
    ) is said


def test_kept_pages_of_a_run_are_listed(as_ann: Client, now_scene: Scene) -> None:
    assert "Cache &lt;lines&gt;" in get(as_ann, f"{LOCAL}runs/{now_scene.run.pk}/kept")


@pytest.mark.parametrize(("kept", "said"), [(11, True), (5, False)])
def test_kept_pages_that_are_not_listed_any_more_are_accounted_for(
    as_ann: Client, now_scene: Scene, kept: int, *, said: bool
) -> None:
    listed = now_scene.run.harvests.kept().count()
    Run.objects.update(kept=kept if said else listed)

    html = get(as_ann, f"{LOCAL}runs/{now_scene.run.pk}/kept")

    assert (f"Kept when the run ended: {kept}. Listed here: {listed}." in html) is said


def test_a_run_whose_pages_are_all_gone_is_not_said_to_have_kept_none(
    as_ann: Client, now_scene: Scene
) -> None:
    address = f"{LOCAL}runs/{now_scene.run.pk}/kept"
    now_scene.run.harvests.update(kept=False)

    assert "This run kept no pages" not in get(as_ann, address)
    Run.objects.update(kept=0)
    assert "This run kept no pages." in get(as_ann, address)


def test_progress_says_when_it_has_ended(as_ann: Client, now_scene: Scene) -> None:
    path = f"{LOCAL}runs/{now_scene.run.pk}/live"
    assert "data-ended" in get(as_ann, path)
    Run.objects.update(ended=None, stop_reason="")
    assert "data-ended" not in get(as_ann, path)


@pytest.mark.parametrize(
    ("unchanged", "shown"), [(0, "25 %"), (30, "100 %"), (40, "–")], ids=["none", "most", "all"]
)
def test_the_harvest_rate_leaves_out_what_had_not_changed(
    as_ann: Client, now_scene: Scene, unchanged: int, shown: str
) -> None:
    now_scene.crawl.runs.update(fetched=40, kept=10, reasons={"unchanged": unchanged})

    for path in (f"{LOCAL}runs/", f"{LOCAL}runs/{now_scene.run.pk}/", ""):
        assert f">{shown}<" in get(as_ann, path), path
    assert "The share kept leaves out pages that had not changed." in get(as_ann, f"{LOCAL}runs/")

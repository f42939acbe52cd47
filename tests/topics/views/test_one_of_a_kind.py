"""One of a kind is counted in the singular, and two in the plural."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.test import Client
from django.utils import timezone

from crawler.models import Harvest, Run
from tests.topics.factories import Scene, scene_of
from tests.topics.views.conftest import LOCAL, get
from topics.models import Topic

CHARTS = f"{LOCAL}charts/"


@pytest.fixture
def small(ann: User) -> Scene:
    """A topic with one news page, one day as its window and a limit of one page a run."""
    scene = scene_of(ann, now=timezone.now())
    scene.entry("https://portal.test/")
    scene.page("https://portal.test/cpu", "电脑 CPU", "https://portal.test/")
    Topic.objects.update(fresh_days=1)
    Run.objects.update(n_pages=1, fetched=1, kept=1, ended=None)
    return scene


def test_the_page_of_a_topic(as_ann: Client, small: Scene) -> None:
    html = get(as_ann, LOCAL)
    assert "1 new page in the last day" in html
    assert "1 of 1 page fetched" in html


def test_the_page_of_a_run(as_ann: Client, small: Scene) -> None:
    assert "1 of 1 page<" in get(as_ann, f"{LOCAL}runs/{small.run.pk}/").replace("\n", "")


def test_a_quiet_topic(as_ann: Client, small: Scene) -> None:
    Harvest.objects.update(baseline=True)
    began = small.now - timedelta(days=31)
    Run.objects.update(started=began, ended=began)
    assert "Nothing new in the last day. New pages" in get(as_ann, LOCAL)
    assert "Nothing new in the last day.<" in get(as_ann, "")


def test_the_charts(as_ann: Client, small: Scene) -> None:
    Run.objects.update(ended=small.now)
    assert "1 new page in the window; 0 of them are on new sites." in get(as_ann, CHARTS)
    assert "Of 1 new or changed page, the last run kept 1." in get(as_ann, f"{CHARTS}runs")
    assert "1 site, 0 links between them; 1 is undecided." in get(as_ann, f"{CHARTS}sites")


def test_the_system_page(as_ann: Client, small: Scene) -> None:
    assert "1 run is under way." in get(as_ann, "system/")
    Run.objects.update(ended=small.now)
    assert "0 runs are under way." in get(as_ann, "system/")


@pytest.mark.parametrize(
    ("per_day", "said"),
    [(1.0, "About 1 new page a day."), (0.5, "About 0.5 new pages a day.")],
)
def test_the_preview_of_a_profile(per_day: float, said: str) -> None:
    foreseen = {"n_pages": 3, "per_day": per_day}
    assert said in render_to_string("topics/_preview.html", {"foreseen": foreseen})

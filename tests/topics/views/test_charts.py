"""The chart pages: numbers with links, files, and the review of sites."""

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crawler.api.text import tokenize
from crawler.models import Harvest, Site
from tests.topics.charts.small_news import add_news
from tests.topics.factories import Scene, explanation, scene_of
from topics.charts.graph_drawing import MAX_SITES
from topics.models import SiteControl

CHARTS = "/topics/chips/charts/"
#: As many as a page may have.
MAX_QUERIES = 12


@pytest.fixture
def scene(ann: User) -> Scene:
    """Ann's topic with news of today, of which two pages link to each other's sites."""
    scene = scene_of(ann, now=timezone.now())
    for address in ("https://portal.test/", "https://hub.test/links"):
        scene.entry(address)
    scene.page("https://notes.test/cache", "Cache lines", "https://portal.test/")
    scene.page("https://portal.test/cpu", "电脑 CPU", "https://portal.test/")
    return add_news(scene)


def body(client: Client, path: str, language: str = "en") -> str:
    answer = client.get(path, headers={"accept-language": language})
    assert answer.status_code == 200
    return answer.content.decode()


def test_what_was_found_has_a_drawing_a_table_and_a_file_for_each_chart(
    as_ann: Client, scene: Scene
) -> None:
    html = body(as_ann, CHARTS)
    for name in ("news", "ages", "sources", "terms", "languages"):
        assert f'id="chart-{name}"' in html
        assert f"{CHARTS}{name}.csv" in html
    assert html.count('<svg class="drawing"') == 5
    assert html.count("Show numbers") == 5


def test_the_charts_of_runs_are_those_of_the_run_that_is_named(
    as_ann: Client, scene: Scene
) -> None:
    html = body(as_ann, f"{CHARTS}runs?run={scene.run.pk}")
    for name in ("harvest", "funnel", "layers"):
        assert f'id="chart-{name}"' in html
        assert f"{CHARTS}{name}.csv?run={scene.run.pk}" in html
    assert as_ann.get(f"{CHARTS}runs?run=0").status_code == 404


def test_the_pages_are_there_in_chinese(as_ann: Client, scene: Scene) -> None:
    assert "新网站与已知网站对比" in body(as_ann, CHARTS, "zh-hans")
    assert "网站审阅" in body(as_ann, f"{CHARTS}sites", "zh-hans")


@pytest.mark.parametrize("path", ["", "runs", "sites"])
def test_a_page_needs_few_queries(as_ann: Client, scene: Scene, path: str) -> None:
    body(as_ann, CHARTS + path)
    with CaptureQueriesContext(connection) as queries:
        body(as_ann, CHARTS + path)
    assert len(queries) <= MAX_QUERIES, [query["sql"][:80] for query in queries]


@pytest.mark.parametrize(
    "name",
    ["news", "ages", "sources", "terms", "languages", "harvest", "funnel", "layers", "sites"],
)
def test_each_chart_is_a_file(as_ann: Client, scene: Scene, name: str) -> None:
    answer = as_ann.get(f"{CHARTS}{name}.csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}.csv"'
    assert len(answer.content.decode().splitlines()) > 1


def test_the_graph_is_a_gexf_file(as_ann: Client, scene: Scene) -> None:
    answer = as_ann.get(f"{CHARTS}sites.gexf")
    assert b"<gexf" in answer.content
    assert b"portal.test" in answer.content


@pytest.mark.parametrize("name", ["none.csv", "news", "news.txt", "sites.csv.csv"])
def test_other_files_are_not_there(as_ann: Client, scene: Scene, name: str) -> None:
    assert as_ann.get(f"{CHARTS}{name}").status_code == 404


@pytest.mark.parametrize(("decision", "rule"), [("in", "pin"), ("out", "block")])
def test_a_decision_is_a_site_rule(as_ann: Client, scene: Scene, decision: str, rule: str) -> None:
    site = Site.objects.get(name="notes.test")
    path = f"{CHARTS}sites/{site.pk}"
    answer = as_ann.post(path, {"decision": decision, "show": "undecided"})
    assert answer.headers["Location"] == f"{CHARTS}sites?show=undecided#review"
    assert SiteControl.objects.get().rule == rule
    as_ann.post(path, {"decision": "undecided"})
    assert not SiteControl.objects.exists()


def test_a_site_that_is_only_linked_to_can_be_decided(as_ann: Client, scene: Scene) -> None:
    scene.link("https://notes.test/cache", "https://found.test/")
    site = Site.objects.get(name="found.test")
    assert as_ann.post(f"{CHARTS}sites/{site.pk}", {"decision": "out"}).status_code == 302
    stranger = scene.url("https://stranger.test/").site
    assert as_ann.post(f"{CHARTS}sites/{stranger.pk}", {"decision": "out"}).status_code == 404
    assert as_ann.post(f"{CHARTS}sites/{site.pk}", {"decision": "no"}).status_code == 400


def test_kept_pages_of_a_layer_are_listed(as_ann: Client, scene: Scene) -> None:
    path = f"/topics/chips/runs/{scene.run.pk}/kept"
    assert "电脑 CPU" in body(as_ann, f"{path}?depth=0")
    assert "电脑 CPU" not in body(as_ann, f"{path}?depth=3")


def test_a_term_with_a_control_character_is_drawn(as_ann: Client, scene: Scene) -> None:
    # A text that is copied from a PDF file may hold one.
    as_ann.post("/topics/chips/profile/add", {"text": "cache\x02"})
    found = explanation() | {"content": {"matched": tokenize("cache")}}
    Harvest.objects.update(explanation=found, kept=True)

    html = body(as_ann, CHARTS)

    assert "cache, " in html


def test_all_sites_can_be_reviewed_however_many_are_drawn(as_ann: Client, scene: Scene) -> None:
    for number in range(MAX_SITES):
        scene.page(f"https://s{number}.test/", "One", "https://portal.test/")
    blocked = Site.objects.create(name="blocked.test", first_seen=scene.now)
    SiteControl.objects.create(topic=scene.topic, site=blocked, rule="block")
    n_sites = MAX_SITES + 4  # portal, notes, young and the blocked one

    html = body(as_ann, f"{CHARTS}sites?show=out")

    assert html.count("<circle") == MAX_SITES
    assert f"{n_sites} sites, " in html
    assert f"{n_sites - 1} are undecided" in html
    assert f'id="site-{blocked.pk}"' in html
    rows = body(as_ann, f"{CHARTS}sites.csv").splitlines()
    assert len(rows) == 1 + n_sites

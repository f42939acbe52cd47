"""What a crawl keeps, against the labels."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from crawler.evaluation.experiments.made_web import make_web
from crawler.evaluation.keeping import Kept, crawl_and_keep
from crawler.evaluation.parsed import parse_snapshot
from tests.crawler.evaluation.small_snapshot import write_pages

WEB = make_web(3)


@pytest.mark.parametrize(
    ("kept", "figures"),
    [
        (Kept(10, 4, 2, 2), (2 / 3, 1.0, 0.5)),
        (Kept(10, 4, 8, 2), (1 / 3, 0.25, 0.5)),
        (Kept(10, 0, 3, 0), (0.0, 0.0, 0.0)),
        (Kept(0, 0, 0, 0), (0.0, 0.0, 0.0)),
    ],
)
def test_the_figures_of_a_crawl(kept: Kept, figures: tuple[float, float, float]) -> None:
    assert (kept.f1, kept.precision, kept.recall) == pytest.approx(figures)


def test_a_crawl_is_measured_without_its_seeds() -> None:
    topic = WEB.topics[0]
    pages = parse_snapshot(WEB, n_processes=1)

    kept = crawl_and_keep(WEB, pages, topic, judge="focus", n_pages=120)

    assert kept.n_fetched == 120 - len(topic.seeds)
    assert 0 < kept.n_right <= min(kept.n_kept, kept.n_on_topic)
    assert kept.f1 > 0.5


def test_the_command_tells_what_is_kept(
    tmp_path: Path, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    web = tmp_path / "web"
    web.mkdir()
    page = {
        "url": "http://h.test/",
        "host": "h.test",
        "title": "Relay",
        "html": "<p>relay coil</p>",
    }
    write_pages(web, [json.dumps(page)])
    (web / "links.tsv").write_text("src_url\tdst_url\tanchor\n")
    (web / "labels.tsv").write_text("url\tlabel\nhttp://h.test/\tT.Relay\n")
    (web / "ontology.tsv").write_text("label\tparent\tname\nT.Relay\t\tRelay\n")
    topic = {"topic": "T.Relay", "seeds": ["http://h.test/"], "pages": 1, "reachable": 1}
    (web / "topics.json").write_text(json.dumps([topic]))

    call_command(
        "evaluate_judge", str(web), "--judge", "cosine", "--crawl", "9", "--json",
        str(tmp_path / "kept.json"),
    )  # fmt: skip

    found = json.loads((tmp_path / "kept.json").read_text())["kept"]["cosine"]
    assert found["topics"]["T.Relay"]["n_fetched"] == found["mean_f1"] == 0
    assert "T.Relay" in capsys.readouterr().out

"""What a crawl keeps, against the labels."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from crawler.lab.evaluating import LAB, PRODUCT
from crawler.lab.experiments.made_web import make_topic_web
from crawler.lab.first_crawls import Kept, crawl_and_keep, first_crawl
from crawler.replay.parsed_snapshot import parse_snapshot
from tests.crawler.small_snapshot import write_pages

WEB = make_topic_web(3)


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

    [kept] = crawl_and_keep(WEB, pages, topic, judge="focus", n_pages=120)

    assert kept.n_fetched == 120 - len(topic.seeds)
    assert 0 < kept.n_right <= min(kept.n_kept, kept.n_on_topic)
    assert kept.f1 > 0.5
    assert 0 < kept.ap_unseen <= 1 and kept.f1_unseen == kept.f1


def test_answers_decide_about_their_pages_and_are_left_out_of_the_unseen() -> None:
    topic = WEB.topics[0]
    pages = parse_snapshot(WEB, n_processes=1)

    before, after = crawl_and_keep(WEB, pages, topic, judge="focus", n_pages=120, answers=(0, 7))

    assert (before.n_asked, after.n_asked) == (0, 7)
    assert (before.n_fetched, before.n_on_topic) == (after.n_fetched, after.n_on_topic)
    assert after.n_asked_on_topic <= min(after.n_right, 7)
    answered = after.n_asked_on_topic
    rest = 2 * (after.n_right - answered) / (after.n_kept + after.n_on_topic - 2 * answered)
    assert after.f1_unseen == pytest.approx(rest)


def test_the_laboratory_gives_the_judge_a_background() -> None:
    topic = WEB.topics[0]
    pages = parse_snapshot(WEB, n_processes=1)

    product, lab = (
        first_crawl(pages, topic, judge="focus", n_pages=40, conditions=conditions)
        for conditions in (PRODUCT, LAB)
    )

    assert (len(product.board.background), len(lab.board.background)) == (0, 300)
    assert lab.board.settings.max_depth_hops > product.board.settings.max_depth_hops == 30


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
        "evaluate_judge",
        str(web),
        "--judge",
        "cosine",
        "--crawl",
        "9",
        "--answers",
        "5",
        "--json",
        str(tmp_path / "kept.json"),
    )

    data = json.loads((tmp_path / "kept.json").read_text())
    assert (data["conditions"], data["answers"]) == ("product", 5)
    found = data["kept"]["cosine"]
    assert found["gain"] == {"mean_f1_before": 0, "mean": 0, "interval": [0, 0]}
    assert found["topics"]["T.Relay"]["n_fetched"] == found["mean_f1"] == 0
    assert "T.Relay" in capsys.readouterr().out


def test_the_reliability_of_a_crawl_counts_each_unseen_page_once() -> None:
    topic = WEB.topics[0]
    pages = parse_snapshot(WEB, n_processes=1)

    [kept] = crawl_and_keep(WEB, pages, topic, judge="focus", n_pages=120)

    assert sum(one.n_pages for one in kept.bins) == kept.n_fetched
    on_topic = sum(one.n_pages * one.relevant for one in kept.bins)
    assert on_topic == pytest.approx(kept.n_on_topic)
    assert all(
        0.1 * n <= one.relevance <= 0.1 * (n + 1) for n, one in enumerate(kept.bins) if one.n_pages
    )

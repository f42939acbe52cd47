"""Figures of judges, and parsed snapshots kept on disk."""

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from crawler.knowledge.judges.cosine_judge import CosineKind
from crawler.knowledge.profile import TopicProfile
from crawler.lab.judge_evaluation import (
    JudgedWeb,
    average_precision,
    by_relevance,
    evaluate_judge,
    reliability,
    with_concepts,
)
from crawler.page.article import article_text
from crawler.replay.parse_cache import cache_file, parsing_code
from crawler.replay.parsed_snapshot import parse_snapshot
from crawler.replay.snapshot import SnapshotTopic, read_snapshot
from crawler.text import fold
from tests.crawler.small_snapshot import write_pages

WORDS = ("relay", "violin")


@pytest.fixture
def web_folder(tmp_path: Path) -> Path:
    """Forty pages, every second of topic T.Relays; the first two are seeds."""
    folder = tmp_path / "web"
    folder.mkdir()
    urls = [f"http://h.test/{number}" for number in range(40)]
    pages = [
        {
            "url": url,
            "host": "h.test",
            "title": "page",
            "html": f"<p>{WORDS[number % 2]} {WORDS[number % 2]}s number{number}</p>",
        }
        for number, url in enumerate(urls)
    ]
    write_pages(folder, [json.dumps(page) for page in pages])
    (folder / "links.tsv").write_text("src_url\tdst_url\tanchor\n")
    rows = "".join(f"{url}\tT.Relays\n" for url in urls[::2])
    (folder / "labels.tsv").write_text("url\tlabel\n" + rows)
    (folder / "ontology.tsv").write_text(
        "label\tparent\tname\nT.Relays\t\tRelays\nT.Relays.A\tT.Relays\tArmature\n"
        "T.Relays.A.C\tT.Relays.A\tCoil\nT.Other\t\tOther\n"
    )
    topic = {"topic": "T.Relays", "seeds": urls[:4:2], "pages": 20, "reachable": 20}
    (folder / "topics.json").write_text(json.dumps([topic]))
    return folder


@pytest.fixture
def cache(settings: Settings, tmp_path: Path) -> Iterator[Path]:
    settings.DATA_DIR = tmp_path / "data"
    yield settings.DATA_DIR / "cache"


@pytest.mark.parametrize(
    ("hits", "n_relevant", "expected"),
    [
        ([1, 0, 1, 0], 2, (1 + 2 / 3) / 2),
        ([0, 0, 1], 1, 1 / 3),
        ([1, 1], 2, 1),
        ([1, 0], 2, 0.5),  # one was never ranked
        ([0, 0], 0, 0),
        ([], 3, 0),
    ],
)
def test_average_precision(hits: list[int], n_relevant: int, expected: float) -> None:
    assert average_precision(np.array(hits, bool), n_relevant) == pytest.approx(expected)


def test_equal_pages_keep_the_order_of_the_ties() -> None:
    order = by_relevance(np.array([0.2, 0.9, 0.2, 0.2]), np.array([3, 0, 1, 2]))

    assert order.tolist() == [1, 2, 3, 0]


def test_reliability_compares_what_was_said_with_what_is_true() -> None:
    bins = reliability(np.array([0.0, 0.05, 0.55, 0.59, 1.0]), np.array([0, 1, 1, 1, 0], bool))

    assert [one.n_pages for one in bins] == [2, 0, 0, 0, 0, 2, 0, 0, 0, 1]
    assert (bins[0].relevance, bins[0].relevant) == (0.025, 0.5)
    assert bins[5].relevance == pytest.approx(0.57)
    assert bins[5].relevant == 1.0
    assert (bins[9].relevance, bins[9].relevant) == (1.0, 0.0)


def test_a_judge_finds_the_pages_like_the_seeds(web_folder: Path) -> None:
    snapshot = read_snapshot(web_folder)
    web = JudgedWeb.of(snapshot, parse_snapshot(snapshot, n_processes=1))

    found = evaluate_judge(CosineKind(), web, snapshot.topics[0])
    lost = evaluate_judge(CosineKind(), web, replace(snapshot.topics[0], seeds=("h.test/1",)))

    assert (found.ap, found.ap_unseen) == (1.0, 1.0)
    assert lost.ap < 1.0  # a wrong seed beside the right name


def test_thumbs_are_shown_to_the_judge_and_left_out_of_the_unseen(web_folder: Path) -> None:
    snapshot = read_snapshot(web_folder)
    web = JudgedWeb.of(snapshot, parse_snapshot(snapshot, n_processes=1))
    wrong = replace(snapshot.topics[0], name="T.Violin", seeds=("h.test/1",))

    plain = evaluate_judge(CosineKind(), web, snapshot.topics[0])
    judged = evaluate_judge(CosineKind(), web, snapshot.topics[0], n_thumbs=18)
    none_right = evaluate_judge(CosineKind(), web, wrong, n_thumbs=5)

    assert plain.ap_unseen == 1.0
    assert judged.ap_unseen == 0.0  # all relevant pages were seeds or thumbs
    assert none_right.ap == 0.0


def test_the_subtree_of_a_label_becomes_concepts(web_folder: Path) -> None:
    snapshot = read_snapshot(web_folder)

    profile = with_concepts(TopicProfile("relays"), snapshot, snapshot.topics[0])

    assert [(c.text, c.degree) for c in profile.concepts] == [
        ("Armature", 0.8),
        ("Coil", pytest.approx(0.64)),
    ]


def test_a_label_without_a_subtree_brings_no_concepts(web_folder: Path) -> None:
    snapshot = read_snapshot(web_folder)
    topic = SnapshotTopic("T.Other", (), 0, 0, {})

    assert with_concepts(TopicProfile("other"), snapshot, topic).concepts == ()


def test_parsed_pages_are_read_from_the_cache(web_folder: Path, cache: Path) -> None:
    snapshot = read_snapshot(web_folder)
    first = parse_snapshot(snapshot, n_processes=1, cache=cache)
    progress: list[int] = []

    again = parse_snapshot(replace(snapshot, pages={}), cache=cache)  # nothing left to parse
    parse_snapshot(snapshot, cache=cache, progress=progress.append)

    assert again == first
    assert progress == [40]
    assert len(list(cache.iterdir())) == 1


def test_a_damaged_cache_is_replaced(
    web_folder: Path, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    snapshot = read_snapshot(web_folder)
    first = parse_snapshot(snapshot, n_processes=1, cache=cache)
    cache_file(snapshot, cache).write_bytes(b"\xff half a file")

    with caplog.at_level(logging.WARNING):
        again = parse_snapshot(snapshot, n_processes=1, cache=cache)

    assert again == first
    assert "damaged" in caplog.text
    assert parse_snapshot(replace(snapshot, pages={}), cache=cache) == first


def test_pages_are_parsed_again_after_a_change_of_any_module_that_parses() -> None:
    assert {Path(fold.__file__), Path(article_text.__file__)} <= {*parsing_code()}


def test_changed_pages_are_kept_apart(web_folder: Path, cache: Path) -> None:
    snapshot = read_snapshot(web_folder)
    before = cache_file(snapshot, cache)
    page = {"url": "http://h.test/0", "host": "h.test", "title": "", "html": "<p>new</p>"}
    write_pages(web_folder, [json.dumps(page)])

    assert cache_file(snapshot, cache) != before


def test_the_command_writes_every_judge_and_topic(
    web_folder: Path, cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("evaluate_judge", str(web_folder), "--json", str(tmp_path / "out" / "j.json"))

    data = json.loads((tmp_path / "out" / "j.json").read_text())["judges"]
    assert {"focus", "cosine", "ontology", "content", "adaptive", "overlap"} <= set(data)
    assert data["cosine"]["mean_ap"] == data["cosine"]["topics"]["T.Relays"]["ap"] == 1.0
    assert 0 <= data["focus"]["brier"] <= 1
    assert set(data["focus"]["topics"]["T.Relays"]) >= {"ap", "brier"}
    assert sum(one["n_pages"] for one in data["focus"]["bins"]) == 40
    assert "mean AP" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--judge", "nobody"], "no judge 'nobody'; there are"),
        (["--thumbs", "-1"], "--thumbs: must be at least 0"),
        (["--crawl", "9", "--answers", "-1"], "--answers: must be at least 0, got -1"),
        (["--seed", "-1"], "--seed: must be at least 0, got -1"),
        (["--answers", "5"], "--answers and --conditions need --crawl"),
        (["--conditions", "lab"], "--answers and --conditions need --crawl"),
        (["--crawl", "0"], "--crawl: must be at least 1, got 0"),
    ],
)
def test_wrong_arguments_are_said(
    web_folder: Path, cache: Path, arguments: list[str], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("evaluate_judge", str(web_folder), *arguments)


def test_a_folder_that_is_no_snapshot_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("evaluate_judge", str(tmp_path))

"""Evaluations and experiments, on a made-up web: from the crawl to the written figures."""

import json
import resource
import signal
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from crawler.crawl.manager import BatchLimits
from crawler.errors import ConfigurationError
from crawler.lab.evaluating import (
    LAB,
    PRODUCT,
    EvaluatedCrawl,
    Plan,
    crawl_topic,
    evaluate,
    known_pages,
    truth_of,
    variant,
)
from crawler.lab.experiments.made_web import make_topic_web
from crawler.management.commands.evaluate import require_writable, write_file
from crawler.page.parsed import ParsedPage
from crawler.replay.metrics import measure
from crawler.replay.oracle import breadth_first_order, followable_links, link_label_order
from crawler.replay.parsed_snapshot import parse_snapshot
from focusweb.charts.line_chart import LineChart, LineSeries, round_steps, svg

WEB = make_topic_web(3)
ONE_BY_ONE = replace(LAB, limits=BatchLimits(slice_pages=1))
PLAN = Plan(judge="cosine", conditions=ONE_BY_ONE)


@pytest.fixture(scope="module")
def pages() -> dict[str, ParsedPage]:
    return parse_snapshot(WEB, n_processes=1)


def test_the_breadth_first_end_is_the_crawl_of_that_name(pages: dict[str, ParsedPage]) -> None:
    topic = WEB.topics[0]

    done = crawl_topic(pages, WEB, "breadth_first", topic, PLAN)

    order = breadth_first_order(followable_links(pages), topic.seeds)
    assert list(done.fetched) == order[: len(done.fetched)]


def test_who_knows_the_labels_finds_more_than_any_strategy(pages: dict[str, ParsedPage]) -> None:
    topic = WEB.topics[1]
    truth = truth_of(WEB, topic)
    order = link_label_order(followable_links(pages), topic.seeds, truth.relevant)

    oracle = measure(order, truth, 100)
    focus = crawl_topic(pages, WEB, "focus", topic, PLAN).measured

    assert len(set(order)) == len(order)
    assert oracle.auc > focus.auc


def test_every_crawl_is_answered_with_both_ends(pages: dict[str, ParsedPage]) -> None:
    done = list(evaluate(WEB, pages, ["random"], WEB.topics[:2], PLAN, n_processes=1))

    assert sorted((crawled.strategy, crawled.topic) for crawled in done) == sorted(
        (name, topic.name)
        for name in ("oracle", "breadth_first", "random")
        for topic in WEB.topics[:2]
    )


def test_background_pages_are_drawn_without_the_seeds(pages: dict[str, ParsedPage]) -> None:
    seeds = WEB.topics[0].seeds

    drawn = known_pages(pages, exclude=seeds, seed=1)

    assert len(drawn) == 300
    assert not any(terms is pages[seed].terms for terms in drawn for seed in seeds)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("focus", ("focus", {})),
        ("focus:site=0:interval=50", ("focus", {"site": 0.0, "interval": 50.0})),
    ],
)
def test_a_variant_is_a_name_with_parameters(
    text: str, expected: tuple[str, dict[str, float]]
) -> None:
    assert variant(text) == expected


def test_a_parameter_that_is_no_number_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="got 'site=much'"):
        variant("focus:site=much")


def test_evaluate_writes_table_figures_and_curves(snapshot_folder: Path, tmp_path: Path) -> None:
    out, file = StringIO(), tmp_path / "figures.json"

    call_command(
        "evaluate",
        snapshot_folder,
        strategies="best_first,random",
        json_file=file,
        plots=tmp_path / "plots",
        judge="cosine",
        processes=1,
        stdout=out,
    )

    data = json.loads(file.read_text("utf-8"))
    assert set(data["strategies"]) == {"best_first", "random", "breadth_first"}
    assert {
        "recall_1x",
        "recall_2x",
        "recall_5x",
        "harvest_2x",
        "normalised_2x",
        "auc",
        "cpu_s",
        "topics",
        "domain_recall",
        "requests_per_relevant",
        "n_links",
        "cpu_ms_per_link",
    } <= set(data["strategies"]["random"]) & set(data["oracle"])
    assert set(data["overlap"]) == {
        "best_first & breadth_first",
        "best_first & random",
        "breadth_first & random",
    }
    assert (data["conditions"], data["background"]) == ("product", 0)
    assert "best_first against breadth_first" in out.getvalue()
    assert (tmp_path / "plots/recall.svg").read_text("utf-8").startswith("<svg")


def test_evaluate_names_the_laboratory_where_it_was_asked_for(
    snapshot_folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "figures.json"

    call_command(
        "evaluate",
        snapshot_folder,
        strategies="breadth_first",
        topics=["1"],
        processes=1,
        judge="cosine",
        conditions="lab",
        json_file=file,
        stdout=(out := StringIO()),
    )

    data = json.loads(file.read_text("utf-8"))
    assert (data["conditions"], data["background"]) == ("lab", 300)
    assert "conditions lab, background 300" in out.getvalue()


def test_evaluate_says_what_of_a_snapshot_it_skipped(snapshot_folder: Path, tmp_path: Path) -> None:
    with (snapshot_folder / "labels.tsv").open("a", encoding="utf-8") as labels:
        labels.write("http://a.test:25/\tT\nhttp://a.test./\tT\n")
    out, file = StringIO(), tmp_path / "figures.json"

    call_command(
        "evaluate",
        snapshot_folder,
        strategies="random",
        json_file=file,
        judge="cosine",
        processes=1,
        stdout=out,
    )

    assert "skipped, as no crawl may fetch their addresses: 2 labels" in out.getvalue()
    assert json.loads(file.read_text("utf-8"))["skipped"] == {"labels": 2}


def test_a_judge_without_background_learns_from_the_crawl_alone(
    pages: dict[str, ParsedPage],
) -> None:
    def crawled(n_known: int) -> EvaluatedCrawl:
        plan = Plan(judge="focus", conditions=replace(PRODUCT, n_known=n_known))
        topic = replace(WEB.topics[0], pages=12)
        return crawl_topic(pages, WEB, "best_first", topic, plan)

    alone, helped = crawled(0), crawled(300)

    # Without pages to learn from, the first verdicts are others, and so is the order.
    assert alone.fetched != helped.fetched
    assert helped.n_links > len(helped.fetched)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"strategies": "fastest"}, "no strategy 'fastest'; there are adaptive"),
        ({"strategies": ","}, "name at least one"),
        ({"strategies": "focus:shoe=1"}, "strategy focus: unknown parameter shoe"),
        ({"strategies": "focus:interval=x"}, "NAME=NUMBER, got 'interval=x'"),
        ({"strategies": "genetic:mutation=0.5"}, "crossover and mutation must sum to 1, got 0.8"),
        ({"strategies": "ontology:drop_below=0.6"}, "must be less than direct_from, got 0.6 and"),
        ({"topics": ["Nobody"]}, "no topic 'Nobody'"),
        ({"topics": ["0"]}, "at least 1 topic"),
        ({"budget": "much"}, "--budget: 2x, 0.5x or 500"),
        ({"budget": "9" * 400 + "x"}, "--budget: 2x, 0.5x or 500"),
        ({"processes": -1}, "--processes: must be at least 0, got -1"),
        ({"seed": -1}, "--seed: must be at least 0, got -1"),
        ({"judge": "nobody"}, "no judge 'nobody'"),
        ({"background": "many"}, "--background: \"own\" or a number of pages, got 'many'"),
    ],
)
def test_a_wrong_wish_is_answered_in_one_line(
    snapshot_folder: Path, options: dict[str, object], said: str
) -> None:
    with pytest.raises(CommandError, match=said) as caught:
        call_command("evaluate", snapshot_folder, **options)
    assert "\n" not in str(caught.value)


def test_a_result_replaces_the_old_one_in_one_step(tmp_path: Path) -> None:
    file = tmp_path / "new" / "figures.json"
    write_file(file, b"old")
    with file.open("rb") as reader:
        write_file(file, b"new")

        assert reader.read() == b"old"
    assert file.read_bytes() == b"new"
    assert [one.name for one in file.parent.iterdir()] == ["figures.json"]


def test_a_link_to_a_result_stays_a_link(tmp_path: Path) -> None:
    link, file = tmp_path / "link", tmp_path / "file"
    link.symlink_to(file)

    write_file(link, b"figures")

    assert link.is_symlink()
    assert file.read_bytes() == b"figures"


@pytest.mark.parametrize(
    ("command", "option"),
    [("evaluate", "json_file"), ("evaluate", "plots"), ("evaluate_judge", "json_file")],
)
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    snapshot_folder: Path, tmp_path: Path, command: str, option: str
) -> None:
    (tmp_path / "file").touch()
    out = StringIO()

    with pytest.raises(CommandError, match="cannot be written"):
        call_command(command, snapshot_folder, stdout=out, **{option: tmp_path / "file" / "new"})

    assert out.getvalue() == ""


def test_a_folder_in_the_place_of_the_figures_is_refused_and_others_are_not(
    tmp_path: Path,
) -> None:
    options = {"plots": None}
    (tmp_path / "figures.json").write_text("older")

    require_writable(options | {"json_file": tmp_path / "figures.json"})
    require_writable(options | {"json_file": Path("/dev/stdout")})
    with pytest.raises(CommandError, match=r"cannot be written \(Is a directory\)"):
        require_writable(options | {"json_file": tmp_path})

    assert [one.name for one in tmp_path.iterdir()] == ["figures.json"]
    assert (tmp_path / "figures.json").read_text() == "older"


def test_a_result_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    size = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, size[1]))
    try:
        with pytest.raises(CommandError, match=r"cannot be written \(File too large\)"):
            write_file(tmp_path / "figures.json", b"0" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, size)
        signal.signal(signal.SIGXFSZ, ignored)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["viterbi", "--webs", "0"], "--webs: must be at least 1, got 0"),
        (["viterbi", "--runs", "-2"], "--runs: must be at least 1, got -2"),
        (["all", "--seed", "-1"], "--seed: must be at least 0, got -1"),
    ],
)
def test_an_experiment_that_cannot_be_made_is_refused(arguments: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("experiment", *arguments)


def test_a_line_chart_shows_every_line_and_escapes_its_names() -> None:
    chart = LineChart(
        "a < b",
        "x",
        "y",
        (LineSeries("one & two", ((0.0, 0.0), (4.0, 0.5))), LineSeries("none", ())),
    )

    drawn = svg(chart)

    assert "one &amp; two" in drawn
    assert "a &lt; b" in drawn
    assert drawn.count('stroke-width="2"') == 3  # a line, and two in the legend


def test_long_names_of_lines_are_written_small() -> None:
    long = "genetic:crossover=0.7:mutation=0.3"
    chart = LineChart("recall", "x", "y", (LineSeries("focus", ()), LineSeries(long, ())))

    drawn = svg(chart)

    assert f'font-size="8">{long}<' in drawn
    assert 'font-size="12">focus<' in drawn


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        (1.0, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.77, [0, 0.2, 0.4, 0.6]),
        (5.0, [0, 1, 2, 3, 4, 5]),
        (50.0, [0, 10, 20, 30, 40, 50]),
        (0.013, [0, 0.0025, 0.005, 0.0075, 0.01, 0.0125]),
    ],
)
def test_an_axis_has_round_steps(span: float, expected: list[float]) -> None:
    assert round_steps(span) == pytest.approx(expected)

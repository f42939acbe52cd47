"""The papers' experiments, on a made-up web: what counts as relevant, and the verdicts."""

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from crawler.lab.evaluating import LAB, Plan, truth_of
from crawler.lab.experiments.adaptive import run_adaptive
from crawler.lab.experiments.claim import Claim, Findings, Margin, Outcome, ahead, claim, margin
from crawler.lab.experiments.genetic import run_genetic
from crawler.lab.experiments.made_web import make_topic_web
from crawler.lab.experiments.on_webs import ExperimentSetup
from crawler.lab.experiments.ontology import concepts_of, run_ontology
from crawler.lab.experiments.random_web import CHOSEN, DynamicCrawl, RandomWeb, best
from crawler.lab.experiments.text_similarity import truths_by_text
from crawler.lab.experiments.viterbi import run_viterbi
from crawler.page.parsed import ParsedPage
from crawler.replay.parsed_snapshot import parse_snapshot
from crawler.replay.snapshot import LabelRow

WEB = make_topic_web(3)
PLAN = Plan(judge="cosine", conditions=LAB)


@pytest.fixture(scope="module")
def pages() -> dict[str, ParsedPage]:
    return parse_snapshot(WEB, n_processes=1)


def test_concepts_come_from_the_labels_below_a_topic(pages: dict[str, ParsedPage]) -> None:
    tree = (LabelRow("A", "", "A"), LabelRow("A.B", "A", "sub_b"), LabelRow("C", "", "C"))
    snapshot = type(WEB)(WEB.folder, WEB.pages, (), WEB.labels, WEB.topics, tree)
    topic = type(WEB.topics[0])("A", WEB.topics[0].seeds, 1, 1, {})

    concepts = concepts_of(snapshot, topic)

    assert [(concept.text, concept.degree) for concept in concepts] == [("A", 1.0), ("sub b", 0.8)]


@pytest.mark.parametrize(
    ("run", "n_crawls", "n_claims"),
    [(run_ontology, 4, 3), (run_adaptive, 8, 5), (run_genetic, 8, 5)],
)
def test_each_claim_of_an_experiment_has_a_verdict(
    pages: dict[str, ParsedPage],
    run: Callable[..., Findings],
    n_crawls: int,
    n_claims: int,
) -> None:
    steps: list[int] = []

    findings = run(
        ExperimentSetup(WEB, pages, WEB.topics[:1], PLAN, 1), progress=lambda: steps.append(1)
    )

    assert len(steps) == n_crawls  # with the oracle, and with the floor
    assert len(findings.claims) == n_claims
    for found in findings.claims:
        assert found.paper and found.ours and found.measured and found.margins
        assert bool(found.reason) is (found.outcome is not Outcome.REPRODUCED)
        assert all(one.low <= one.mean <= one.high for one in found.margins)
    assert {"strategies", "by_text"} <= findings.figures.keys()


def test_runs_in_layers_are_measured_on_random_webs() -> None:
    findings = run_viterbi(seed=0, progress=lambda: None, n_runs=2, n_repeats=1)

    assert len(findings.claims) == 7
    by_text = {found.text: found for found in findings.claims}
    few = by_text["A run looks at far fewer pages than PageRank and static"]
    assert few.outcome is Outcome.REPRODUCED
    assert set(findings.charts) == {"recall_s_1", "recall_s_median"}


def test_pages_like_a_topic_are_mostly_its_own(pages: dict[str, ParsedPage]) -> None:
    topic = WEB.topics[0]

    truth = truths_by_text(pages, [topic])[topic.name]

    own = truth_of(WEB, topic).relevant
    assert len(truth.relevant) == topic.pages
    assert len(truth.relevant & own) > 0.9 * topic.pages
    assert truth.reachable <= topic.pages


@pytest.mark.parametrize(
    ("lows", "means", "least", "expected"),
    [
        ((0.01,), (0.02,), 0.0, Outcome.REPRODUCED),
        ((-0.01,), (0.02,), 0.0, Outcome.PARTLY),
        ((-0.02,), (-0.01,), 0.0, Outcome.NOT),
        ((0.01, -0.02), (0.02, -0.01), 0.0, Outcome.PARTLY),
        ((0.01,), (0.02,), 0.015, Outcome.PARTLY),
        ((-0.04,), (-0.03,), -0.05, Outcome.REPRODUCED),
    ],
)
def test_an_outcome_follows_from_the_margins(
    lows: Sequence[float], means: Sequence[float], least: float, expected: Outcome
) -> None:
    margins = [Margin("", mean, low, 1.0) for low, mean in zip(lows, means, strict=True)]

    assert ahead(margins, least) is expected


def test_a_claim_holds_in_full_only_by_both_measures() -> None:
    holds, fails = Margin("", 0.2, 0.1, 0.3), Margin("", -0.2, -0.3, -0.1)

    def of(*margins: Margin) -> Claim:
        measures = [[one] for one in margins]
        return claim("", paper="", ours="", measured="", margins=measures, unless="why")

    assert (of(holds, holds).outcome, of(holds, holds).reason) == (Outcome.REPRODUCED, "")
    assert (of(holds, fails).outcome, of(holds, fails).reason) == (Outcome.PARTLY, "why")
    assert of(fails, fails).outcome is Outcome.NOT


def test_a_margin_is_paired_by_topic() -> None:
    found = margin("x", {"a": 0.5, "b": 0.9}, {"b": 0.7, "a": 0.3})

    assert found.mean == pytest.approx(0.2)
    assert found.low == pytest.approx(0.2)
    assert found.high == pytest.approx(0.2)


def test_a_run_in_layers_ends_with_a_ring_and_finds_the_page_that_all_others_link_to() -> None:
    children = [[(n + 1) % 60, (n * 7) % 60, 5] for n in range(60)]
    crawl = DynamicCrawl(RandomWeb(children, np.zeros(60)), saturation=1.0, layer_pages=4)

    n_fetched = [crawl.run(random.Random(2)) for _ in range(5)]

    assert max(n_fetched) < 60  # no run needs the whole web
    assert 5 in crawl.best(1.0)


def test_the_best_five_break_ties_by_number() -> None:
    assert best(np.zeros(9)) == frozenset(range(5))
    assert len(set(CHOSEN)) == 5

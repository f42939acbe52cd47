"""The papers' experiments, on a made-up web: what counts as relevant, and the verdicts."""

import random
from collections.abc import Callable

import numpy as np
import pytest

from crawler.lab.evaluating import LAB, Plan, truth_of
from crawler.lab.experiments.adaptive import run_adaptive
from crawler.lab.experiments.alike import truths_by_text
from crawler.lab.experiments.claim import Findings, Outcome, outcome_of, together
from crawler.lab.experiments.genetic import run_genetic
from crawler.lab.experiments.made_web import make_web
from crawler.lab.experiments.on_webs import Field
from crawler.lab.experiments.ontology import concepts_of, run_ontology
from crawler.lab.experiments.random_web import CHOSEN, DynamicCrawl, RandomWeb, best
from crawler.page.parsed import ParsedPage
from crawler.replay.parsed_snapshot import parse_snapshot
from crawler.replay.snapshot import OntologyRow

WEB = make_web(3)
PLAN = Plan(judge="cosine", conditions=LAB)


@pytest.fixture(scope="module")
def pages() -> dict[str, ParsedPage]:
    return parse_snapshot(WEB, n_processes=1)


def test_concepts_come_from_the_labels_below_a_topic(pages: dict[str, ParsedPage]) -> None:
    tree = (OntologyRow("A", "", "A"), OntologyRow("A.B", "A", "sub_b"), OntologyRow("C", "", "C"))
    snapshot = type(WEB)(WEB.folder, WEB.pages, (), WEB.labels, WEB.topics, tree)
    topic = type(WEB.topics[0])("A", WEB.topics[0].seeds, 1, 1, {})

    concepts = concepts_of(snapshot, topic)

    assert [(concept.text, concept.degree) for concept in concepts] == [("A", 1.0), ("sub b", 0.8)]


@pytest.mark.parametrize(
    ("run", "n_crawls", "n_claims"), [(run_ontology, 4, 3), (run_adaptive, 6, 4)]
)
def test_each_claim_of_an_experiment_has_a_verdict(
    pages: dict[str, ParsedPage],
    run: Callable[..., Findings],
    n_crawls: int,
    n_claims: int,
) -> None:
    steps: list[int] = []

    findings = run(Field(WEB, pages, WEB.topics[:1], PLAN, 1), progress=lambda: steps.append(1))

    assert len(steps) == n_crawls  # the adaptive one's oracle is one more
    assert len(findings.claims) == n_claims
    assert all(claim.paper and claim.ours and claim.reason for claim in findings.claims)
    assert {"strategies", "by_text"} <= findings.figures.keys()


def test_generations_are_told_by_labels_and_by_text(pages: dict[str, ParsedPage]) -> None:
    findings = run_genetic(Field(WEB, pages, WEB.topics[:1], PLAN, 1), progress=lambda: None)

    assert len(findings.claims) == 4
    assert all("by text" in claim.ours for claim in findings.claims)
    assert set(findings.charts) == {"recall", "recall_by_text"}


def test_pages_like_a_topic_are_mostly_its_own(pages: dict[str, ParsedPage]) -> None:
    topic = WEB.topics[0]

    truth = truths_by_text(pages, [topic])[topic.name]

    own = truth_of(WEB, topic).relevant
    assert len(truth.relevant) == topic.pages
    assert len(truth.relevant & own) > 0.9 * topic.pages
    assert truth.reachable <= topic.pages


@pytest.mark.parametrize(
    ("holds", "expected"),
    [
        ((True, True), Outcome.REPRODUCED),
        ((True, False), Outcome.PARTLY),
        ((False, False), Outcome.NOT),
    ],
)
def test_a_claim_holds_in_full_only_by_both_measures(
    holds: tuple[bool, bool], expected: Outcome
) -> None:
    assert together(map(outcome_of, holds)) is expected


def test_a_run_in_layers_finds_the_page_that_all_others_link_to() -> None:
    children = [[(n + 1) % 60, (n * 7) % 60, 5] for n in range(60)]
    crawl = DynamicCrawl(RandomWeb(children, np.zeros(60)), scale=1.0, layer_pages=4)

    for _ in range(5):
        assert crawl.run(random.Random(2)) <= 60

    assert 5 in crawl.best()


def test_the_best_five_break_ties_by_number() -> None:
    assert best(np.zeros(9)) == frozenset(range(5))
    assert len(set(CHOSEN)) == 5

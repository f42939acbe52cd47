"""The third paper's experiment: inherited value and its own judge against plain orders."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from statistics import fmean

from crawler.lab.experiments.claim import (
    Claim,
    Findings,
    Progress,
    by_labels_and_text,
    claim,
    margin,
)
from crawler.lab.experiments.on_webs import Crawls, ExperimentSetup, crawl_all

#: The paper's best-first uses pages only, not anchors.
OURS, BF, PR, GENERAL = "adaptive", "best_first:anchor_weight=0", "pagerank", "breadth_first"
#: Blocked channels are given up: the genetic factor switched off.
OFF = "adaptive:factor=0"
STRATEGIES = (OURS, OFF, BF, PR, GENERAL)
#: The paper's judge; the rivals have the plain one of the plan.
JUDGES = {OURS: "adaptive", OFF: "adaptive"}
#: "Within a few points" of a rival's precision.
FEW_POINTS = 0.05


def run_adaptive(web: ExperimentSetup, *, progress: Progress) -> Findings:
    """Crawl every topic under the paper's strategy and judge, its rivals, and without the factor.

    The paper counts pages whose cosine with the topic reaches a threshold; elsewhere here people's
    labels are the truth. Both are reported.
    """
    labels = crawl_all(web, STRATEGIES, progress, judges=JUDGES)
    text = labels.by_text()
    figures = {
        **_figures(labels),
        "by_text": _figures(text),
        "discovered": {name: labels.discovered(name) for name in STRATEGIES},
    }
    charts = {"recall": labels.chart(), "recall_by_text": text.chart()}
    return Findings(tuple(_claims((labels, text))), figures, charts)


def _figures(crawls: Crawls) -> dict[str, object]:
    kept = {
        name: {topic: asdict(pages) for topic, pages in crawls.kept(name).items()}
        for name in STRATEGIES
    }
    return {"strategies": crawls.figures(), "kept": kept}


def _claims(measures: Sequence[Crawls]) -> Iterable[Claim]:
    yield _late_recall(measures)
    share = [{name: by.mean(name, "harvest") for name in (OURS, BF, PR)} for by in measures]
    yield claim(
        "Precision is within a few points of both",
        paper="a few points lower",
        ours=by_labels_and_text(
            f"{p[OURS]:.1%}, best-first {p[BF]:.1%}, PageRank {p[PR]:.1%}" for p in share
        ),
        measured="found pages per fetch at the budget",
        margins=[[by.margin(OURS, rival, "harvest") for rival in (BF, PR)] for by in measures],
        least=-FEW_POINTS,
        unless="the interval reaches below five points",
    )
    yield _general(measures)
    recall = [{name: by.mean(name, "recall_5x") for name in (OURS, OFF)} for by in measures]
    yield claim(
        "The genetic factor keeps pages that others give up",
        paper="higher recall late in the crawl",
        ours=by_labels_and_text(f"recall {r[OURS]:.3f}, without {r[OFF]:.3f}" for r in recall),
        measured="factor 0.7 against giving blocked channels up, at five times the topic's size",
        margins=[[by.margin(OURS, OFF, "recall_5x")] for by in measures],
        unless="what is given up is found through other links, or is not relevant",
    )
    yield _judge(measures)


def _late_recall(measures: Sequence[Crawls]) -> Claim:
    late = [{name: by.mean(name, "recall_5x") for name in (OURS, BF, PR)} for by in measures]
    return claim(
        "Recall late in the crawl is clearly above best-first and PageRank",
        paper="clearly above both",
        ours=by_labels_and_text(
            f"{r[OURS]:.3f}, best-first {r[BF]:.3f}, PageRank {r[PR]:.3f}" for r in late
        ),
        measured="recall at five times the topic's size",
        margins=[[by.margin(OURS, rival, "recall_5x") for rival in (BF, PR)] for by in measures],
        unless="best-first gives no link up here, so that late in the crawl it comes to the same"
        " pages",
    )


def _general(measures: Sequence[Crawls]) -> Claim:
    found = measures[0].discovered(OURS), measures[0].discovered(GENERAL)
    ours, general = (fmean(by_topic.values()) for by_topic in found)
    discarded = fmean(kept.n_discarded for kept in measures[0].kept(OURS).values())
    kept = fmean(kept.n_kept for kept in measures[0].kept(OURS).values())
    recall = [{name: by.mean(name, "recall_5x") for name in (OURS, GENERAL)} for by in measures]
    fewer = margin("addresses discovered, breadth_first - adaptive", found[1], found[0])
    return claim(
        "More relevant pages than a general crawler, for fewer discovered",
        paper="2106 relevant, 1632 discarded of 3745 discovered; 1849 relevant of 5618",
        ours=by_labels_and_text(
            f"recall {r[OURS]:.3f}, breadth-first {r[GENERAL]:.3f}" for r in recall
        )
        + f"; discovered {ours:.0f} against {general:.0f}; kept {kept:.0f}, discarded"
        f" {discarded:.0f}",
        measured="the general crawler is breadth-first; addresses in the frontier at the end, and"
        " pages that the judge kept or discarded, means over the topics",
        margins=[[by.margin(OURS, GENERAL, "recall_5x"), fewer] for by in measures],
        unless="our general crawler fetches as many pages as ours does, and relevant pages do not"
        " have fewer links",
    )


def _judge(measures: Sequence[Crawls]) -> Claim:
    kept = [{name: by.kept(name) for name in (OURS, BF)} for by in measures]
    precision = [
        {name: {t: pages.precision for t, pages in of.items()} for name, of in by.items()}
        for by in kept
    ]
    return claim(
        "The adaptive vector space model finds relevant pages more exactly",
        paper="yes, without a figure",
        ours=by_labels_and_text(
            f"precision of what is kept {fmean(p[OURS].values()):.1%}, cosine"
            f" {fmean(p[BF].values()):.1%}"
            for p in precision
        ),
        measured="pages kept by the adaptive judge under its strategy, and by the cosine judge"
        " under best-first, at five times the topic's size",
        margins=[
            [margin("precision of kept pages, adaptive - cosine", p[OURS], p[BF])]
            for p in precision
        ],
        unless="rule 3 lowers the threshold as long as few pages pass it",
    )

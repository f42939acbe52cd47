"""The fourth paper's experiment: generations against best-first and HITS."""

from collections.abc import Mapping, Sequence
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
GA, BF, HITS = "genetic", "best_first:anchor_weight=0", "hits"
#: Shares of hubs that are tried beside the paper's 0.2.
SWEEP = (0.1, 0.3, 0.4)
STRATEGIES = (GA, BF, HITS, *(f"{GA}:crossover={1 - m:g}:mutation={m:g}" for m in SWEEP))
#: By share of hubs.
BY_SHARE = {0.2: GA} | dict(zip(SWEEP, STRATEGIES[3:], strict=True))
#: Rivals that share so much of what they find come to many of the same pages.
MANY_SHARED = 0.5
#: A difference of recall or harvest below this hardly matters.
NO_MATTER = 0.01


def run_genetic(web: ExperimentSetup, *, progress: Progress) -> Findings:
    """Crawl every topic under the three strategies and four shares of hubs.

    The web's own links stand for the stored ones: the paper has the pages that link to the
    seeds from a search engine. The paper counts pages whose text is like the query. Elsewhere
    here people's labels are the truth. Both are reported.
    """
    labels = crawl_all(web.with_stored_links(), STRATEGIES, progress)
    text = labels.by_text()
    measures = (labels, text)
    claims = (
        _early(measures),
        _late(measures),
        _overlap(measures),
        _sweep(measures),
        _like_best_first(measures),
    )
    figures = {
        "strategies": labels.figures(),
        "overlap": labels.overlaps(),
        "by_text": {"strategies": text.figures(), "overlap": text.overlaps()},
    }
    charts = {"recall": labels.chart(), "recall_by_text": text.chart()}
    return Findings(claims, figures, charts)


def _early(measures: Sequence[Crawls]) -> Claim:
    early = [{name: by.early_harvest(name) for name in (GA, BF)} for by in measures]
    return claim(
        "Early in the crawl best-first is a little ahead",
        paper="GA 54.3 % < BF 57.3 %",
        ours=by_labels_and_text(f"GA {_mean(s[GA])}, BF {_mean(s[BF])}" for s in early),
        measured="relevant share of the first half of the budget",
        margins=[[margin("harvest, BF - GA", s[BF], s[GA])] for s in early],
        unless="generations begin with the best authorities around the seeds, by stored links",
    )


def _late(measures: Sequence[Crawls]) -> Claim:
    late = [
        {name: by.of_topics(name, "late_harvest") for name in (GA, BF, HITS)} for by in measures
    ]
    return claim(
        "Late in the crawl generations are ahead of best-first, and that of HITS",
        paper="GA 61.8 % > BF 41.7 % > HITS 31 %",
        ours=by_labels_and_text(
            f"GA {_mean(s[GA])}, BF {_mean(s[BF])}, HITS {_mean(s[HITS])}" for s in late
        ),
        measured="relevant share of the second half of the budget",
        margins=[
            [
                margin("late harvest, GA - BF", s[GA], s[BF]),
                margin("late harvest, BF - HITS", s[BF], s[HITS]),
            ]
            for s in late
        ],
        unless="what generations find early is missing late, and fitness sees only the few words"
        " of the query in anchors and addresses",
    )


def _overlap(measures: Sequence[Crawls]) -> Claim:
    shared = [
        {pair: by.overlap(*pair) for pair in ((GA, BF), (GA, HITS), (BF, HITS))} for by in measures
    ]
    return claim(
        "Generations find other pages than both rivals",
        paper="GA&BF 56.7 %, GA&HITS 42.7 %, BF&HITS 76.3 %",
        ours=by_labels_and_text(
            f"GA&BF {_mean(s[GA, BF])}, GA&HITS {_mean(s[GA, HITS])}, BF&HITS {_mean(s[BF, HITS])}"
            for s in shared
        ),
        measured="overlap of the relevant pages found within the budget",
        margins=[
            [
                margin("overlap, BF&HITS - GA&BF", s[BF, HITS], s[GA, BF]),
                margin("overlap, BF&HITS - GA&HITS", s[BF, HITS], s[GA, HITS]),
            ]
            for s in shared
        ],
        unless=_why_shared(shared),
    )


def _sweep(measures: Sequence[Crawls]) -> Claim:
    recall = [
        {share: by.of_topics(name, "recall") for share, name in BY_SHARE.items()} for by in measures
    ]
    return claim(
        "A share of hubs of 15 to 25 % is best, more is worse",
        paper="best 15-25 %",
        ours=by_labels_and_text(
            ", ".join(f"{share:.0%}: {fmean(by[share].values()):.3f}" for share in sorted(by))
            for by in recall
        ),
        measured="recall at the budget. *Resolved*: the paper's last paragraph says crossover and"
        " means the share of hubs",
        margins=[
            [
                margin(f"recall, 20 % - {other:.0%} of hubs", by[0.2], by[other])
                for other in sorted(SWEEP)
            ]
            for by in recall
        ],
        unless=_why_not_best(recall),
    )


def _why_shared(shared: Sequence[Mapping[tuple[str, str], Mapping[str, float]]]) -> str:
    """Why generations share as many pages with a rival as the rivals do with each other."""
    of_rivals = fmean(value for by in shared for value in by[BF, HITS].values())
    if of_rivals >= MANY_SHARED:
        return "within the budget all three come to many of the same pages"
    return "HITS shares few pages with best-first here, so that generations share more with both"


def _why_not_best(recall: Sequence[Mapping[float, Mapping[str, float]]]) -> str:
    """Why a share of hubs of 20 % is not the best."""
    means = [fmean(value for by in recall for value in by[share].values()) for share in BY_SHARE]
    if max(means) - min(means) < NO_MATTER:
        return "four of twenty pages are hubs at 20 %, and two at 10 %: they differ in few pages"
    best = max(BY_SHARE, key=lambda share: means[list(BY_SHARE).index(share)])
    return f"recall depends on the share here, and is highest with {best:.0%} of hubs"


def _like_best_first(measures: Sequence[Crawls]) -> Claim:
    few = BY_SHARE[0.1]
    shared = [{share: by.overlap(BY_SHARE[share], BF) for share in (0.1, 0.2)} for by in measures]
    away = [{name: _away(by, name) for name in (few, GA)} for by in measures]
    return claim(
        "With a share of about 10 % it behaves like best-first",
        paper="similar curve",
        ours=by_labels_and_text(
            f"overlap with BF {_mean(s[0.1])} at 10 %, {_mean(s[0.2])} at 20 %; harvest away from"
            f" BF's {_mean(a[few])}, {_mean(a[GA])}"
            for s, a in zip(shared, away, strict=True)
        ),
        measured="nearer to best-first at 10 % than at 20 %, by pages found and by harvest",
        margins=[
            [
                margin("overlap with BF, 10 % - 20 %", s[0.1], s[0.2]),
                margin("distance of harvest, 20 % - 10 %", a[GA], a[few]),
            ]
            for s, a in zip(shared, away, strict=True)
        ],
        unless=_why_unlike(away),
    )


def _why_unlike(away: Sequence[Mapping[str, Mapping[str, float]]]) -> str:
    """Why fewer hubs do not bring generations nearer to best-first."""
    gained = [fmean(by[GA].values()) - fmean(by[BY_SHARE[0.1]].values()) for by in away]
    if max(map(abs, gained)) < NO_MATTER:
        return "the distance of the harvests hardly depends on the share of hubs"
    if max(gained) < 0:
        return "with fewer hubs the harvest is further from that of best-first"
    return "by labels and by text the distance of the harvests moves in different ways"


def _away(by: Crawls, name: str) -> dict[str, float]:
    ours, theirs = by.of_topics(name, "harvest"), by.of_topics(BF, "harvest")
    return {topic: abs(ours[topic] - theirs[topic]) for topic in ours}


def _mean(by_topic: Mapping[str, float]) -> str:
    return f"{fmean(by_topic.values()):.1%}"

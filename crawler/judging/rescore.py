"""Judge the pages that are stored once more: after a lesson, or to see what one would change."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler.judging.context import make_judge, make_ranker, make_scorers, usable
from crawler.judging.judged_by import JudgingRules, last_rules, n_rejudged, rules_of, save_rules
from crawler.judging.renewal import links_since, ranked, renew_scores
from crawler.judging.score import Ranking
from crawler.judging.stored_pages import StoredKeeping, stored_pages
from crawler.judging.stored_terms import BLOCK_PAGES, matrix_blocks, terms_of
from crawler.judging.training import (
    load_sections,
    load_shared_terms,
    load_training_set,
    save_sections,
    save_shared_terms,
)
from crawler.judging.write_scores import Rejudged, write_verdicts
from crawler.knowledge.content_value import ContentValue, content_values
from crawler.knowledge.density import DENSITIES, density_weights
from crawler.knowledge.feedback import Feedback
from crawler.knowledge.judge import Judge, TrainingSet, without_own_answer
from crawler.knowledge.page_matrix import relevances
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.knowledge.sections import Sections
from crawler.knowledge.shared_terms import top_pages, weigh_shared_terms
from crawler.knowledge.stuffing import trusts_in
from crawler.models import Crawl, Harvest, IndexOutbox
from crawler.ranking.quantiles import Quantiles, first_until
from crawler.ranking.score import votes_behind
from crawler.ranking.scorers import PageName
from crawler.store import results
from crawler.store.labels import LabelledPage, load_labels
from crawler.store.ranked_pages import kept_pages
from crawler.store.ranks import TableRanks
from crawler.store.results import load_quantiles, save_quantiles
from crawler.store.stories import group_stories
from focusweb.database import write_transaction

#: Returns a judge and its training set; both are built on first use.
JudgeLoader = Callable[[], tuple[Judge, TrainingSet]]


@dataclass(frozen=True, slots=True)
class ChangedPages:
    """What judging again changed, by number of the harvest row; best first.

    Attributes
    ----------
    entered, left : tuple of int
        Pages that are kept now, or no longer.
    moved : tuple of int
        Pages that stay, with another relevance or score.
    """

    entered: tuple[int, ...] = ()
    left: tuple[int, ...] = ()
    moved: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        """Pages that changed in any way."""
        return len(self.entered) + len(self.left) + len(self.moved)


@dataclass(frozen=True, slots=True)
class Rescore:
    """Every stored page of a crawl, judged again."""

    load_judge: JudgeLoader
    pages: Sequence[Rejudged]
    ranking: Ranking
    sections: Sections
    #: Words that the top pages share, and their weights.
    shared: Mapping[str, float]
    #: By what they were judged before, and are now.
    last: JudgingRules | None
    rules: JudgingRules
    #: What the judge said of each page before still holds.
    verdicts_hold: bool

    def moved(self) -> ChangedPages:
        """Sort the pages by what happened to them."""
        best = sorted(self.pages, key=lambda page: (-page.relevance, page.pk))
        return ChangedPages(
            tuple(page.pk for page in best if page.is_kept and not page.was_kept),
            tuple(page.pk for page in best if page.was_kept and not page.is_kept),
            tuple(page.pk for page in best if page.moved),
        )


def _verdicts_hold(crawl: Crawl, last: JudgingRules | None, rules: JudgingRules) -> bool:
    """True if the judge's word on each page still holds: at most what is added has changed."""
    if last is None or last.densities != DENSITIES or last.judged_by != rules.judged_by:
        return False
    unjudged = Harvest.objects.filter(crawl=crawl, url__page__isnull=False, judge_relevance=None)
    return not unjudged.exists()


def compute_rescore(
    crawl: Crawl,
    profile: TopicProfile,
    settings: CrawlSettings,
    labels: Sequence[LabelledPage] | None = None,
    *,
    anew: bool = False,
) -> Rescore:
    """Judge every stored page of a crawl as if this were its topic; write nothing.

    Labels are those of the crawl unless others are given.

    If only the threshold, a weight or feedback has changed since the pages were judged, the
    relevance of each page still holds, and the judge is not called. So a rating changes only what
    follows from it, whatever this and other crawls have fetched since. With `anew` the judge is
    called in any case: the training set may have grown.

    A judge or ranker that a plugin brought and that is gone is replaced by the usual one.
    """
    there, _ = usable(settings, "judge", "ranker")
    labels = load_labels(crawl) if labels is None else labels
    training_set = cache(lambda: load_training_set(crawl, labels))

    @cache
    def load_judge() -> tuple[Judge, TrainingSet]:
        return make_judge(profile, there, training_set()), training_set()

    last, rules = last_rules(crawl), rules_of(profile, settings, labels)
    verdicts_hold = not anew and _verdicts_hold(crawl, last, rules)
    rows, keeping = stored_pages(crawl), StoredKeeping(crawl, settings, labels)
    if verdicts_hold:
        is_moved = last is None or last.feedback != rules.feedback
        found = _moved(profile, training_set(), rows) if is_moved else _column(rows, "relevance")
        verdicts = _as_stored(crawl, rows, found, keeping)
    else:
        # A person who rates a page rates others soon; a run judges all pages once.
        verdicts = _judged(crawl, profile, *load_judge(), rows, keeping, keep=not anew)
    is_kept, contents = verdicts.is_kept, verdicts.contents
    shown = is_kept | _was_kept(rows)
    kept = [content for content, keep in zip(contents, is_kept.tolist(), strict=True) if keep]
    quantiles = Quantiles.of(
        verdicts.relevances[is_kept].tolist(),
        [content.density for content in kept],
        [content.trust for content in kept],
        typical=_typical(crawl, verdicts.shared),
        first=_are_first(crawl, rows, is_kept)[is_kept].tolist(),
    )
    # Explanations name the judge that is called.
    ranking = Ranking(there, make_ranker(there), quantiles, make_scorers(there))
    columns = [column.tolist() for column in (is_kept, shown, verdicts.judged, verdicts.relevances)]
    pages = [
        _rejudged(ranking, row, content, *values)
        for row, content, *values in zip(rows, contents, *columns, strict=True)
    ]
    learnt = verdicts.sections, verdicts.shared
    return Rescore(load_judge, pages, ranking, *learnt, last, rules, verdicts_hold)


def _typical(crawl: Crawl, shared: Mapping[str, float]) -> float:
    """Return the typical density so far; 0 if shared terms count for the first time."""
    count_first = shared and not load_shared_terms(crawl)
    return 0.0 if count_first else load_quantiles(crawl).typical


@dataclass(frozen=True, slots=True)
class _Verdicts:
    """What is said of each stored page.

    Attributes
    ----------
    sections : Sections
        Those whose effect is part of `judged`.
    shared : mapping of str to float
        Words that the top pages share, which are part of the density of each page.
    judged, relevances : ndarray of float64, shape (n_pages,)
        By the judge and the sections, and with feedback.
    is_kept : ndarray of bool, shape (n_pages,)
    contents : list of ContentValue
        One for each page.
    """

    sections: Sections
    shared: Mapping[str, float]
    judged: NDArray[np.float64]
    relevances: NDArray[np.float64]
    is_kept: NDArray[np.bool_]
    contents: list[ContentValue]


def _as_stored(
    crawl: Crawl,
    rows: Sequence[dict[str, Any]],
    found: NDArray[np.float64],
    keeping: StoredKeeping,
) -> _Verdicts:
    """What was said of each page before, with the relevance `found` now."""
    contents = [
        ContentValue(row["content_value"], (), 0, row["trust"], row["density"]) for row in rows
    ]
    judged = _column(rows, "judge_relevance")
    learnt = load_sections(crawl), load_shared_terms(crawl)
    return _Verdicts(*learnt, judged, found, keeping.kept(rows, found), contents)


def _moved(
    profile: TopicProfile,
    training_set: TrainingSet,
    rows: Sequence[dict[str, Any]],
) -> NDArray[np.float64]:
    """Relevance of each page after feedback, by what the judge said of it before."""
    urls, found = [row["url_id"] for row in rows], np.zeros(len(rows))
    judged = _column(rows, "judge_relevance")
    feedback = _feedback(profile, training_set, urls, judged)
    for part, matrix in matrix_blocks(urls, keep=True):
        found[part] = feedback.relevances(matrix, judged[part])
    return found


def _feedback(
    profile: TopicProfile,
    training_set: TrainingSet,
    urls: Sequence[int],
    judged: NDArray[np.float64],
) -> Feedback:
    """What rated pages change, by the relevance that stored pages have without feedback."""
    by_page = dict(zip(urls, judged.tolist(), strict=True))
    return Feedback.of(profile, training_set, lambda rated: by_page.get(rated.page))


def _judged(
    crawl: Crawl,
    profile: TopicProfile,
    judge: Judge,
    training_set: TrainingSet,
    rows: Sequence[dict[str, Any]],
    keeping: StoredKeeping,
    *,
    keep: bool,
) -> _Verdicts:
    """Judge each page by its text and its section, and add feedback."""
    urls, judged, trusts = [row["url_id"] for row in rows], np.zeros(len(rows)), np.zeros(len(rows))
    topic, frequencies = judge.topic_terms, training_set.frequencies
    languages, contents = list[str](), list[ContentValue]()
    without = without_own_answer(judge, training_set)
    # Of one block alone the words stay in memory; of several they are read twice.
    blocks = list(matrix_blocks(urls, keep=keep)) if len(urls) <= BLOCK_PAGES else None
    for part, matrix in blocks or matrix_blocks(urls, keep=keep):
        judged[part] = _with(without, urls[part], relevances(judge, matrix))
        trusts[part] = trusts_in(matrix, topic)
        languages += matrix.languages
    addresses = [row["url__url"] for row in rows]
    sections = Sections.by(judge, addresses, judged)
    judged = sections.relevances(addresses, judged)
    is_kept = keeping.kept(rows, judged)
    top = top_pages(judged, trusts, is_kept, _are_first(crawl, rows, is_kept), languages)
    shared = weigh_shared_terms(terms_of([urls[place] for place in top]), frequencies)
    weights = density_weights(judge, shared)
    feedback = _feedback(profile, training_set, urls, judged) if training_set.rated else None
    found, is_kept = judged.copy(), np.zeros(len(rows), np.bool_)
    for part, matrix in blocks or matrix_blocks(urls, keep=keep):
        if feedback is not None:
            found[part] = feedback.relevances(matrix, judged[part])
        is_kept[part] = keeping.kept(rows[part], found[part])
        shown = is_kept[part] | _was_kept(rows[part])
        contents += content_values(matrix, topic, frequencies, weights, shown)
    return _Verdicts(sections, shared, judged, found, is_kept, contents)


def _with(
    known: Mapping[int, float], urls: Sequence[int], judged: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Relevance of pages; of some, that of `known` instead."""
    pairs = zip(urls, judged.tolist(), strict=True)
    return np.array([known.get(url, relevance) for url, relevance in pairs], np.float64)


def _column(rows: Sequence[dict[str, Any]], name: str) -> NDArray[np.float64]:
    return np.array([row[name] for row in rows], np.float64)


def _are_first(
    crawl: Crawl, rows: Sequence[dict[str, Any]], is_kept: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """True for each page by which the typical density is found, if it is kept."""
    seen = [row["first_seen"] for row in rows]
    kept = sorted(moment for moment, keep in zip(seen, is_kept.tolist(), strict=True) if keep)
    until = first_until(crawl.baseline_end(), kept)
    return np.array([until is None or moment <= until for moment in seen], np.bool_)


def _was_kept(rows: Sequence[dict[str, Any]]) -> NDArray[np.bool_]:
    return np.array([row["kept"] for row in rows], np.bool_)


def _rejudged(
    ranking: Ranking,
    row: dict[str, Any],
    content: ContentValue,
    is_kept: bool,
    is_shown: bool,
    judged: float,
    relevance: float,
) -> Rejudged:
    score = row["score"]
    if not is_shown:  # a page that is not shown needs no score
        content = replace(content, value=row["content_value"])
    else:
        score = ranking.score(
            content,
            relevance,
            PageName(row["url__url"], row["url__page__title"], row["url__site__name"]),
            n_sites=row["n_linking_sites"],
            votes=votes_behind(row["link_value"], row["link_scale"]),
        ).value
    return Rejudged(
        row["pk"],
        row["url_id"],
        row["kept"],
        is_kept,
        row["relevance"],
        relevance,
        row["score"],
        score,
        row["judge_relevance"],
        judged,
        content,
    )


def rejudge(crawl: Crawl, now: datetime, *, anew: bool = False) -> ChangedPages:
    """Judge every stored page of a crawl again and keep what comes of it.

    The index learns of pages that entered and left.
    """
    number = n_rejudged(crawl)
    outcome = compute_rescore(crawl, crawl.profile, crawl.settings, anew=anew)
    with write_transaction():
        if n_rejudged(crawl) != number:
            # A page was rated or the topic changed meanwhile. Within the transaction no other can.
            crawl = Crawl.objects.get(pk=crawl.pk)
            outcome = compute_rescore(crawl, crawl.profile, crawl.settings, anew=anew)
        _write(crawl, outcome, now)
    return outcome.moved()


def _write(crawl: Crawl, outcome: Rescore, now: datetime) -> None:
    last, rules = outcome.last, outcome.rules
    # Each page's explanation names the rules, so all are written anew after a change.
    renewed = last is None or last.named() != rules.named()
    changed = [page for page in outcome.pages if page.differs or (renewed and page.is_kept)]
    entered = [page for page in changed if page.is_kept and not page.was_kept]
    left = [page for page in changed if page.was_kept and not page.is_kept]
    same_rules = last is not None and last.judged_by == rules.judged_by
    write_verdicts(
        outcome.ranking,
        outcome.sections,
        outcome.load_judge,
        changed,
        verdicts_hold=outcome.verdicts_hold,
        same_rules=same_rules,
    )
    save_quantiles(crawl, outcome.ranking.quantiles)
    if not outcome.verdicts_hold:
        save_sections(crawl, outcome.sections)
        save_shared_terms(crawl, outcome.shared)
    IndexOutbox.queue((page.url for page in (*entered, *left)), now)
    if last is not None and last.links() != rules.links():
        ranker, scorers = outcome.ranking.ranker, outcome.ranking.scorers
        renew_scores(TableRanks(crawl), crawl.settings, ranker, scorers, now, everything=True)
    elif entered:
        _rank_entered(crawl, outcome, entered, now)
    if changed or last != rules:
        save_rules(crawl, rules)


def _rank_entered(
    crawl: Crawl, outcome: Rescore, entered: Sequence[Rejudged], now: datetime
) -> None:
    """Give pages that entered the links they have: only kept pages were ranked.

    All others keep theirs until the next run ends: undoing a thumb leads back to the very scores.
    """
    group_stories(crawl)
    keys = {page.url for page in entered}
    ranking, settings = outcome.ranking, crawl.settings
    scores = {
        page.key: ranked(ranking, page)
        for page in kept_pages(crawl, now, links_since(settings, now))
        if page.key in keys
    }
    results.rescore(crawl, scores, settings.link_scale, ranking.quantiles)

"""Write what judging stored pages again has changed: verdict, score and explanation."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Any

from crawler.judging.score import Ranking
from crawler.knowledge.content_value import ContentValue, content_value
from crawler.knowledge.judge import Judge, MatchedTerm, TitleEffect, TrainingSet, Verdict
from crawler.knowledge.profile import CrawlSettings
from crawler.knowledge.sections import Sections
from crawler.models import Harvest, Page, bulk
from crawler.models.web import unpack_terms
from crawler.ranking.explain import effect_part, explain
from crawler.ranking.score import PageScore, votes_behind
from crawler.ranking.scorers import PageName

#: A change that a reader can see at two decimals.
VISIBLE = 0.005
#: Of a page that is not shown only the row changes, not its explanation.
EXPLAINED = 0.001


@dataclass(frozen=True, slots=True)
class Rejudged:
    """A stored page as it stood, and as the judge sees it now.

    Attributes
    ----------
    pk, url : int
        Numbers of the harvest row and of its URL.
    was, relevance : float
        In [0, 1].
    old_score, score : float
        In [0, 1].
    was_judged, judged : float
        Relevance without feedback; None before it was noted.
    content : ContentValue
        Of a page that is not shown the value stays as it was. Without key terms if the judge was
        not called.
    """

    pk: int
    url: int
    was_kept: bool
    is_kept: bool
    was: float
    relevance: float
    old_score: float
    score: float
    was_judged: float | None
    judged: float
    content: ContentValue

    @property
    def is_shown(self) -> bool:
        """True if somebody may see it, or just did."""
        return self.was_kept or self.is_kept

    @property
    def differs(self) -> bool:
        """True if its row must be written: however small the change, undo leads back to it."""
        before = self.was_kept, self.was, self.old_score, self.was_judged
        return before != (self.is_kept, self.relevance, self.score, self.judged)

    @property
    def is_judged_anew(self) -> bool:
        """True if what the judge says of it has changed enough to be explained again."""
        return self.was_judged is None or abs(self.judged - self.was_judged) >= EXPLAINED

    @property
    def moved(self) -> bool:
        """True if it stays and a reader can see a change."""
        change = max(abs(self.relevance - self.was), abs(self.score - self.old_score))
        return self.was_kept and self.is_kept and change >= VISIBLE


@dataclass(frozen=True, slots=True)
class _Row:
    """The columns of a harvest that a new explanation needs, in the order they are read."""

    pk: int
    url_id: int
    explanation: dict[str, Any]
    content_value: float
    trust: float
    density: float
    n_linking_sites: int
    link_value: float
    link_scale: float
    url__url: str
    url__page__title: str
    url__site__name: str


def write_verdicts(
    ranking: Ranking,
    sections: Sections,
    load_judge: Callable[[], tuple[Judge, TrainingSet]],
    changed: Sequence[Rejudged],
    *,
    verdicts_hold: bool,
    same_rules: bool,
) -> None:
    """Write the rows of some pages anew.

    Parameters
    ----------
    sections : Sections
        Those whose effect is part of the judge's word.
    load_judge : callable
        Gives the judge and its training set; called only if a page must be explained anew.
    verdicts_hold : bool
        The judge's verdicts of kept pages still hold: only what is added to them has changed.
    same_rules : bool
        The judge goes by the same topic as when the pages were judged last. Then a kept page
        whose relevance moved by less than `EXPLAINED` keeps the terms that its explanation names.
    """
    settings = ranking.settings
    shown = {page.pk: page for page in changed if page.is_shown}
    bulk.execute_many(
        f"UPDATE {bulk.table(Harvest)} SET kept = %s, judge_relevance = %s, relevance = %s,"
        " content_value = %s, trust = %s, density = %s, score = %s, explanation = %s"
        " WHERE id = %s",
        [
            (
                page.is_kept,
                page.judged,
                page.relevance,
                score.content.value,
                score.content.trust,
                score.content.density,
                score.value,
                bulk.json_value(explain(score, verdict, settings)),
                page.pk,
            )
            for page, score, verdict in _explained(
                ranking,
                sections,
                load_judge,
                shown,
                verdicts_hold=verdicts_hold,
                same_rules=same_rules,
            )
        ],
    )
    # Of a page that is not shown, the terms named when it was fetched may stay.
    hidden = [page for page in changed if not page.is_shown]
    bulk.execute_many(
        f"UPDATE {bulk.table(Harvest)} SET judge_relevance = %s, relevance = %s, trust = %s,"
        " density = %s WHERE id = %s",
        [
            (page.judged, page.relevance, page.content.trust, page.content.density, page.pk)
            for page in hidden
        ],
    )
    moved = {page.pk: page for page in hidden if abs(page.relevance - page.was) >= EXPLAINED}
    bulk.execute_many(
        f"UPDATE {bulk.table(Harvest)} SET explanation = %s WHERE id = %s",
        [
            (bulk.json_value(_with_judge(explanation, moved[pk], url, sections, settings)), pk)
            for part in bulk.chunks(list(moved))
            for pk, explanation, url in Harvest.objects.filter(pk__in=part).values_list(
                "pk", "explanation", "url__url"
            )
        ],
    )


def _with_judge(
    explanation: dict[str, Any],
    page: Rejudged,
    url: str,
    sections: Sections,
    settings: CrawlSettings,
) -> dict[str, Any]:
    # With another relevance the old note, such as that a required term is missing, may be wrong.
    judge = {
        "name": settings.judge,
        "relevance": page.relevance,
        "threshold": settings.threshold,
        "note": "",
        "section": effect_part(sections.effect(url, page.judged)),
        "title": None,  # a hidden page is not judged one by one
    }
    return explanation | {"judge": explanation.get("judge", {}) | judge}


def _explained(
    ranking: Ranking,
    sections: Sections,
    load_judge: Callable[[], tuple[Judge, TrainingSet]],
    shown: dict[int, Rejudged],
    *,
    verdicts_hold: bool,
    same_rules: bool,
) -> Iterator[tuple[Rejudged, PageScore, Verdict]]:
    for part in bulk.chunks(list(shown)):
        pks = [
            page.url
            for page in map(shown.__getitem__, part)
            # A page that was not shown has no explanation of its last verdict.
            if not (page.was_kept and (verdicts_hold or (same_rules and not page.is_judged_anew)))
        ]
        packed = dict(Page.objects.filter(pk__in=pks).values_list("pk", "packed_terms"))
        rows = Harvest.objects.filter(pk__in=part).values_list(*_Row.__slots__)
        for row in starmap(_Row, rows):
            page = shown[row.pk]
            found = page.content
            if row.url_id not in packed:
                content, verdict = _as_stored(row)
            else:
                judge, training_set = load_judge()
                terms = unpack_terms(packed[row.url_id])
                verdict, content = judge.judge(terms), page.content
                if verdicts_hold:
                    known = training_set.frequencies
                    content = content_value(terms, judge.topic_terms, known)
                    # The stored one may be by earlier terms: hidden pages keep theirs.
                    found = replace(found, value=content.value)
            content = replace(content, value=found.value, trust=found.trust, density=found.density)
            score = ranking.score(
                content,
                page.relevance,
                PageName(row.url__url, row.url__page__title, row.url__site__name),
                sites=tuple(row.explanation.get("link", {}).get("sites", ())),
                n_sites=row.n_linking_sites,
                votes=votes_behind(row.link_value, row.link_scale),
            )
            # The figures of a section change with each run, also where its pages' relevance stays.
            effect = sections.effect(row.url__url, page.judged)
            yield page, score, replace(verdict, relevance=page.relevance, section=effect)


def _stored_title(judge: dict[str, Any]) -> TitleEffect | None:
    title = judge.get("title")
    return TitleEffect(**title) if title else None


def _as_stored(row: _Row) -> tuple[ContentValue, Verdict]:
    """What the row's explanation says already."""
    content, judge = row.explanation.get("content", {}), row.explanation.get("judge", {})
    matched = tuple(MatchedTerm(**match) for match in judge.get("matched", ()))
    return (
        ContentValue(
            row.content_value,
            tuple(content.get("matched", ())),
            content.get("n_key", 0),
            row.trust,
            row.density,
        ),
        Verdict(
            judge.get("relevance", 0.0), matched, judge.get("note", ""), title=_stored_title(judge)
        ),
    )

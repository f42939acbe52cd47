"""What a change of a topic would do to the pages that are stored; nothing is written."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from crawler.api.judging import LabelledPage, Rejudged, Rescore, compute_rescore
from crawler.api.profiles import CrawlSettings, TopicProfile, WeightedTerm
from crawler.api.tables import Crawl, Harvest
from topics.models import Topic

_USUAL = CrawlSettings()
#: Pages a list of the preview names; the numbers count all.
N_SHOWN = 10
#: Shorter than this, what came in since the first run says nothing of a day.
LEAST_WATCH = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class ProfileDraft:
    """The part of a topic that a user can change in the preview.

    Attributes
    ----------
    judge : str
        Registered name.
    threshold, link_weight : float
        In [0, 1].
    """

    terms: tuple[WeightedTerm, ...]
    judge: str
    threshold: float
    link_weight: float
    link_scale: float = _USUAL.link_scale
    ranker: str = _USUAL.ranker


@dataclass(frozen=True, slots=True)
class PreviewLine:
    """A stored page as it stands (`was`, `scored`), and as it would."""

    pk: int
    title: str
    site: str
    scored: float
    was: float
    relevance: float
    score: float


@dataclass(frozen=True, slots=True)
class ProfilePreview:
    """What a draft would change.

    Attributes
    ----------
    n_pages, n_kept : int
        Stored pages, and those that would be kept.
    best, entered, left, moved : sequence of PreviewLine
        The first of each, best first.
    per_day : float or None
        New pages a day, None until the topic has been watched long enough.
    kept : set of int
        Numbers of the pages that would be kept.
    """

    n_pages: int = 0
    n_kept: int = 0
    n_entered: int = 0
    n_left: int = 0
    n_moved: int = 0
    best: Sequence[PreviewLine] = field(default_factory=list)
    entered: Sequence[PreviewLine] = field(default_factory=list)
    left: Sequence[PreviewLine] = field(default_factory=list)
    moved: Sequence[PreviewLine] = field(default_factory=list)
    per_day: float | None = None
    kept: Set[int] = frozenset()


def preview_profile(topic: Topic, draft: ProfileDraft, now: datetime) -> ProfilePreview:
    """Judge the stored pages as if the draft were the topic."""
    crawl = topic.crawl
    if crawl is None:
        return ProfilePreview()
    stored = crawl.settings
    # Settings of a judge are lost with it, as they are when the form is saved.
    of_judge = stored.judge_parameters if draft.judge == stored.judge else {}
    settings = replace(
        stored,
        judge=draft.judge,
        judge_parameters=of_judge,
        threshold=draft.threshold,
        link_weight=draft.link_weight,
        content_weight=1.0 - draft.link_weight,
        link_scale=draft.link_scale,
        ranker=draft.ranker,
    )
    profile = replace(crawl.profile, terms=draft.terms)
    preview = preview_change(topic, profile=profile, settings=settings)
    return replace(preview, per_day=new_pages_a_day(crawl, preview, now))


def preview_change(
    topic: Topic,
    *,
    profile: TopicProfile | None = None,
    settings: CrawlSettings | None = None,
    labels: Sequence[LabelledPage] | None = None,
) -> ProfilePreview:
    """Judge the stored pages as if these were the topic's; what is left out stays as it is.

    Without an estimate of new pages a day.
    """
    crawl = topic.crawl
    if crawl is None:
        return ProfilePreview()
    outcome = compute_rescore(crawl, profile or crawl.profile, settings or crawl.settings, labels)
    return _summed_up(outcome)


def _summed_up(outcome: Rescore) -> ProfilePreview:
    moved = outcome.moved()
    kept = sorted((p for p in outcome.pages if p.is_kept), key=lambda p: (-p.score, p.pk))
    by_pk = {page.pk: page for page in outcome.pages}
    lists = [[page.pk for page in kept], moved.entered, moved.left, moved.moved]
    best, entered, left, stayed = _lines(by_pk, [list(pks[:N_SHOWN]) for pks in lists])
    return ProfilePreview(
        n_pages=len(outcome.pages),
        n_kept=len(kept),
        n_entered=len(moved.entered),
        n_left=len(moved.left),
        n_moved=len(moved.moved),
        best=best,
        entered=entered,
        left=left,
        moved=stayed,
        kept=frozenset(page.pk for page in kept),
    )


def _lines(by_pk: dict[int, Rejudged], lists: list[list[int]]) -> list[list[PreviewLine]]:
    wanted = {pk for pks in lists for pk in pks}
    rows = Harvest.objects.filter(pk__in=wanted).values_list(
        "pk", "url__page__title", "url__url", "url__site__name", "score"
    )
    shown = {pk: (title or url, site, score) for pk, title, url, site, score in rows}
    return [
        [
            PreviewLine(pk, *shown[pk], by_pk[pk].was, by_pk[pk].relevance, by_pk[pk].score)
            for pk in pks
            if pk in shown
        ]
        for pks in lists
    ]


def new_pages_a_day(crawl: Crawl, preview: ProfilePreview, now: datetime) -> float | None:
    """Estimate the new pages a day; None until there is enough to say.

    The first run is a baseline: it finds what was there before. What later runs
    brought, over the time they took, is the estimate.
    """
    first = crawl.first_run()
    if first is None or not first.ended or crawl.runs.count() < 2:
        return None
    if now - first.ended < LEAST_WATCH:
        return None
    later = Harvest.objects.filter(crawl=crawl, first_seen__gt=first.ended)
    new = set(later.values_list("pk", flat=True))
    return len(new & preview.kept) / ((now - first.ended) / timedelta(days=1))

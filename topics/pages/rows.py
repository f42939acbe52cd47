"""What the pages of a topic show of its crawl: rows ready for a template."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from django.db.models import Count, Min, Q, QuerySet

from crawler.api.judging import is_outdated
from crawler.api.ranking import is_new_site
from crawler.api.reasons import Reason, StopReason
from crawler.api.sources import SEED_REST
from crawler.api.tables import Crawl, FrontierEntry, Harvest, Link, Run, Site, Url
from focusweb.prepared import prepared
from topics.models import Topic
from topics.pages.badges import badge_line
from topics.pages.explain import why_sentence
from topics.pages.extracts import Quotes, StoredQuotes, TopicWords, quotes_of, words_of
from topics.pages.opening import open_address
from topics.pages.stories import also_at
from topics.pages.verdicts import decisions, short_reason, threshold_of
from topics.reasons import (
    DAY_LIMIT,
    DEPTH_REACHED,
    FINE,
    LINKS_LEFT_OUT,
    OTHER_LIMIT,
    Sentence,
    reason_sentence,
    stop_sentence,
)
from topics.search.snippet import Fragment

#: Ends of runs that never got anywhere.
FETCHED_NOTHING = frozenset(
    {StopReason.NO_SEEDS, StopReason.NOTHING_REACHABLE, StopReason.ALL_REST, StopReason.NO_CONTACT}
)


@dataclass(frozen=True)
class ShownPage:
    """A kept page with everything a list says of it.

    What is made of its text is made when it is first read: most lists are remembered as HTML.

    Attributes
    ----------
    opens : str
        The address that opens it in this reader's browser.
    also : sequence of Harvest
        Other pages of the same story, one a site.
    kept_for : str
        Why it is kept although its relevance is below the threshold.
    words : TopicWords
        The words that its topic is about.
    stored : mapping
        Quotes as `stored_quotes` gives them.
    """

    harvest: Harvest
    site: Site
    title: str
    new_site: bool
    published: datetime | None
    first_seen: datetime
    opens: str = ""
    also: Sequence[Harvest] = ()
    kept_for: str = ""
    words: TopicWords = field(default_factory=TopicWords)
    stored: StoredQuotes = field(default_factory=dict)

    @cached_property
    def why(self) -> str:
        """Why it is here, in one sentence."""
        return why_sentence(
            self.harvest.explanation,
            terms=self.terms,
            new_site=self.new_site,
            kept_for=self.kept_for,
        )

    @cached_property
    def _quotes(self) -> Quotes:
        return quotes_of(self.harvest, self.words, self.stored)

    @property
    def extract(self) -> Fragment:
        """The two sentences that say most about the topic."""
        return self._quotes.extract

    @cached_property
    def badges(self) -> Sequence[str]:
        """Short facts that speak for it."""
        return badge_line(self.harvest.explanation, self.terms)

    @property
    def terms(self) -> Sequence[tuple[str, str]]:
        """The topic's terms found on it, as it writes them, each with its concept or ""."""
        return self._quotes.terms


@dataclass(frozen=True, slots=True)
class ReasonLine:
    """How many URLs of a run ended for one reason."""

    code: str
    count: int
    sentence: Sentence
    is_error: bool


@dataclass(frozen=True, slots=True)
class InLink:
    """A site that links to a page, and how many of its pages do."""

    site: str
    count: int
    example: str


#: Ends of runs that came to what they wanted.
FETCHED_ALL = frozenset(
    {
        StopReason.BUDGET,
        StopReason.FRONTIER_EMPTY,
        StopReason.STRATEGY_ENDED,
        StopReason.REST_LATER,
    }
)


class EmptyReason(StrEnum):
    """Why a topic shows no pages."""

    RUNNING = "running"
    WORKER_DOWN = "worker_down"
    NO_START = "no_start"
    NEVER_RUN = "never_run"
    RUN_FAILED = "run_failed"
    SCORING = "scoring"
    NOTHING_PASSED = "nothing_passed"
    NONE_KEPT = "none_kept"
    HIDDEN = "hidden"


def shown_pages(
    crawl: Crawl,
    harvests: Sequence[Harvest],
    now: datetime,
    *,
    began: datetime | None = None,
    quotes: StoredQuotes | None = None,
) -> list[ShownPage]:
    """Turn kept pages into rows, with a fixed number of queries.

    `began` is the crawl's `baseline_end`, for callers who know it, and `quotes` are what
    `stored_quotes` gave.
    """
    if not harvests:
        return []
    baseline, also, words = began or crawl.baseline_end(), also_at(harvests), words_of(crawl)
    below = [one for one in harvests if one.kept and one.relevance < threshold_of(one, crawl)]
    decided = decisions(crawl, below) if below else {}
    return [
        ShownPage(
            harvest=harvest,
            site=harvest.url.site,
            title=harvest.title,
            new_site=is_new_site(harvest.url.site.first_seen, baseline, now),
            published=harvest.published,
            first_seen=harvest.first_seen,
            opens=open_address(harvest.url.url),
            also=also.get(harvest.pk, ()),
            kept_for=short_reason(decided[harvest.pk]) if harvest.pk in decided else "",
            words=words,
            stored=quotes or {},
        )
        for harvest in harvests
    ]


def rows_of_crawls(
    pages: Iterable[tuple[Crawl | None, Harvest]], now: datetime
) -> dict[int, ShownPage]:
    """Turn pages of several crawls into rows, by number of the harvest."""
    by_crawl: dict[Crawl, list[Harvest]] = {}
    for crawl, harvest in pages:
        if crawl is not None:
            by_crawl.setdefault(crawl, []).append(harvest)
    rows = (shown_pages(crawl, own, now) for crawl, own in by_crawl.items())
    return {row.harvest.pk: row for some in rows for row in some}


def page_words(harvest: Harvest) -> str:
    """Title and text of a harvest's page, to quote its terms from."""
    return f"{harvest.page.title}\n{harvest.page.text}"


def first_and_last(crawl: Crawl) -> tuple[Run | None, Run | None]:
    """Return the run that recorded the baseline, and the newest; one query for both."""
    runs = _first_and_last(crawl.pk)
    with_pages = [run for run in runs if run.fetched > 0]
    return (with_pages[0] if with_pages else None, runs[-1] if runs else None)


@prepared
def _first_and_last(crawl: int) -> QuerySet[Run]:
    runs = Run.objects.filter(crawl=crawl)
    newest = runs.order_by("-started").values("pk")[:1]
    first = runs.filter(fetched__gt=0).order_by("started").values("pk")[:1]
    return runs.filter(Q(pk__in=newest) | Q(pk__in=first)).order_by("started", "pk")


def failure_sentence(run: Run | None) -> Sentence | None:
    """Why a run saw nothing at all; None if it saw something, or still goes on.

    A run within an hour after another one finds all sources at rest: that is normal.
    """
    if run is None or run.stop_reason not in FETCHED_NOTHING:
        return None
    if run.stop_reason == StopReason.ALL_REST and began_soon(run):
        return None
    return stop_sentence(run.stop_reason)


def ending(run: Run) -> Sentence:
    """How a run ended, and what to do, by what the run left."""
    if run.stop_reason == StopReason.BUDGET and run.n_pages != run.crawl.settings.n_pages:
        return OTHER_LIMIT
    if run.stop_reason == StopReason.REST_LATER and run.reasons.get(Reason.SITE_BUDGET):
        return DAY_LIMIT
    if run.stop_reason == StopReason.FRONTIER_EMPTY:
        depth = run.crawl.settings.max_depth_hops
        if FrontierEntry.objects.filter(run=run, depth_hops__gte=depth).exists():
            return DEPTH_REACHED
        if run.n_left_out:
            return LINKS_LEFT_OUT
    return stop_sentence(run.stop_reason)


def began_soon(run: Run) -> bool:
    """Return whether a run began so soon after one that looked that seeds may have rested."""
    lately = Run.objects.filter(crawl=run.crawl_id, started__lt=run.started, fetched__gt=0)
    return lately.filter(ended__gt=run.started - SEED_REST).exists()


def seeds_rested(run: Run) -> bool:
    """Return whether a run skipped seeds, as one before it had visited them within the hour."""
    visited = FrontierEntry.objects.filter(
        crawl=run.crawl_id,
        url__url__in=run.crawl.profile.seeds,
        ended__gt=run.started - SEED_REST,
        ended__lt=run.started,
    )
    return visited.exists()


def reason_lines(run: Run) -> list[ReasonLine]:
    """Return the reasons of a run's URLs: failures first, the most frequent ahead."""
    counts = sorted(run.reasons.items(), key=lambda item: (item[0] in FINE, -item[1], item[0]))
    return [
        ReasonLine(code, count, reason_sentence(code), code not in FINE) for code, count in counts
    ]


def in_links(crawl: Crawl, url: Url, limit: int = 50) -> tuple[list[InLink], int]:
    """Return the sites whose articles, as far as this crawl knows them, link to a page.

    Those with the most such articles come first, at most `limit`; beside them is how many more
    there are.
    """
    votes = Link.objects.votes().filter(target=url).values("source_id")
    sources = Url.objects.filter(pk__in=votes, frontier__crawl=crawl).exclude(site_id=url.site_id)
    counts = sources.values_list("site__name").annotate(n=Count("pk"), example=Min("url"))
    rows = [InLink(*row) for row in counts.order_by("-n", "site__name")[:limit]]
    return rows, counts.order_by().count() - limit if len(rows) == limit else 0


def why_empty(topic: Topic, *, worker_up: bool) -> EmptyReason:
    """Say which of the possible causes holds when a topic shows no pages."""
    run = topic.last_run()
    if run is not None and run.ended is None:
        return EmptyReason.RUNNING if worker_up else EmptyReason.WORKER_DOWN
    if not topic.seeds.strip() and not topic.can_search():
        return EmptyReason.NO_START
    if run is None:
        return EmptyReason.NEVER_RUN if worker_up else EmptyReason.WORKER_DOWN
    if is_outdated(run.crawl):
        return EmptyReason.SCORING if worker_up else EmptyReason.WORKER_DOWN
    if run.stop_reason in FETCHED_ALL:
        passed = Harvest.objects.filter(crawl=run.crawl_id, relevance__gte=topic.threshold)
        return EmptyReason.NONE_KEPT if passed.exists() else EmptyReason.NOTHING_PASSED
    return EmptyReason.RUN_FAILED


def run_urls(run: Run, code: str) -> list[FrontierEntry]:
    """Return the URLs of a run that ended for one reason, the newest first."""
    entries = FrontierEntry.objects.filter(crawl_id=run.crawl_id, run=run, reason=code)
    return list(entries.select_related("url", "url__site").order_by("-ended", "pk")[:500])

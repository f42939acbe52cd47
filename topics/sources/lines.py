"""The sources of a topic, as a page shows them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Count
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from crawler.api.pages import is_front_page, site_of
from crawler.api.sources import (
    SEED_REST,
    registry,
    where_known,
    where_they_lead,
    with_seeds,
)
from crawler.api.tables import Crawl, FrontierEntry, Harvest, HarvestQuerySet
from topics.models import Topic
from topics.reasons import Sentence, reason_sentence
from topics.sources.problem_sentences import problem_sentence

KINDS = {
    registry.SEEDS: _("seed"),
    registry.FEEDS: _("feed"),
    registry.SITEMAPS: _("sitemap"),
    registry.HUBS: _("links to relevant pages"),
    registry.SEARCHES: _("search"),
    registry.PROVIDERS: _("search provider"),
    registry.LINKING: _("links to a seed"),
}


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One place.

    Attributes
    ----------
    kind, key : str
        What it is, and its address or words.
    url : str
        "" for a search.
    looked : datetime or None
        Last look that worked.
    per_day : float or None
        Expected new pages on topic a day; None while that is unknown.
    next_run : bool
        The next run visits it.
    not_before : datetime or None
        It rests until then.
    failures : int
        Looks in a row that failed.
    why : Sentence or None
        Why it fails.
    is_seed : bool
        The person named it, whatever it turned out to be.
    n_brought : int
        Kept pages that the crawl found through it; 0 for a search, which is not a page with links.
    is_blocked : bool
        The user blocked its site, so that no run visits it.
    """

    kind: str
    key: str
    url: str
    looked: datetime | None
    per_day: float | None = None
    next_run: bool = True
    not_before: datetime | None = None
    failing_since: datetime | None = None
    failures: int = 0
    given_up: bool = False
    why: Sentence | None = None
    is_seed: bool = False
    n_brought: int = 0
    is_blocked: bool = False

    @property
    def is_provider(self) -> bool:
        """True for a search at a provider: its key is the request URL."""
        return self.kind in (registry.PROVIDERS, registry.LINKING)

    @property
    def kind_label(self) -> str:
        """The kind in the reader's language."""
        if self.kind == registry.HUBS and is_front_page(self.url):
            return gettext("front page")
        return str(KINDS[self.kind])


@dataclass(frozen=True, slots=True)
class Health:
    """How a topic's sources fare.

    Attributes
    ----------
    n_failing : int
        Sources that failed on their last visit.
    seeds_since : datetime or None
        No seed has answered since then, if all of them fail.
    """

    n_failing: int = 0
    seeds_since: datetime | None = None


def source_lines(topic: Topic, now: datetime) -> list[SourceLine]:
    """The person's seeds and all that was found: failing ones first, the most lively ahead."""
    crawl, seeds = topic.crawl, topic.profile().seeds
    if crawl is None:
        return [SourceLine(registry.SEEDS, url, url, None, is_seed=True) for url in seeds]
    known, next_run = with_seeds(crawl, seeds, now), _next(topic, now)
    ends = _ends(crawl, list(known))
    chosen = frozenset(registry.chosen_sources(crawl, known, next_run))
    lines = [_line(key, one, ends, now, chosen) for key, one in known.items()]
    lines = [_with_rest_of_seed(line, next_run) for line in lines]
    lines.sort(key=lambda line: (line.kind != registry.SEEDS, -(line.per_day or 0), line.key))
    lines.sort(key=lambda line: line.failing_since is None)
    counts = _n_brought(crawl, [line.url for line in lines if line.url])
    blocked = crawl.settings.blocked_sites
    return [
        replace(line, n_brought=counts.get(line.url, 0), is_blocked=_is_on(line.url, blocked))
        for line in lines
    ]


def _is_on(url: str, sites: Collection[str]) -> bool:
    """True for an address on one of some sites; a search is on none."""
    return bool(url) and site_of(url) in sites


def source_health(topic: Topic, now: datetime) -> Health:
    """Return how many sources fail, and whether all seeds are among them."""
    if topic.crawl is None:
        return Health()
    seeds = topic.profile().seeds
    known = with_seeds(topic.crawl, seeds, now)
    failing = {key: one.state.failing_since for key, one in known.items()}
    places = where_known(topic.crawl, known, seeds).values()
    since = [when for place in places if (when := failing[place])]
    return Health(
        sum(when is not None for when in failing.values()),
        max(since) if since and len(since) == len(seeds) else None,
    )


def brought_by(crawl: Crawl, source: str) -> HarvestQuerySet:
    """Kept pages that the crawl came to by the links of a source, best first."""
    ends = {source, *where_they_lead(crawl, [source]).values()}
    entries = FrontierEntry.objects.filter(crawl=crawl, parent__url__in=ends)
    return Harvest.objects.filter(crawl=crawl, url__in=entries.values("url")).kept()


def _n_brought(crawl: Crawl, urls: list[str]) -> dict[str, int]:
    led = where_they_lead(crawl, urls)
    entries = FrontierEntry.objects.filter(crawl=crawl, parent__url__in={*urls, *led.values()})
    kept = Harvest.objects.filter(crawl=crawl).kept().values("url")
    rows = entries.filter(url__in=kept).values_list("parent__url").annotate(n=Count("pk"))
    counts = dict(rows.order_by())
    return {url: counts.get(url, 0) + counts.get(led.get(url, ""), 0) for url in urls}


def _next(topic: Topic, now: datetime) -> datetime:
    """When the next run may begin: sources whose pause ends before then are visited by it."""
    return max(now, topic.next_run) if topic.active and topic.next_run else now


def _ends(crawl: Crawl, urls: list[str]) -> dict[str, FrontierEntry]:
    """The outcome for URLs; of those that redirect, of the one they lead to."""
    led = where_they_lead(crawl, urls)
    wanted = {*urls, *led.values()}
    entries = FrontierEntry.objects.filter(crawl=crawl, url__url__in=wanted)
    ends = {entry.url.url: entry for entry in entries.select_related("url")}
    return ends | {url: ends[end] for url, end in led.items() if end in ends}


def _with_rest_of_seed(line: SourceLine, next_run: datetime) -> SourceLine:
    """Return when a seed that is not a feed is visited next: at least daily."""
    if not line.is_seed or line.kind in (registry.FEEDS, registry.SITEMAPS):
        return line
    rests = [line.not_before] if line.not_before else []
    if line.looked and line.failing_since is None:
        rest = SEED_REST if line.next_run else registry.LONGEST_SEED_REST
        rests.append(line.looked + rest)
    until = max(rests, default=next_run)
    if until <= next_run:
        return replace(line, next_run=True)
    return replace(line, next_run=False, not_before=until)


def _line(
    key: str,
    one: registry.KnownSource,
    ends: Mapping[str, FrontierEntry],
    now: datetime,
    chosen: Collection[str],
) -> SourceLine:
    state, entry, why = one.state, ends.get(key), None
    if one.problem is not None:
        why = Sentence(problem_sentence(one.problem.packed()))
    elif entry is not None and entry.reason and state.failing_since:
        why = reason_sentence(entry.reason)
    rest = state.next_try(now)
    return SourceLine(
        kind=one.kind,
        key=key,
        url="" if one.kind in registry.LOOKUPS else key,
        looked=one.asked or state.visited,
        per_day=state.rate.per_day if state.visited else None,
        next_run=key in chosen,
        not_before=rest if rest > now + timedelta(minutes=1) else None,
        failing_since=state.failing_since,
        failures=state.failures,
        given_up=state.is_given_up(now),
        why=why,
        is_seed=state.named,
    )

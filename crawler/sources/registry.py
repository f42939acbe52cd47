"""The registry of sources: all that a crawl visits again, of every kind."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec
from django.db.models import Count, Q

from crawler.models import Crawl, FrontierEntry, Harvest, Link, Source, Url, bulk
from crawler.page.url import site_of
from crawler.problems import Problem, ProblemKind
from crawler.reasons import Reason
from crawler.revisit.listed import Growth, growth, smoothed_share
from crawler.revisit.rate import ANY_SOURCE, FEED, Rate
from crawler.revisit.sources import SourceState, visit_order
from crawler.sources.new_sites import of_young_sites
from crawler.sources.redirects import where_they_lead
from crawler.strategies import link_notes
from focusweb.database import write_transaction

#: The kinds, by the name of the plugin that brings them.
SEEDS: Final = "pasted"
FEEDS: Final = "feeds"
SITEMAPS: Final = "sitemaps"
HUBS: Final = "hubs"
SEARCHES: Final = "searxng"
PROVIDERS: Final = "providers"
LINKING: Final = link_notes.LINKING
RATES: Final[Mapping[str, Rate]] = {
    SEEDS: ANY_SOURCE,
    FEEDS: FEED,
    SITEMAPS: ANY_SOURCE,
    HUBS: ANY_SOURCE,
    SEARCHES: ANY_SOURCE,
    PROVIDERS: ANY_SOURCE,
    LINKING: ANY_SOURCE,
}
#: What looks words or a URL up. Such a source is not a page with links, and belongs to no site.
LOOKUPS: Final = frozenset({SEARCHES, PROVIDERS, LINKING})

#: Sources of a kind that a crawl remembers, and those of one site among them.
MAX_OF_KIND: Final = 500
MAX_PER_SITE: Final = 3
#: A run visits so many, and at most this share of its budget: most answer that nothing is new,
#: which the budget does not count.
MAX_PER_RUN: Final = 60
SHARE_OF_RUN: Final = 0.5
MIN_PER_RUN: Final = 10
#: A seed that answered is visited again after so long at the latest, and before if it is worth
#: a place among the sources. A daily run visits all.
LONGEST_SEED_REST: Final = timedelta(hours=18)


@dataclass(frozen=True, slots=True)
class KnownSource:
    """A source.

    Attributes
    ----------
    kind : str
        One of `RATES`.
    asked : datetime or None
        Of a search: a visit whose results have not been counted yet.
    brought : tuple of str
        New URLs of that visit.
    n_listed : int
        How much it listed in all.
    problem : Problem or None
        Of a search: why the last look failed. Why a page did its frontier entry says.
    """

    kind: str
    state: SourceState
    asked: datetime | None = None
    brought: tuple[str, ...] = field(default=())
    n_listed: int = 0
    problem: Problem | None = None

    def turned(self, kind: str) -> "KnownSource":
        """Return the same place as a source of another kind; what was learnt of it stays."""
        rate = RATES[kind] if self.state.rate == RATES[self.kind] else self.state.rate
        return replace(self, kind=kind, state=replace(self.state, rate=rate))


#: The columns of a source that hold its state, and the others besides its address.
_STATE: Final = (
    *("since", "visited", "last_new", "overflowed", "failures", "failing_since", "failed"),
    "named",
)
_OTHERS: Final = ("kind", "rate", "asked", "brought", "n_listed", "problem")


def load_sources(crawl: Crawl) -> dict[str, KnownSource]:
    """The sources of a crawl by address (a search by its words), in the order they were found."""
    rows = crawl.sources.order_by("pk").values_list("address", *_OTHERS, *_STATE)
    return {address: _known(*values) for address, *values in rows}


def _known(
    kind: str,
    rate: Any,
    asked: datetime | None,
    brought: list[str],
    n_listed: int,
    problem: Any,
    *state: Any,
) -> KnownSource:
    found = SourceState(**dict(zip(_STATE, state, strict=True)), rate=msgspec.convert(rate, Rate))
    why = msgspec.convert(problem, Problem) if problem else None
    return KnownSource(kind, found, asked, tuple(brought), n_listed, why)


def save_sources(crawl: Crawl, known: Mapping[str, KnownSource]) -> None:
    """Make these the sources of a crawl; rows that stay as they are are not written."""
    before = load_sources(crawl)
    with write_transaction():
        for some in bulk.chunks(list(before.keys() - known.keys())):
            crawl.sources.filter(address__in=some).delete()
        Source.objects.bulk_create(
            [_row(crawl, key, one) for key, one in known.items() if before.get(key) != one],
            batch_size=bulk.MAX_VALUES // 20,
            update_conflicts=True,
            unique_fields=["crawl", "address"],
            update_fields=[*_OTHERS, *_STATE],
        )


def _row(crawl: Crawl, address: str, one: KnownSource) -> Source:
    return Source(
        crawl=crawl,
        address=address,
        kind=one.kind,
        rate=msgspec.to_builtins(one.state.rate),
        asked=one.asked,
        brought=list(one.brought),
        n_listed=one.n_listed,
        problem=msgspec.to_builtins(one.problem) if one.problem else None,
        **{name: getattr(one.state, name) for name in _STATE},
    )


def note(
    crawl: Crawl,
    kind: str,
    urls: Iterable[str],
    now: datetime,
    *,
    looked: Mapping[str, datetime] | None = None,
) -> None:
    """Register sources; `looked` has the times of those that were visited already, as pages.

    A seed becomes what it is found to be, too.
    """
    named = dict.fromkeys(urls)
    if not named:
        return
    before = load_sources(crawl)
    known = dict(before)
    n_of_kind = sum(one.kind == kind for one in known.values())
    for url in named:
        if url in known and known[url].kind == SEEDS:
            known[url] = known[url].turned(kind)
        if url in known or n_of_kind >= MAX_OF_KIND or _is_full(known, kind, url):
            continue
        state = SourceState(now, RATES[kind], visited=(looked or {}).get(url))
        known[url] = KnownSource(kind, state)
        n_of_kind += 1
    if known != before:
        save_sources(crawl, known)


def _is_full(known: Mapping[str, KnownSource], kind: str, url: str) -> bool:
    """True if a site has its share of the sources of a kind; searches belong to no site."""
    if kind in LOOKUPS:
        return False
    site = site_of(url)
    same = [other for other, one in known.items() if one.kind == kind and site_of(other) == site]
    return len(same) >= MAX_PER_SITE


def due(crawl: Crawl, now: datetime) -> dict[str, KnownSource]:
    """Return the sources that a run visits if it begins now, best first."""
    known = caught_up(crawl)
    return {key: known[key] for key in chosen_sources(crawl, known, now)}


def due_of_kind(crawl: Crawl, kind: str, now: datetime) -> tuple[str, ...]:
    """Return the sources of one kind that a run visits if it begins now, best first."""
    return tuple(key for key, one in due(crawl, now).items() if one.kind == kind)


def chosen_sources(crawl: Crawl, known: Mapping[str, KnownSource], now: datetime) -> list[str]:
    """Return those among some sources; a seed takes part while it is not due anyway."""
    states = {
        key: one.state
        for key, one in known.items()
        if one.kind != SEEDS or not seed_is_due(one.state, now)
    }
    pages = [key for key in states if known[key].kind not in LOOKUPS]
    order = visit_order(states, now, of_young_sites=of_young_sites(crawl, pages, now))
    return order[: per_run(crawl.settings.n_pages)]


def seed_is_due(state: SourceState, now: datetime) -> bool:
    """True for a seed that a run visits whatever else there is: it takes no source's place."""
    return state.visited is None or now - state.visited >= LONGEST_SEED_REST


def per_run(n_pages: int) -> int:
    """Return how many sources a run of so many pages visits."""
    return min(MAX_PER_RUN, max(MIN_PER_RUN, round(SHARE_OF_RUN * n_pages)))


def problems(crawl: Crawl, kind: str) -> tuple[Problem, ...]:
    """One for each source of a kind that fails."""
    return tuple(
        Problem(_TROUBLE[kind], key, times=one.state.failures, since=one.state.failing_since)
        for key, one in load_sources(crawl).items()
        if one.kind == kind and one.state.failing_since
    )


_TROUBLE: Final = {
    SEEDS: ProblemKind.SEED_FAILS,
    FEEDS: ProblemKind.FEED_FAILS,
    SITEMAPS: ProblemKind.SITEMAP_FAILS,
    HUBS: ProblemKind.PAGE_FAILS,
}


def caught_up(crawl: Crawl) -> dict[str, KnownSource]:
    """Return the sources after the visits that the frontier records; saved if anything is new."""
    known = load_sources(crawl)
    after = after_visits(crawl, known)
    if after != known:
        save_sources(crawl, after)
    return after


def after_visits(crawl: Crawl, known: Mapping[str, KnownSource]) -> dict[str, KnownSource]:
    """Some sources after their visits that the frontier records."""
    return {**known, **_after_searches(crawl, known), **_after_requests(crawl, known)}


def request_urls(crawl: Crawl, known: Mapping[str, KnownSource]) -> dict[str, str]:
    """Return the URL that is fetched for each source: of a seed that redirects, the last one."""
    led = where_they_lead(crawl, [key for key, one in known.items() if one.state.named])
    return {key: led.get(key, key) for key in known}


def _after_requests(crawl: Crawl, known: Mapping[str, KnownSource]) -> dict[str, KnownSource]:
    urls_of = request_urls(crawl, known)
    entries = FrontierEntry.objects.filter(crawl=crawl, url__url__in=set(urls_of.values())).filter(
        Q(ended__isnull=False) | Q(state=FrontierEntry.State.NEW, attempts__gt=0)
    )
    # A site without budget for today is not a failure of the page.
    entries = entries.exclude(reason=Reason.SITE_BUDGET)
    looked = {entry.url.url: entry for entry in entries.select_related("url", "run")}
    listed = dict(
        Link.objects.filter(source_id__in=[entry.url_id for entry in looked.values()])
        .values("source_id")
        .annotate(n=Count("target_id"))
        .values_list("source_id", "n")
    )
    after = {}
    for key, url in urls_of.items():
        if url not in looked:
            continue
        one, entry = known[key], looked[url]
        state = _after_look(crawl, one.state, entry, listed.get(entry.url_id, 0))
        if state is not None:
            after[key] = replace(one, state=state)
    return after


def _after_look(
    crawl: Crawl, state: SourceState, entry: FrontierEntry, n_listed: int
) -> SourceState | None:
    """The state after a visit that is not in it yet, if there is one."""
    ended = entry.ended
    if ended is None and entry.run is not None:
        # It failed, and is to be tried again: the run it was tried in says when.
        if state.failed is not None and state.failed >= entry.run.started:
            return None  # It was counted while the run went on.
        ended = entry.run.ended or entry.run.started
    if ended is None or ended <= (state.visited or state.since):
        return None
    if entry.state == FrontierEntry.State.DONE:
        n_new = _n_led_to(crawl, entry.url_id, state)
        if state.visited is not None:
            return state.after_visit(ended, n_new, n_listed)
        grew = _grew(crawl, entry.url, ended)
        return state.after_visit(ended, n_new, n_listed, grew)
    return state.after_failure(ended) if state.failed is None or ended > state.failed else None


def _n_led_to(crawl: Crawl, source: int, state: SourceState) -> int:
    """Pages that a source led to since its last visit, kept and not stuffed."""
    since = state.visited or state.since
    led_to = FrontierEntry.objects.filter(crawl=crawl, parent_id=source, found__gt=since)
    kept = Harvest.objects.filter(crawl=crawl).kept().not_stuffed()
    return kept.filter(url_id__in=led_to.values("url_id")).count()


def _grew(crawl: Crawl, source: Url, now: datetime) -> Growth | None:
    """How a feed or sitemap grew on topic before its first visit, by the dates in it."""
    entries = FrontierEntry.objects.filter(crawl=crawl, url__in_links__source=source)
    dates = entries.filter(listed__isnull=False).values_list("listed", flat=True)
    grew = growth([when for when in dates if when is not None], now)
    return grew and grew.of(_share_on_topic(crawl, source))


def _share_on_topic(crawl: Crawl, source: Url) -> float:
    """The share of a source's entries on topic, by what was fetched of its site or through it."""
    led_to = FrontierEntry.objects.filter(crawl=crawl, parent=source).values("url_id")
    of_source = Q(url__site_id=source.site_id) | Q(url_id__in=led_to)
    fetched = Harvest.objects.filter(of_source, crawl=crawl).exclude(url=source)
    n_kept = fetched.kept().not_stuffed().count()
    return smoothed_share(n_kept, fetched.count())


def _after_searches(crawl: Crawl, known: Mapping[str, KnownSource]) -> dict[str, KnownSource]:
    """Searches after the looks whose finds have been fetched meanwhile."""
    after = {}
    for key, one in known.items():
        if one.asked is not None:
            brought = Harvest.objects.filter(crawl=crawl, url__url__in=one.brought)
            new = brought.filter(first_seen__gte=one.asked)
            n_new = new.kept().not_stuffed().count()
            state = one.state.after_visit(one.asked, n_new, one.n_listed)
            after[key] = KnownSource(one.kind, state)
    return after

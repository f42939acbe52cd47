"""The places a topic's runs look at first, as a page shows them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from crawler.agents.database import SEED_REST
from crawler.models import Crawl, FrontierEntry, Harvest, Page, Run
from crawler.models.crawls import HarvestQuerySet
from crawler.reasons import Reason
from crawler.revisit.sources import visit_order
from crawler.sources import ledger
from crawler.sources.moved import where_they_lead
from crawler.sources.problems import Trouble
from topics.models import Topic
from topics.reasons import FINE, Sentence, sentence
from topics.source_problems import problem_told

SEED = "seed"
SEARCH_TROUBLES = frozenset(
    {Trouble.SEARCH_FAILED, Trouble.SEARCH_REFUSED, Trouble.SEARCH_UNREADABLE}
)
#: Ends of a look that are no failure of the place.
NO_FAULT = FINE | {Reason.SITE_BUDGET}
KINDS = {
    SEED: _("seed"),
    ledger.FEEDS: _("feed"),
    ledger.SITEMAPS: _("sitemap"),
    ledger.HUBS: _("page that leads to finds"),
    ledger.SEARCHES: _("search"),
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
        New pages on topic a day, as believed; None while nobody knows.
    next_run : bool
        The next run looks at it.
    not_before : datetime or None
        It rests until then.
    failing_since : datetime or None
    failures : int
        Looks in a row that failed.
    given_up : bool
    why : Sentence or None
        Why it fails.
    is_seed : bool
        The person named it, whatever it turned out to be.
    n_brought : int
        Kept pages that the crawl came to by it; 0 for a search, which is no page with links.
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

    @property
    def kind_told(self) -> str:
        """The kind in the reader's language."""
        return str(KINDS[self.kind])


def source_lines(topic: Topic, now: datetime) -> list[SourceLine]:
    """The person's seeds, then all that was found: failing ones first, the most lively ahead."""
    crawl = topic.crawl
    if crawl is None:
        return [SourceLine(SEED, url, url, None) for url in topic.profile().seeds]
    known, next_run = ledger.seen_now(crawl), _next(topic, now)
    ends = _ends(crawl, list(known))
    order = visit_order({key: one.state for key, one in known.items()}, next_run)
    chosen = frozenset(order[: ledger.per_run(crawl.settings.n_pages)])
    found = [_line(key, one, ends, now, chosen) for key, one in known.items()]
    found.sort(key=lambda line: (-(line.per_day or 0), line.key))
    lines = _seed_lines(topic, crawl, known, next_run) + found
    lines.sort(key=lambda line: line.failing_since is None)
    counts = _n_brought(crawl, [line.url for line in lines if line.url])
    named, refused = frozenset(topic.profile().seeds), _search_troubles(crawl)
    return [
        replace(
            line,
            n_brought=counts.get(line.url, 0),
            is_seed=line.key in named,
            why=line.why or (refused.get(line.key) if line.failing_since else None),
        )
        for line in lines
    ]


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


def _search_troubles(crawl: Crawl) -> dict[str, Sentence]:
    """What the newest run says of searches that failed: they have no page to ask."""
    newest = crawl.runs.order_by("-started").first()
    return {
        row["about"]: Sentence(problem_told(row), "")
        for row in (newest.problems if newest else ())
        if isinstance(row, dict) and row.get("trouble") in SEARCH_TROUBLES
    }


def n_failing(topic: Topic) -> int:
    """How many sources of a topic failed when they were last looked at."""
    if topic.crawl is None:
        return 0
    known, now = ledger.seen_now(topic.crawl), timezone.now()
    seeds = _seed_lines(topic, topic.crawl, known, now)
    return sum(one.state.failing_since is not None for one in known.values()) + sum(
        line.failing_since is not None for line in seeds
    )


def _next(topic: Topic, now: datetime) -> datetime:
    """When the next run may be: what rests until then is looked at by it."""
    return max(now, topic.next_run) if topic.active and topic.next_run else now


def _ends(crawl: Crawl, urls: list[str]) -> dict[str, FrontierEntry]:
    """What became of addresses; of those that redirect, of the one they lead to."""
    led = where_they_lead(crawl, urls)
    wanted = {*urls, *led.values()}
    entries = FrontierEntry.objects.filter(crawl=crawl, url__url__in=wanted)
    ends = {entry.url.url: entry for entry in entries.select_related("url")}
    return ends | {url: ends[end] for url, end in led.items() if end in ends}


def _seed_lines(
    topic: Topic, crawl: Crawl, known: Mapping[str, ledger.Known], next_run: datetime
) -> list[SourceLine]:
    """The person's seeds that are no sources of a rate of their own; every run asks them."""
    seeds = [url for url in topic.profile().seeds if url not in known]
    ends = _ends(crawl, seeds)
    keys = {entry.url_id for entry in ends.values()}
    looked = dict(Page.objects.filter(pk__in=keys).values_list("pk", "fetched"))
    return [
        _seed_line(url, ends[url], looked.get(ends[url].url_id), next_run)
        if url in ends
        else SourceLine(SEED, url, url, None)
        for url in seeds
    ]


def _seed_line(
    url: str, entry: FrontierEntry, fetched: datetime | None, next_run: datetime
) -> SourceLine:
    looked = fetched or (entry.ended if entry.state == FrontierEntry.State.DONE else None)
    if entry.reason and entry.reason not in NO_FAULT:
        since = _failing_since(entry, looked)
        return SourceLine(SEED, url, url, looked, failing_since=since, why=sentence(entry.reason))
    rest = looked + SEED_REST if looked else next_run
    if rest <= next_run:
        return SourceLine(SEED, url, url, looked)
    return SourceLine(SEED, url, url, looked, next_run=False, not_before=rest)


def _failing_since(entry: FrontierEntry, looked: datetime | None) -> datetime:
    """When the first run began that asked a failing seed in vain since it last answered."""
    runs = Run.objects.filter(crawl=entry.crawl_id)
    runs = runs.filter(Q(ended=None) | Q(ended__gt=entry.found))
    if looked is not None:
        runs = runs.filter(started__gt=looked + SEED_REST)
    first = runs.order_by("started").first()
    return first.started if first is not None else entry.ended or entry.found


def _line(
    key: str,
    one: ledger.Known,
    ends: Mapping[str, FrontierEntry],
    now: datetime,
    chosen: frozenset[str],
) -> SourceLine:
    state, entry = one.state, ends.get(key)
    rest = state.next_try(now)
    return SourceLine(
        kind=one.kind,
        key=key,
        url="" if one.kind == ledger.SEARCHES else key,
        looked=one.asked or state.visited,
        per_day=state.rate.per_day if state.visited else None,
        next_run=key in chosen,
        not_before=rest if rest > now + timedelta(minutes=1) else None,
        failing_since=state.failing_since,
        failures=state.failures,
        given_up=state.is_given_up(now),
        why=sentence(entry.reason) if entry and entry.reason and state.failing_since else None,
    )

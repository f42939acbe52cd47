"""A crawl's own pages, read back from the tables as a web to crawl again."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from django.db.models import Q, QuerySet

from crawler.errors import CrawlError
from crawler.knowledge.profile import TopicProfile
from crawler.models import Crawl, FrontierEntry, Page, Url
from crawler.models.bulk import chunks
from crawler.models.web import as_unsigned
from crawler.page.parsed import Blocks, PageLink, PageTerms, ParsedPage, StoredLinks
from crawler.reasons import Reason
from crawler.replay.metrics import Truth
from crawler.replay.oracle import breadth_first_order, followable_links
from crawler.replay.parsed_snapshot import one_scheme
from crawler.replay.snapshot import snapshot_key
from crawler.store.frontier.seeds import seed_pages
from crawler.store.labels import load_labels
from crawler.text.tokens import tokenize

#: Seeds taken when the person gave none whose page is held: what the sources brought.
MAX_SEEDS = 50
#: Pages read with one query.
PAGES_AT_ONCE = 100
#: Pages of other crawls that a judge may know.
N_OTHERS = 300


class TooLittleStored(CrawlError):
    """A crawl holds too few pages for a comparison; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class StoredCrawl:
    """What a crawl has fetched, as a web of its own.

    Attributes
    ----------
    profile : TopicProfile
        The topic; its seeds are those whose pages are held, with http.
    pages : mapping of str to ParsedPage
        By `snapshot_key`, with http throughout and without text.
    numbers : mapping of str to int
        The page's number in the tables, by the same keys.
    truth : Truth
        What counts as found: pages that are kept now, a person's word before the judge's.
    """

    profile: TopicProfile
    pages: Mapping[str, ParsedPage]
    numbers: Mapping[str, int]
    truth: Truth


def read_stored_crawl(crawl: Crawl, *, max_pages: int | None = None) -> StoredCrawl:
    """Read the newest pages of a crawl, and always those of its seeds.

    Raises
    ------
    TooLittleStored
        If no page of a seed is held, or none but seeds is kept.
    """
    seeds = _seeds(crawl)
    if not seeds:
        raise TooLittleStored("no page of a seed has been fetched yet")
    rows = Page.objects.filter(url__harvests__crawl=crawl).exclude(packed_terms=b"")
    newest = list(rows.order_by("-fetched", "pk").values_list("pk", flat=True)[:max_pages])
    chosen = list(dict.fromkeys([*seeds, *newest]))[:max_pages]
    urls: dict[int, str] = {}
    moved = _moved(crawl)
    pages: dict[str, ParsedPage] = {}
    numbers: dict[str, int] = {}
    for some in chunks(chosen, PAGES_AT_ONCE):
        stored = Page.objects.filter(pk__in=some).select_related("url", "canonical")
        _look_up(urls, {number for page in stored for number in page.links.targets})
        for page in stored:
            key = snapshot_key(page.url.url)
            if key not in pages:
                pages[key] = parsed_of(page, urls, moved)
                numbers[key] = page.pk
    truth = _truth(crawl, pages, numbers, seeds)
    if not truth.wanted:
        raise TooLittleStored("none of the fetched pages is kept, but for the seeds")
    own = tuple(f"http://{key}" for key in pages if key in truth.seeds)
    return StoredCrawl(replace(crawl.profile, seeds=own), pages, numbers, truth)


def parsed_of(page: Page, urls: Mapping[int, str], moved: Mapping[str, str]) -> ParsedPage:
    """Return a stored page as the parser gave it, without its text.

    Parameters
    ----------
    urls : mapping of int to str
        The URL behind each number; links to others are left out, as those of removed sites.
    moved : mapping of str to str
        Where a URL redirects to in the end.
    """
    terms = page.terms
    return ParsedPage(
        url=one_scheme(page.url.url),
        title=page.title,
        terms=terms,
        links=_links(page.links, urls, moved),
        blocks=Blocks(terms, page.links.spans),
        spans=page.links.spans,
        language=page.language,
        canonical=one_scheme(page.canonical.url) if page.canonical else "",
        noindex=page.noindex,
        flags=page.flags.split(",") if page.flags else [],
        fingerprint=as_unsigned(page.fingerprint),
        own_fingerprint=as_unsigned(page.own_fingerprint or 0),
    )


def other_pages(crawl: Crawl) -> list[PageTerms]:
    """Pages that only other crawls have fetched, as background for a judge."""
    others = Page.objects.exclude(url__harvests__crawl=crawl).exclude(packed_terms=b"")
    # Fingerprints are as good as random, and the same at every call.
    return [page.terms for page in others.order_by("fingerprint").only("packed_terms")[:N_OTHERS]]


def _seeds(crawl: Crawl) -> list[int]:
    """Numbers of the pages at the seeds."""
    given = [page.pk for page in seed_pages(crawl)]
    if given:
        return given
    first = _fetched(crawl).filter(depth_hops=0).order_by("-priority", "pk")
    return list(first.values_list("url_id", flat=True)[:MAX_SEEDS])


def _fetched(crawl: Crawl) -> QuerySet[FrontierEntry]:
    return FrontierEntry.objects.filter(
        Q(url__page__isnull=False) & ~Q(url__page__packed_terms=b""), crawl=crawl
    )


def _moved(crawl: Crawl) -> dict[str, str]:
    entries = FrontierEntry.objects.filter(crawl=crawl, reason=Reason.REDIRECTED)
    first = dict(entries.values_list("url__url", "detail"))
    ends = {}
    for url, target in first.items():
        way = [url]
        while target in first and target not in way:
            way.append(target)
            target = first[target]
        ends[url] = target
    return ends


def _look_up(urls: dict[int, str], numbers: Collection[int]) -> None:
    for some in chunks(sorted(set(numbers) - urls.keys())):
        urls.update(Url.objects.filter(pk__in=some).values_list("pk", "url"))


def _links(
    stored: StoredLinks, urls: Mapping[int, str], moved: Mapping[str, str]
) -> list[PageLink]:
    links: dict[str, PageLink] = {}
    rows = zip(stored.targets, stored.anchors, stored.blocks, strict=True)
    for number, anchor, block in rows:
        url = urls.get(number)
        if url is not None:
            target = one_scheme(moved.get(url, url))
            links.setdefault(target, PageLink(target, anchor, tokenize(anchor), block))
    return list(links.values())


def _truth(
    crawl: Crawl, pages: Mapping[str, ParsedPage], numbers: Mapping[str, int], seeds: list[int]
) -> Truth:
    """Kept pages are the truth; a person's thumb stands before the judge's verdict."""
    word = {row.page: row.good for row in load_labels(crawl) if row.decided and row.page}
    kept = set(crawl.harvests.kept().values_list("url_id", flat=True))
    relevant = frozenset(key for key, number in numbers.items() if word.get(number, number in kept))
    own = frozenset(key for key, number in numbers.items() if number in set(seeds))
    order = breadth_first_order(followable_links(pages), sorted(own))
    return Truth(relevant, own, len(relevant), len(relevant.intersection(order)))

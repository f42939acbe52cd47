"""The knowledge base in tables: named values of a crawl, and the judge's library."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from django.db.models import F, Q, QuerySet

from crawler.knowledge.background import N_BACKGROUND, SCATTER, SCATTERED, n_others
from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Example, Library
from crawler.models import Crawl, FrontierEntry, Knowledge, Page
from crawler.models.web import unpack_terms
from crawler.ranking.standing import Standing

#: Terms as a table holds them.
Packed = bytes | memoryview

#: What a judge keeps stands under this and its name.
MEMORY = "judge:"
#: The quantiles of the kept pages.
STANDING = "standing"
_Tables = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Vouched:
    """A page a person vouches for, as handed to the crawler.

    Attributes
    ----------
    good : bool
        It is on topic, or a bad example.
    weight : float
        Trust beside a seed's 1.
    page : int
        Number of the stored page; 0 if `terms` are given.
    terms : bytes
        Packed terms of a page that is not stored.
    decided : bool
        The person's word on this very page stands, whatever the judge says of it.
    """

    good: bool
    weight: float
    page: int = 0
    terms: bytes = b""
    decided: bool = False

    @property
    def is_rated(self) -> bool:
        """True for a thumb or a bad example: the judge does not learn from it."""
        return self.decided or not self.good


def load_value(crawl: Crawl, name: str) -> bytes | None:
    """A named value, or None if it was never saved."""
    row = crawl.knowledge.filter(name=name).values_list("payload", flat=True).first()
    return None if row is None else bytes(row)


def save_value(crawl: Crawl, name: str, payload: bytes, *, new_version: bool = False) -> None:
    """Keep a named value; a new version tells agents to be briefed again."""
    step = int(new_version)
    changed = crawl.knowledge.filter(name=name).update(payload=payload, version=F("version") + step)
    if not changed:
        Knowledge.objects.create(crawl=crawl, name=name, payload=payload)


def knowledge_version(crawl: Crawl) -> int:
    """A number that grows with every lesson that agents must be told of."""
    rows = crawl.knowledge.filter(Q(name__in=("library", "examples")) | Q(name__startswith=MEMORY))
    return sum(rows.values_list("version", flat=True))


def load_standing(crawl: Crawl) -> Standing:
    """How the kept pages stood when they were last ranked."""
    packed = load_value(crawl, STANDING)
    return Standing(*msgspec.msgpack.decode(packed, type=_Tables)) if packed else Standing()


def save_standing(crawl: Crawl, standing: Standing) -> None:
    """Keep by what the kept pages were ranked."""
    save_value(crawl, STANDING, msgspec.msgpack.encode((standing.relevances, standing.densities)))


def load_vouched(crawl: Crawl) -> list[Vouched]:
    """The pages a person vouches for."""
    packed = load_value(crawl, "examples")
    return msgspec.msgpack.decode(packed, type=list[Vouched]) if packed else []


def decided_pages(crawl: Crawl) -> dict[int, bool]:
    """Pages on which a person's word stands, by number: kept, or not."""
    return {row.page: row.good for row in load_vouched(crawl) if row.decided}


def save_vouched(crawl: Crawl, vouched: Sequence[Vouched]) -> bool:
    """Hand over the pages a person vouches for; False if they are known already."""
    packed = msgspec.msgpack.encode(list(vouched))
    if packed == (load_value(crawl, "examples") or msgspec.msgpack.encode([])):
        return False
    save_value(crawl, "examples", packed, new_version=True)
    return True


def find_library(crawl: Crawl) -> Library:
    """The pages this crawl's judge may learn from."""
    packed = load_value(crawl, "library")
    seeds = seed_pages(crawl)
    vouched = load_vouched(crawl)
    # What a thumb says of a page changes nothing of what the judge learns from.
    shown = [row for row in vouched if not row.is_rated]
    named = {row.page for row in shown if row.page}
    known = [page.pk for page in seeds] + sorted(named)
    fetched = _fetched_pages(crawl, known)
    background = [*fetched, *_other_pages(crawl, known, n_others(len(fetched)))]
    # A seed that was given as an example, too, counts once.
    examples = [Example(page.terms) for page in seeds if page.pk not in named]
    return Library(
        frequencies=DocumentFrequencies.load(packed) if packed else DocumentFrequencies(),
        examples=examples + _examples(shown),
        background=[unpack_terms(terms) for terms in background],
        n_fetched=len(fetched),
        memories=_memories(crawl),
        rated=_examples([row for row in vouched if row.is_rated]),
    )


def _memories(crawl: Crawl) -> dict[str, bytes]:
    rows = crawl.knowledge.filter(name__startswith=MEMORY).values_list("name", "payload")
    return {name.removeprefix(MEMORY): bytes(payload) for name, payload in rows}


def _fetched_pages(crawl: Crawl, known: Sequence[int]) -> list[Packed]:
    """Packed terms of pages this crawl fetched, a sample that is the same at every call."""
    own = Page.objects.filter(url__harvests__crawl=crawl).exclude(pk__in=known)
    return _scattered(own, N_BACKGROUND)


def _other_pages(crawl: Crawl, known: Sequence[int], n_pages: int) -> list[Packed]:
    """Packed terms of pages that only other crawls fetched, a sample likewise."""
    others = Page.objects.exclude(url__harvests__crawl=crawl).exclude(pk__in=known)
    return _scattered(others, n_pages)


def _scattered(pages: QuerySet[Page], n_pages: int) -> list[Packed]:
    shuffled = pages.exclude(packed_terms=b"").order_by(F("pk") * SCATTER % SCATTERED)
    return list(shuffled.values_list("packed_terms", flat=True)[:n_pages])


def _examples(vouched: Sequence[Vouched]) -> list[Example]:
    pages = Page.objects.filter(pk__in=[row.page for row in vouched if row.page])
    stored = dict(pages.values_list("pk", "packed_terms"))
    examples = []
    for row in vouched:
        terms = unpack_terms(row.terms or stored.get(row.page, b""))
        if len(terms):
            examples.append(Example(terms, row.good, row.weight))
    return examples


def seed_pages(crawl: Crawl) -> list[Page]:
    """Pages at the seeds a person gave, or where those redirect to."""
    return list(Page.objects.filter(pk__in=_seed_numbers(crawl)).order_by("pk"))


def has_seed(crawl: Crawl, keys: Sequence[int]) -> bool:
    """True if one of some pages is a seed's: what a run begins with beside them is none."""
    return _seed_numbers(crawl).filter(url_id__in=keys).exists()


def _seed_numbers(crawl: Crawl) -> QuerySet[FrontierEntry, int]:
    given = list(crawl.profile.seeds)
    reached = FrontierEntry.objects.filter(
        Q(url__url__in=given) | Q(depth_hops=0, parent__url__in=given), crawl=crawl
    )
    return reached.values_list("url_id", flat=True)

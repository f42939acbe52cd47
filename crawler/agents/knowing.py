"""The knowledge base in tables: named values of a crawl, and the judge's library."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from django.db.models import F, Q

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Example, Library
from crawler.models import Crawl, FrontierEntry, Harvest, Knowledge, Page
from crawler.models.web import unpack_terms

#: What a judge keeps stands under this and its name.
MEMORY = "judge:"
#: Pages of any subject that a judge may compare with.
N_BACKGROUND = 300


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
    named = {row.page for row in vouched if row.page}
    known = [page.pk for page in seeds] + sorted(named)
    background = _background(crawl, known)
    # What a person said of a seed's page later counts, not that it was given.
    examples = [Example(page.terms) for page in seeds if page.pk not in named]
    return Library(
        frequencies=DocumentFrequencies.load(packed) if packed else DocumentFrequencies(),
        examples=examples + _examples(vouched),
        background=[unpack_terms(terms) for terms in background],
        memories=_memories(crawl),
    )


def _memories(crawl: Crawl) -> dict[str, bytes]:
    rows = crawl.knowledge.filter(name__startswith=MEMORY).values_list("name", "payload")
    return {name.removeprefix(MEMORY): bytes(payload) for name, payload in rows}


def _background(crawl: Crawl, known: Sequence[int]) -> list[bytes | memoryview]:
    """Packed terms of pages of any subject, at most `N_BACKGROUND`.

    The better a crawl is, the more of its own pages are on topic: told from those, the
    topic would vanish. So only the half that fits it least is taken, and beside it
    what other crawls have fetched.
    """
    own = Harvest.objects.filter(crawl=crawl).exclude(url_id__in=known)
    least = own.order_by("relevance", "pk").values_list("url_id", flat=True)[: own.count() // 2]
    others = Page.objects.exclude(url__harvests__crawl=crawl).exclude(pk__in=known)
    # Fingerprints are as good as random, and the same at every call.
    found = list(
        Page.objects.filter(pk__in=list(least))
        .order_by("fingerprint")
        .values_list("packed_terms", flat=True)[:N_BACKGROUND]
    )
    found += (
        others.exclude(packed_terms=b"")
        .order_by("fingerprint")
        .values_list("packed_terms", flat=True)[: N_BACKGROUND - len(found)]
    )
    return found


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
    given = list(crawl.profile.seeds)
    reached = FrontierEntry.objects.filter(
        Q(url__url__in=given) | Q(depth_hops=0, parent__url__in=given), crawl=crawl
    )
    return list(Page.objects.filter(pk__in=reached.values("url_id")).order_by("pk"))

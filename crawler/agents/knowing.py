"""The knowledge base in tables: named values of a crawl, and the judge's library."""

from django.db.models import F, Q

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Example, Library
from crawler.models import Crawl, FrontierEntry, Knowledge, Page
from crawler.models.web import unpack_terms

#: Pages of any subject that a judge may compare with.
N_BACKGROUND = 300


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


def find_library(crawl: Crawl) -> Library:
    """The pages this crawl's judge may learn from."""
    packed = load_value(crawl, "library")
    examples = seed_pages(crawl)
    background = (
        Page.objects.filter(url__harvests__crawl=crawl)
        .exclude(pk__in=[page.pk for page in examples])
        # Fingerprints are as good as random, and the same at every call.
        .order_by("fingerprint")
        .values_list("packed_terms", flat=True)[:N_BACKGROUND]
    )
    return Library(
        frequencies=DocumentFrequencies.load(packed) if packed else DocumentFrequencies(),
        examples=[Example(page.terms) for page in examples],
        background=[unpack_terms(terms) for terms in background],
    )


def seed_pages(crawl: Crawl) -> list[Page]:
    """Pages at the seeds a person gave, or where those redirect to."""
    given = list(crawl.profile.seeds)
    reached = FrontierEntry.objects.filter(
        Q(url__url__in=given) | Q(depth_hops=0, parent__url__in=given), crawl=crawl
    )
    return list(Page.objects.filter(pk__in=reached.values("url_id")).order_by("pk"))

"""The pages that the judge of a crawl learns from, read from tables."""

from collections.abc import Mapping, Sequence

import msgspec
from django.db.models import F, QuerySet

from crawler.judging.stored_terms import PackedPages
from crawler.knowledge.background import N_BACKGROUND, SCATTER, SCATTERED, n_others
from crawler.knowledge.judge import Example, TrainingSet
from crawler.knowledge.sections import Sections
from crawler.knowledge.suffixes import has_own_words
from crawler.models import Crawl, Knowledge, Page, bulk
from crawler.models.values import load_value, save_value
from crawler.models.web import unpack_terms
from crawler.store.frontier.seeds import seed_pages
from crawler.store.labels import LabelledPage, load_labels
from crawler.store.term_counts import load_term_counts

#: Terms as a table holds them.
Packed = bytes | memoryview

#: In larger crawls terms seen on one page only may be forgotten.
MAX_COUNTED_PAGES = 5_000

#: What a judge keeps stands under this and its name.
MEMORY = "judge:"
SECTIONS = "sections"
SHARED_TERMS = "shared_terms"


def knowledge_version(crawl: Crawl) -> int:
    """Return a number that changes whenever agents must build their context again."""
    [(version, learnt)] = bulk.select(
        f"SELECT crawl.version, (SELECT SUM(version) FROM {bulk.table(Knowledge)}"
        " WHERE crawl_id = crawl.id AND ("
        "name IN ('library', 'examples', 'sections', 'shared_terms')"
        f" OR name LIKE %s)) FROM {bulk.table(Crawl)} crawl WHERE crawl.id = %s",
        [f"{MEMORY}%", crawl.pk],
    )
    return int(version) * 1_000_000 + int(learnt or 0)


def load_training_set(crawl: Crawl, labels: Sequence[LabelledPage] | None = None) -> TrainingSet:
    """The pages this crawl's judge may learn from, with these labels instead of its own."""
    seeds = seed_pages(crawl)
    labels = load_labels(crawl) if labels is None else labels
    # What a thumb says of a page changes nothing of what the judge learns from.
    shown = [row for row in labels if not row.is_rated]
    named = {row.page for row in shown if row.page}
    known = [page.pk for page in seeds] + sorted(named)
    fetched = _fetched_pages(crawl, known)
    background = [*fetched, *_other_pages(crawl, known, n_others(len(fetched)))]
    # A seed that was given as an example, too, counts once.
    examples = [Example(page.terms) for page in seeds if page.pk not in named]
    return TrainingSet(
        frequencies=load_term_counts(crawl),
        examples=examples + _examples(shown),
        # Some judges read none of it.
        background=PackedPages([bytes(terms) for terms in background]),
        n_fetched=len(fetched),
        memories=_memories(crawl),
        rated=_examples([row for row in labels if row.is_rated]),
    )


def load_sections(crawl: Crawl) -> Sections:
    """Return how relevant the pages in each section were when all pages were judged last."""
    return Sections.unpack(load_value(crawl, SECTIONS) or b"")


def save_sections(crawl: Crawl, sections: Sections) -> None:
    """Keep how relevant the pages in each section are; agents then build their context again."""
    packed = sections.pack()
    if packed != (load_value(crawl, SECTIONS) or Sections().pack()):
        save_value(crawl, SECTIONS, packed, new_version=True)


def load_shared_terms(crawl: Crawl) -> dict[str, float]:
    """Return the words that the top pages shared when all pages were judged last."""
    packed = load_value(crawl, SHARED_TERMS)
    return msgspec.msgpack.decode(packed, type=dict[str, float]) if packed else {}


def save_shared_terms(crawl: Crawl, shared: Mapping[str, float]) -> None:
    """Keep the words that the top pages share; agents then build their context again."""
    if shared != load_shared_terms(crawl):
        save_value(crawl, SHARED_TERMS, msgspec.msgpack.encode(shared), new_version=True)


def count_words(crawl: Crawl) -> tuple[int, bool]:
    """Count the pages that were judged; False if none of them holds a word of the topic."""
    seen = load_term_counts(crawl)
    known = 0 < seen.total <= MAX_COUNTED_PAGES
    return seen.total, not known or has_own_words(crawl.profile, seen.terms)


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


def _examples(labels: Sequence[LabelledPage]) -> list[Example]:
    pages = Page.objects.filter(pk__in=[row.page for row in labels if row.page])
    stored = {
        pk: (packed, url) for pk, packed, url in pages.values_list("pk", "packed_terms", "url__url")
    }
    examples = []
    for row in labels:
        packed, url = stored.get(row.page, (b"", ""))
        terms = unpack_terms(row.terms or packed)
        if len(terms):
            examples.append(Example(terms, row.good, row.weight, row.page, row.answers, url))
    return examples

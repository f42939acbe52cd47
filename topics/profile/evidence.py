"""Pages that show what a topic is, and pages that were not kept: what suggested terms rest on."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from crawler.api.judging import load_labels, load_training_set, seed_pages
from crawler.api.pages import PageTerms, text_terms
from crawler.api.tables import Crawl, Harvest, Page, Url
from crawler.api.text import tokenize
from topics.models import Topic

#: Pages that a person gave and that are read, the best kept ones beside them, those of one site.
N_READ: Final = 20
N_KEPT: Final = 30
N_OF_A_SITE: Final = 12
#: How much is read of a page that a person gave, and of another one.
MAX_CHARS: Final = 20_000
MAX_KEPT_CHARS: Final = 4_000
#: Pages that were not kept, for comparison; with fewer nothing is compared.
N_OTHERS: Final = 300
MIN_OTHERS: Final = 10
#: A suggested term stands on so many times as great a share of the topic's pages as of others.
LEAST_LIFT: Final = 2.0
#: It stands on such a share of the topic's pages, at least.
LEAST_SHARE: Final = 0.1
#: From so many pages on, a term has to stand on two of them, and on two sites if there are two.
MANY: Final = 6
#: Pages below its own URL that an index page links to, at least.
MIN_BELOW: Final = 3

_INDEX_PATH: Final = re.compile(r"/(?:(?:index|default)\.[a-z]{3,5})?$")


@dataclass(frozen=True, slots=True)
class TopicArticle:
    """A text that shows what a topic is.

    Attributes
    ----------
    words : frozenset of str
        Its tokens without those of link texts alone.
    site : str
        "" for a pasted text.
    is_example : bool
        A person gave it as an example.
    """

    text: str
    terms: PageTerms
    words: frozenset[str]
    site: str = ""
    is_example: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """What suggestions rest on.

    Attributes
    ----------
    articles : sequence of TopicArticle
        What a person gave, then the best kept pages.
    others : sequence of PageTerms
        Bad examples, pages that the crawl did not keep, pages of other crawls.
    """

    articles: Sequence[TopicArticle]
    others: Sequence[PageTerms]
    _other_words: list[frozenset[str]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "_other_words", [frozenset(page.vocabulary) for page in self.others]
        )

    def supports(self, tokens: Iterable[str]) -> bool:
        """True if the topic's pages hold all tokens more often than others, on two sites at least.

        A word of one site alone is often a part of its name or of its menu. One example that a
        person gave is enough, however.
        """
        wanted = frozenset(tokens)
        examples = [one for one in self.articles if one.is_example]
        holding = [one for one in self.articles if wanted <= one.words]
        if not wanted or not holding:
            return False
        if len(self.articles) < MANY or self._is_commoner(wanted, examples):
            return True
        n_sites = len({one.site for one in self.articles})
        on_sites = len({one.site for one in holding})
        return (
            len(holding) >= max(2, LEAST_SHARE * len(self.articles))
            and on_sites >= min(2, n_sites)
            and self._is_commoner(wanted, self.articles)
        )

    def _is_commoner(self, wanted: frozenset[str], articles: Sequence[TopicArticle]) -> bool:
        """True if a greater share of some articles than of other pages holds all tokens."""
        n_holding = sum(wanted <= one.words for one in articles)
        if not n_holding or len(self.others) < MIN_OTHERS:
            return n_holding > 0
        n_others = sum(wanted <= words for words in self._other_words)
        return n_holding / len(articles) >= LEAST_LIFT * n_others / len(self.others)

    def repetitions(self) -> dict[str, float]:
        """Return 1 + how often each token occurs on an article that holds it, on average.

        A word of the subject is said again and again; a word of any text is not [Church 2000].
        """
        pages: Counter[str] = Counter()
        times: Counter[str] = Counter()
        for article in self.articles:
            pages.update(article.terms.vocabulary)
            counts = article.terms.counts().tolist()
            times.update(dict(zip(article.terms.vocabulary, counts, strict=True)))
        return {token: 1 + times[token] / n_pages for token, n_pages in pages.items()}


def evidence_of(topic: Topic, crawl: Crawl) -> Evidence:
    """Read what shows the topic: pasted texts, example and seed pages, the best kept pages.

    Feeds, front pages and lists mention many subjects, so their words say little of the topic.
    """
    labels = load_labels(crawl)
    named = [row.page for row in labels if row.good and row.page]
    bad = [row.page for row in labels if not row.good and row.page]
    pages = {page.pk: page for page in [*_pages(named), *seed_pages(crawl)]}
    pasted = topic.examples.filter(good=True).exclude(text="").values_list("text", flat=True)
    given = [_pasted(text) for text in pasted]
    given += [
        replace(_article(page, MAX_CHARS), is_example=page.pk in named)
        for page in pages.values()
        if _is_article(page)
    ]
    kept = [_article(page, MAX_KEPT_CHARS) for page in _best_kept(crawl, [*pages, *bad])]
    rated = [example.terms for example in load_training_set(crawl).rated if not example.good]
    return Evidence([*given[:N_READ], *kept], [*rated, *_others(crawl)])


def _pages(keys: Collection[int]) -> list[Page]:
    return list(Page.objects.filter(pk__in=keys).select_related("url__site"))


def _pasted(text: str) -> TopicArticle:
    terms = text_terms(text[:MAX_CHARS])
    return TopicArticle(text[:MAX_CHARS], terms, frozenset(terms.vocabulary), is_example=True)


def _article(page: Page, max_chars: int) -> TopicArticle:
    text = f"{page.title}\n{page.text}"[:max_chars]
    terms = text_terms(text)
    links = page.links
    # What stands in link texts alone is the name of another page or site.
    linked = Counter(
        token
        for anchor, block in zip(links.anchors, links.blocks, strict=True)
        if block >= 0
        for token in tokenize(anchor)
    )
    counts = zip(terms.vocabulary, terms.counts().tolist(), strict=True)
    words = frozenset(token for token, count in counts if count > linked[token])
    return TopicArticle(text, terms, words, page.url.site.name)


def _is_article(page: Page) -> bool:
    return page.has_article and not _is_index(page)


def _is_index(page: Page) -> bool:
    """True for a front page or table of contents: it links to several pages below its own URL."""
    address = page.url.url
    if not _INDEX_PATH.search(address):
        return False
    below = Url.objects.filter(
        pk__in=page.links.targets, url__startswith=address.rpartition("/")[0] + "/"
    )
    return below.exclude(pk=page.pk).count() >= MIN_BELOW


def _best_kept(crawl: Crawl, known: Collection[int]) -> list[Page]:
    """The most relevant kept articles, some of each site."""
    rows = Harvest.objects.filter(crawl=crawl).kept().exclude(url__in=known)
    keys = list(rows.order_by("-relevance", "pk").values_list("url", flat=True)[: 3 * N_KEPT])
    found = {page.pk: page for page in _pages(keys)}
    chosen: list[Page] = []
    counts: Counter[str] = Counter()
    for page in (found[key] for key in keys if key in found):
        site = page.url.site.name
        if len(chosen) < N_KEPT and counts[site] < N_OF_A_SITE and _is_article(page):
            counts[site] += 1
            chosen.append(page)
    return chosen


def _others(crawl: Crawl) -> list[PageTerms]:
    """Terms of pages that were fetched and not kept, then of those that only other crawls know."""
    pages = Page.objects.exclude(packed_terms=b"").only("packed_terms").order_by("-pk")
    own = Harvest.objects.filter(crawl=crawl)
    left = list(pages.filter(pk__in=own.filter(kept=False).values("url"))[:N_OTHERS])
    foreign = pages.exclude(pk__in=own.values("url"))[: N_OTHERS - len(left)]
    return [page.terms for page in [*left, *foreign]]

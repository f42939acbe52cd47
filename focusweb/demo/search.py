"""A search engine over the demo web's own pages, with SearXNG's answers.

Latin words match as words, Chinese as pairs of characters; enough for a demo,
and on purpose independent of the product's own tokenizer and index.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Self

from focusweb.demo.web import DemoPage

RESULTS_PER_PAGE: Final = 10
_TITLE_WEIGHT: Final = 8
_SNIPPET_CHARS: Final = 160
_RUNS = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class DemoResult:
    """A page that was found; a higher score is better."""

    url: str
    title: str
    content: str
    score: float


@dataclass(frozen=True, slots=True)
class DemoSearch:
    """An index in memory: how often each word occurs on each page."""

    pages: tuple[DemoPage, ...]
    counts: tuple[Counter[str], ...]
    page_frequency: Mapping[str, int]

    @classmethod
    def over(cls, pages: Iterable[DemoPage]) -> Self:
        """Index every page that wants to be found."""
        listed = tuple(page for page in pages if page.is_listed)
        counts = tuple(_page_words(page) for page in listed)
        return cls(listed, counts, Counter(word for count in counts for word in count))

    def find(self, query: str) -> list[DemoResult]:
        """Return all pages with at least half of the query's words, best first."""
        wanted = sorted(set(search_words(query)))
        scored = []
        for page, count in zip(self.pages, self.counts, strict=True):
            found = [word for word in wanted if word in count]
            if wanted and 2 * len(found) >= len(wanted):
                score = sum(self._rarity(word) * math.log1p(count[word]) for word in found)
                scored.append(DemoResult(page.url, page.title, _snippet(page, found), score))
        return sorted(scored, key=lambda result: (-result.score, result.url))

    def _rarity(self, word: str) -> float:
        return math.log1p(len(self.pages) / self.page_frequency[word])


def search_words(text: str) -> list[str]:
    """Split a text into Latin words and pairs of Chinese characters."""
    words: list[str] = []
    for run in _RUNS.findall(text.lower()):
        if run[0].isascii() or len(run) == 1:
            words.append(run)
        else:
            words.extend(run[i : i + 2] for i in range(len(run) - 1))
    return words


def searxng_json(query: str, results: list[DemoResult], page_number: int = 1) -> bytes:
    """Write one page of results as SearXNG's `format=json` does."""
    first = (page_number - 1) * RESULTS_PER_PAGE
    shown = [
        {
            "url": result.url,
            "title": result.title,
            "content": result.content,
            "engine": "demo",
            "engines": ["demo"],
            "category": "general",
            "score": round(result.score, 4),
        }
        for result in results[first : first + RESULTS_PER_PAGE]
    ]
    answer = {
        "query": query,
        "number_of_results": len(results),
        "results": shown,
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }
    return json.dumps(answer, ensure_ascii=False).encode("utf-8")


def _page_words(page: DemoPage) -> Counter[str]:
    words = Counter(search_words(page.text))
    for word in search_words(page.title):
        words[word] += _TITLE_WEIGHT
    return words


def _snippet(page: DemoPage, words: list[str]) -> str:
    """Cut a piece of text around the first word that was found."""
    text = " ".join(page.text.split())
    places = [place for word in words if (place := text.lower().find(word)) >= 0]
    start = max(0, min(places, default=0) - _SNIPPET_CHARS // 4)
    piece = text[start : start + _SNIPPET_CHARS]
    return f"{'…' if start else ''}{piece}{'…' if start + _SNIPPET_CHARS < len(text) else ''}"

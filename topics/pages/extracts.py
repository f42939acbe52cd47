"""What lists quote from pages: the two sentences that say most about a topic, and its terms.

Each page costs 1 ms and more. So a process remembers quotes, by a key of all that they are made
of, and those of the pages that are listed first are stored with the topic's news.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final

from crawler.api.pages import choose_extract
from crawler.api.profiles import profile_vector
from crawler.api.tables import Crawl, Harvest
from crawler.api.text import surface_tokens, tokenize
from topics.pages.explain import found_terms
from topics.search.snippet import Fragment, Piece

#: Pages whose quotes a process remembers, of about 1 KB each.
MAX_REMEMBERED: Final = 4000

#: Quotes as JSON holds them: by key, the pieces of the extract and the terms.
StoredQuotes = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Quotes:
    """What a list quotes from the text of a page.

    Attributes
    ----------
    extract : Fragment
        Empty for a page without text.
    terms : tuple of tuples of str
        The topic's terms found on the page, as `matched_terms` gives them.
    """

    extract: Fragment
    terms: tuple[tuple[str, str], ...]


_remembered: dict[str, Quotes] = {}


@dataclass(frozen=True, eq=False)
class TopicWords:
    """The weight of each token that a topic is about."""

    weights: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def digest(self) -> bytes:
        """The same for the same weights only."""
        said = repr(sorted(self.weights.items())).encode("utf-8", "backslashreplace")
        return blake2b(said, digest_size=20).digest()


def words_of(crawl: Crawl) -> TopicWords:
    """Return the words that a crawl's topic is about."""
    return TopicWords(profile_vector(crawl.profile))


def quotes_of(harvest: Harvest, words: TopicWords, stored: StoredQuotes | None = None) -> Quotes:
    """Return what a list quotes from a page for a topic of some words.

    `stored` is what `stored_quotes` gave; what is out of date in it is not used.
    """
    key = _key(harvest, words)
    quotes = _remembered.get(key)
    if quotes is None:
        found = stored.get(key) if stored else None
        quotes = _made(harvest, words) if found is None else _read(*found)
        if len(_remembered) >= MAX_REMEMBERED:
            _remembered.clear()
        _remembered[key] = quotes
    return quotes


def stored_quotes(harvests: Iterable[Harvest], words: TopicWords) -> StoredQuotes:
    """Return the quotes of some pages, for `quotes_of` in any process."""
    return {_key(harvest, words): _written(quotes_of(harvest, words)) for harvest in harvests}


def _key(harvest: Harvest, words: TopicWords) -> str:
    page, explanation = harvest.page, harvest.explanation
    matched = [explanation.get(part, {}).get("matched") for part in ("judge", "content")]
    said = repr((page.title, page.line_kinds, matched)).encode("utf-8", "backslashreplace")
    made_of = b"%b%b\0%b" % (words.digest, said, bytes(page.packed_text))
    return blake2b(made_of, digest_size=16).hexdigest()


def _made(harvest: Harvest, words: TopicWords) -> Quotes:
    page = harvest.page
    text = page.text
    terms = found_terms(harvest.explanation, f"{page.title}\n{text}")
    return Quotes(extract_of(text, page.line_kinds or "", words), tuple(terms))


def _written(quotes: Quotes) -> list[Any]:
    return [[(one.text, one.is_marked) for one in quotes.extract.pieces], quotes.terms]


def _read(pieces: Iterable[tuple[str, bool]], terms: Iterable[tuple[str, str]]) -> Quotes:
    extract = Fragment(tuple(Piece(text, is_marked) for text, is_marked in pieces))
    return Quotes(extract, tuple((term, via) for term, via in terms))


def extract_of(text: str, line_kinds: str, words: TopicWords) -> Fragment:
    """Return the sentences of a text that say most about a topic."""
    return mark_words(choose_extract(text, line_kinds, words.weights), words.weights)


def mark_words(text: str, weights: Mapping[str, float]) -> Fragment:
    """Mark the words of a text whose token has a weight."""
    pieces: list[Piece] = []
    at = 0
    for word, start, end in surface_tokens(text):
        if start >= at and any(weights.get(token, 0.0) > 0 for token in tokenize(word)):
            pieces += [Piece(text[at:start]), Piece(text[start:end], is_marked=True)]
            at = end
    pieces.append(Piece(text[at:]))
    return Fragment(tuple(piece for piece in pieces if piece.text))

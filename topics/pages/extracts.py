"""The two sentences of a page that say most about a topic, with the topic's words marked.

They are chosen when a page is shown, so they are always right for the words that the topic has
now. A page of 800 words costs 1 ms (measured), and a list of 40 pages as many, so the process
remembers them by everything that they depend on.
"""

from collections.abc import Mapping
from hashlib import blake2b

from crawler.api.pages import choose_extract
from crawler.api.profiles import profile_vector
from crawler.api.tables import Crawl, Page
from crawler.api.text import surface_tokens, tokenize
from topics.search.snippet import Fragment, Piece

Weights = frozenset[tuple[str, float]]

#: Extracts that are remembered, of about 1 KB each.
MAX_REMEMBERED = 4000
_remembered: dict[tuple[bytes, Weights], Fragment] = {}
#: Each topic's weights once, as they are part of many keys.
_weights: dict[Weights, Weights] = {}


def word_weights(crawl: Crawl) -> dict[str, float]:
    """Weight of each token that a crawl's topic is about."""
    return profile_vector(crawl.profile)


def choose_fragment(page: Page, weights: Mapping[str, float]) -> Fragment:
    """The extract of a page for a topic of some words; empty for a page without text."""
    text, kinds = page.text, page.line_kinds or ""
    digest = blake2b(f"{kinds}\0{text}".encode("utf-8", "replace"), digest_size=20).digest()
    items = frozenset(weights.items())
    key = digest, _weights.setdefault(items, items)
    fragment = _remembered.get(key)
    if fragment is None:
        if len(_remembered) >= MAX_REMEMBERED:
            _remembered.clear()
            _weights.clear()
        fragment = mark_words(choose_extract(text, kinds, weights), weights)
        _remembered[key] = fragment
    return fragment


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

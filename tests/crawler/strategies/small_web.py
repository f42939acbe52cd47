"""A web of birds and cars, already parsed, for strategies to find their way in."""

import random
from collections.abc import Mapping, Sequence

import numpy as np

from crawler.knowledge.profile import TopicProfile
from crawler.page.parsed import PLAIN, PageLink, PageTerms, ParsedPage
from crawler.strategies.base import JudgedPage

BIRDS = "heron eagle owl wing feather nest beak".split()
CARS = "engine wheel brake diesel gear tyre clutch".split()
N_PAGES = 60
PROFILE = TopicProfile("heron", seeds=("http://birds.test/0", "http://birds.test/2"))


def terms_of(words: Sequence[str]) -> PageTerms:
    """The words as a page's plain text."""
    vocabulary = list(dict.fromkeys(words))
    sequence = np.array([vocabulary.index(word) for word in words], "<u2").tobytes()
    return PageTerms("en", vocabulary, sequence, bytes([PLAIN]) * len(words))


def page_of(url: str, words: Sequence[str], links: Mapping[str, Sequence[str]]) -> ParsedPage:
    """A page with these words and links, each link in a block of its own."""
    found = [
        PageLink(target, " ".join(anchor), list(anchor), block)
        for block, (target, anchor) in enumerate(links.items())
    ]
    blocks = [[*anchor, *words[:2]] for anchor in links.values()]
    return ParsedPage(url, url, terms=terms_of(words), links=found, blocks=blocks)


def judged(page: ParsedPage, *, relevance: float = 0.8, **said: object) -> JudgedPage:
    """The page as a judge left it; by default a kept seed."""
    fields: dict[str, object] = {
        "key": 1,
        "url": page.url,
        "site": page.url.split("/")[2],
        "title": page.title,
        "terms": page.terms,
        "relevance": relevance,
        "kept": relevance >= 0.5,
        "depth_hops": 0,
    }
    return JudgedPage(**(fields | said))  # type: ignore[arg-type]  # fields by name


def make_web() -> dict[str, ParsedPage]:
    """Sixty pages by key: even ones about birds, odd ones about cars; birds link to birds."""
    rng = random.Random(7)
    pages = {}
    for number in range(N_PAGES):
        words = rng.choices(_words(number), k=30)
        others = rng.choices(
            range(N_PAGES), weights=[_pull(number, n) for n in range(N_PAGES)], k=6
        )
        links = {
            _url(other): rng.choices(_words(other), k=2) for other in others if other != number
        }
        page = page_of(_url(number), words, links)
        pages[page.url.partition("://")[2]] = page
    return pages


def is_bird(url: str) -> bool:
    """True for a page of the topic."""
    return "birds.test" in url


def _words(number: int) -> list[str]:
    return CARS if number % 2 else BIRDS


def _pull(number: int, other: int) -> int:
    return 3 if number % 2 == other % 2 else 1


def _url(number: int) -> str:
    return f"http://{'cars' if number % 2 else 'birds'}.test/{number}"

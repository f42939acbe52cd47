"""CPU time of a crawl on a web where most links lead to addresses that do not answer.

    python bench/dead_links.py [--pages 8190] [--links 30] [--dead 0.8] [--profile]

Makes a web of pages on 20 subjects, and crawls one subject as a first crawl of the product does.
Prints the CPU time for each link found, for the named strategy and for breadth-first.
"""

import argparse
import cProfile
import os
import pstats
import random
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from crawler.page.parsed import ParsedPage

N_SUBJECTS, N_SITES, N_SEEDS = 20, 100, 5
#: Words of a page, of a block with a link and of an anchor.
PAGE_WORDS, BLOCK_WORDS, ANCHOR_WORDS = 250, 25, 3
#: Words that every subject uses, and those of each subject.
COMMON_WORDS, OWN_WORDS = 3000, 400
#: Of a page's words and of its links so many belong to its own subject.
OWN_SHARE = 0.4


def main() -> None:
    """Make the web, crawl it in each order, print one line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=8190)
    parser.add_argument("--links", type=int, default=30)
    parser.add_argument("--dead", type=float, default=0.8)
    parser.add_argument("--fetches", type=int, default=2000)
    parser.add_argument("--strategies", default="focus,breadth_first")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    import django

    django.setup()

    from crawler.knowledge.profile import CrawlSettings, TopicProfile
    from crawler.replay.replay import NOON, PRODUCT_PACE, replay

    pages = made_web(options.pages, options.links, options.dead)
    seeds = tuple(page.url for page in list(pages.values())[: N_SEEDS * N_SUBJECTS : N_SUBJECTS])
    profile = TopicProfile("s0w0", seeds=seeds)
    for name in options.strategies.split(","):
        settings = CrawlSettings(strategy=name, judge="focus", n_pages=options.fetches)
        profiler = cProfile.Profile() if options.profile else None
        begun = time.process_time()
        if profiler:
            profiler.enable()
        done = replay(pages, profile, settings, seeds, limits=PRODUCT_PACE)
        if profiler:
            profiler.disable()
        cpu_s = time.process_time() - begun
        view = done.board.view(NOON, n_per_site=1_000_000)
        n_links, n_waiting = len(view.graph().sources), len(view.waiting(None))
        n_failed = done.board.progress().failed
        on_topic = sum(url.rpartition("-")[2] == "0" for url in done.urls)
        print(
            f"{name}: {len(done.urls)} pages fetched, {on_topic} of the subject, {n_failed} "
            f"addresses did not answer, {n_links} links met, {n_waiting} URLs wait, "
            f"{cpu_s:.1f} s CPU, {1000 * cpu_s / max(n_links, 1):.2f} ms a link",
            flush=True,
        )
        if profiler:
            pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


def made_web(n_pages: int, n_links: int, dead: float) -> dict[str, "ParsedPage"]:
    """Make pages with links, by URL without scheme; every draw has a fixed seed."""
    rng = random.Random(8190)
    draw = np.random.default_rng(8190)
    subjects = [number % N_SUBJECTS for number in range(n_pages)]
    urls = [_url(rng, number, subject) for number, subject in enumerate(subjects)]
    return {
        url.partition("://")[2]: _page(rng, draw, number, urls, n_links, dead)
        for number, url in enumerate(urls)
    }


def _url(rng: random.Random, number: int, subject: int) -> str:
    return f"http://site{rng.randrange(N_SITES)}.example/{_name(rng)}-{number}-{subject}"


def _name(rng: random.Random) -> str:
    """A path of letters, as an address that differs in digits alone is taken for a template."""
    return "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=8))


def _page(
    rng: random.Random,
    draw: np.random.Generator,
    number: int,
    urls: list[str],
    n_links: int,
    dead: float,
) -> "ParsedPage":
    from crawler.page.parsed import PageLink, PageTerms, ParsedPage

    subject = number % N_SUBJECTS
    words = _words(draw, subject, PAGE_WORDS)
    places = {word: place for place, word in enumerate(dict.fromkeys(words))}
    sequence = np.array([places[word] for word in words], "<u2").tobytes()
    terms = PageTerms("en", list(places), sequence, bytes([1]) * len(words))
    links: list[PageLink] = []
    blocks: list[list[str]] = []
    for _ in range(n_links):
        about = subject if rng.random() < OWN_SHARE else rng.randrange(N_SUBJECTS)
        if rng.random() < dead:
            url = _url(rng, rng.randrange(10**6), about)
        else:
            url = urls[
                min(rng.randrange(len(urls)) // N_SUBJECTS * N_SUBJECTS + about, len(urls) - 1)
            ]
        anchor = _words(draw, about, ANCHOR_WORDS)
        links.append(PageLink(url, " ".join(anchor), anchor, block=len(blocks)))
        blocks.append([*anchor, *_words(draw, about, BLOCK_WORDS)])
    page = ParsedPage(urls[number], title=" ".join(words[:5]), terms=terms, links=links)
    return replace(page, blocks=blocks)


def _words(draw: np.random.Generator, subject: int, n_words: int) -> list[str]:
    own = draw.random(n_words) < OWN_SHARE
    numbers = draw.random(n_words) ** 3  # few words are frequent, most are rare
    return [
        f"s{subject}w{int(number * OWN_WORDS)}" if mine else f"w{int(number * COMMON_WORDS)}"
        for mine, number in zip(own.tolist(), numbers.tolist(), strict=True)
    ]


if __name__ == "__main__":
    main()

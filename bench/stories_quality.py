"""How often pages are wrongly called one story, or stuffed, on a web where none is.

Every topic of a web snapshot is crawled from its seeds in memory, as a first crawl does, and its
kept pages are grouped. Then all pages of the snapshot are grouped at once. In an encyclopedia no
two articles are one story, so every group of several pages is false; in manuals some are copies.
Every page among a topic's first ones that lost any of its score for stuffing is listed, too.

    python bench/stories_quality.py DIR [--crawl 400] [--every 1] [--first 30] [--json F]
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from crawler.page.parsed import ParsedPage
    from crawler.replay.memory_blackboard import MemoryBlackboard


def main() -> None:
    """Crawl and group; one line for each topic and each finding, and one of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--crawl", type=int, default=400, help="pages of a crawl")
    parser.add_argument("--every", type=int, default=1, help="crawl only every n-th topic")
    parser.add_argument("--first", type=int, default=30, help="pages of a ranking to inspect")
    parser.add_argument("--judge", default="focus")
    parser.add_argument("--json", type=Path, dest="json_file", help="write the findings here")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    import django

    django.setup()
    found = measure(options)
    print(json.dumps({name: value for name, value in found.items() if isinstance(value, int)}))
    if options.json_file:
        text = json.dumps(found, ensure_ascii=False, indent=1)
        options.json_file.write_text(text, encoding="utf-8")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Crawl the topics and group the whole web."""
    from django.conf import settings

    from crawler.lab.first_crawls import first_crawl
    from crawler.replay.parsed_snapshot import parse_snapshot
    from crawler.replay.snapshot import read_snapshot

    snapshot = read_snapshot(options.folder)
    pages = parse_snapshot(snapshot, cache=settings.DATA_DIR / "cache")
    stories, stuffed = [], []
    for topic in snapshot.topics[:: options.every]:
        done = first_crawl(pages, topic, judge=options.judge, n_pages=options.crawl)
        board = done.board
        urls = {key: board.url_of(key).partition("://")[2] for key in board.stories}
        pairs = [
            {"topic": topic.name} | compared(pages, urls[first], urls[key])
            for key, first in board.stories.items()
            if key != first
        ]
        doubted = [{"topic": topic.name} | row for row in doubted_first(board, pages, options)]
        print(
            f"{topic.name}: {len(board.stories)} pages, {len(pairs)} grouped,"
            f" {len(doubted)} of the first {options.first} stuffed",
            flush=True,
        )
        for row in [*pairs, *doubted]:
            print("   ", ", ".join(f"{name} {value}" for name, value in row.items()), flush=True)
        stories += pairs
        stuffed += doubted
    whole = grouped_at_once(pages)
    print(f"the whole web: {len(pages)} pages, {len(whole)} grouped")
    for row in whole:
        print("   ", ", ".join(f"{name} {value}" for name, value in row.items()))
    return {
        "grouped": len(stories),
        "stuffed": len(stuffed),
        "grouped_at_once": len(whole),
        "stories": stories,
        "stuffed_pages": stuffed,
        "whole_web": whole,
    }


def doubted_first(
    board: "MemoryBlackboard", pages: Mapping[str, "ParsedPage"], options: argparse.Namespace
) -> list[dict[str, Any]]:
    """Pages among the first of a ranking that lost some of their score for stuffing."""
    kept = [key for key, posting in board.harvests.items() if posting.kept]
    first = sorted(kept, key=lambda key: -board.score_of(key).value)[: options.first]
    trusts = {key: board.score_of(key).content.trust for key in first}
    return [
        {"title": pages[board.url_of(key).partition("://")[2]].title, "trust": round(trust, 3)}
        for key, trust in trusts.items()
        if trust < 1
    ]


def grouped_at_once(pages: Mapping[str, "ParsedPage"]) -> list[dict[str, Any]]:
    """Every page that joins another one's story when all are grouped in the order stored."""
    from crawler.page.duplicates.near_duplicates import StoryFeatures, StoryGroups
    from crawler.page.url import domain_of

    keys, started = list(pages), time.process_time()
    text = (
        StoryFeatures.of_parsed(number, pages[key], domain_of(f"http://{key}"))
        for number, key in enumerate(keys)
    )
    stories = StoryGroups()
    groups = {page.key: stories.place(page) for page in text}
    print(f"grouping at once: {time.process_time() - started:.2f} s of CPU")
    return [
        compared(pages, keys[first], keys[number])
        for number, first in groups.items()
        if number != first
    ]


def compared(pages: Mapping[str, "ParsedPage"], first: str, other: str) -> dict[str, Any]:
    """Two pages of one story, and what they have in common."""
    from crawler.page.duplicates.copies import n_differing_bits
    from crawler.page.duplicates.near_duplicates import StoryFeatures, title_likeness
    from crawler.page.url import domain_of

    mine, theirs = pages[first], pages[other]
    one, two = StoryFeatures.of_parsed(1, mine, ""), StoryFeatures.of_parsed(2, theirs, "")
    return {
        "first": mine.title,
        "other": theirs.title,
        "bits": n_differing_bits(one.fingerprint, two.fingerprint),
        "titles": round(title_likeness(one, two), 2),
        "words": (len(mine.terms), len(theirs.terms)),
        "one site": domain_of(f"http://{first}") == domain_of(f"http://{other}"),
    }


if __name__ == "__main__":
    main()

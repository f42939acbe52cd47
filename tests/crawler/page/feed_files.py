"""Count over a folder of feeds, good and broken ones, what is read from each.

    python -m tests.crawler.page.feed_files FOLDER

Every file is read as what a server would send, twice: as the crawl reads pages, and as feeds
among the seeds are read. Each file in which the two find different links is printed. The end
is 1 if anything but a reason came of one.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from crawler.errors import ParseError
from crawler.page.lists.feeds import read_feed
from crawler.page.parse import parse_page

URL = "http://feed.test/folder/feed.xml"
TYPE = "application/xml"


def followed(body: bytes) -> tuple[int, str]:
    """How many links the crawl would follow, or why it refuses the file."""
    try:
        return len(parse_page(body, URL, TYPE).links), ""
    except ParseError as error:
        return 0, str(error.reason)


def entries(body: bytes) -> tuple[int, str]:
    """How many entries a feed has, or why it has none."""
    try:
        feed = read_feed(body, URL, TYPE)
    except ParseError as error:
        return 0, str(error.reason)
    return len(feed.items), re.sub(r"\d+", "N", feed.note)


def lines(folder: Path) -> Iterator[str]:
    """What is printed: each file the two disagree on, then the counts."""
    as_page: Counter[str] = Counter()
    as_feed: Counter[str] = Counter()
    for file in sorted(folder.rglob("*.xml")):
        body = file.read_bytes()
        n_links, refusal = followed(body)
        n_entries, note = entries(body)
        as_page[refusal or ("with links" if n_links else "without a link")] += 1
        as_feed[note or "with entries that have an address"] += 1
        if n_links != n_entries:
            yield f"{file.relative_to(folder)}: {n_links} links, {n_entries} entries"
    for reader, counts in (("pages", as_page), ("feeds", as_feed)):
        totals = ", ".join(f"{number} {kind}" for kind, number in counts.most_common())
        yield f"read as {reader}, {counts.total()} files: {totals}"


if __name__ == "__main__":
    # Other exceptions end it, with a trace and the exit code 1.
    for line in lines(Path(sys.argv[1])):
        sys.stdout.write(f"{line}\n")

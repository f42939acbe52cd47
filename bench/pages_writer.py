"""A process that stores pages as a crawl does, while pages are measured."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.pages_data import Filler, start_django

ROOT = Path(__file__).resolve().parent.parent
#: Pages that are stored a second, and links of each.
PAGES_PER_S, LINKS_A_PAGE = 20, 20


def write(folder: Path) -> None:
    """Store pages as a crawl does, until the process ends."""
    start_django(folder)
    from django.db import transaction

    from crawler.models import Crawl, IndexOutbox, Link, Url, bulk

    first = (Url.objects.order_by("-pk").values_list("pk", flat=True).first() or 0) + 1
    filler = Filler(first=first)
    filler.crawls = list(Crawl.objects.order_by("pk").values_list("pk", flat=True))
    for second in range(3600):
        began = time.monotonic()
        filler.first = first + second * PAGES_PER_S
        with transaction.atomic():
            filler.pages(PAGES_PER_S)
            numbers = range(filler.first, filler.first + PAGES_PER_S)
            bulk.insert(
                Link,
                ("source_id", "target_id", "found_day"),
                [
                    (number, filler.rng.randrange(first) + 1, 20_000)
                    for number in numbers
                    for _ in range(LINKS_A_PAGE)
                ],
            )
            IndexOutbox.objects.bulk_create(
                IndexOutbox(page_id=number, queued=filler.now) for number in numbers
            )
        time.sleep(max(0.0, 1 - (time.monotonic() - began)))


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Store pages in another process meanwhile."""
    command = [sys.executable, "-m", "bench.pages", "write", str(folder)]
    process = subprocess.Popen(command, cwd=ROOT)
    time.sleep(5)
    try:
        yield
        if process.poll() is not None:
            raise SystemExit("The writer has ended.")
    finally:
        process.terminate()
        process.wait(30)

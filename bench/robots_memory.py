"""What the rules of robots.txt take in a worker's memory.

    MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 python -m bench.robots_memory [N_FILES]

hands a collector, with its 16 threads, assignments of 100 sites and two pages each, until N_FILES
(default 10,000) different robots.txt of 500 KiB were read, stored and obeyed. Prints how much the
process grew at most and what one file costs. The files are of seven kinds: short rules, rules with
wildcards, long rules, Chinese paths, bytes that are not UTF-8, sitemaps, and random paths, which
cannot be compressed. The variables are those that `manage.py up` starts its parts with.
"""

import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from threading import Lock
from typing import Any, cast

import django

if __name__ == "__main__":
    _folder = tempfile.TemporaryDirectory(prefix="focusweb-robots-")
    os.environ |= {
        "FOCUSWEB_DATA": _folder.name,
        "DATABASE_URL": f"sqlite:///{_folder.name}/focusweb.sqlite3",
    }
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
django.setup()

from django.core.management import call_command  # noqa: E402

from crawler.crawl.live_source import LiveSource  # noqa: E402
from crawler.fetch.door import Door, Fetched  # noqa: E402
from crawler.fetch.robots import MAX_ROBOTS_BYTES  # noqa: E402
from crawler.messages import Batch, FetchItem  # noqa: E402
from crawler.models import Site  # noqa: E402
from crawler.models.web import HOLD  # noqa: E402
from crawler.sandbox.parse_pool import InProcessParser  # noqa: E402
from crawler.store.frontier.politeness import find_rules, keep_rules, let_go, site_state  # noqa: E402

N_THREADS = 16
N_OPEN = 100
N_WARM = 1
MIB = 1 << 20
KINDS = (
    b"Disallow:/%d\n",
    b"Disallow: /*%d*a\n",
    b"Disallow: /%d" + b"x" * 1000 + b"\n",
    "Disallow: /%d电网\n".encode(),
    b"Disallow: /%d" + b"\xff" * 100 + b"\n",
    b"Sitemap: http://[?sig%d" + b"?sig" * 2000 + b"\n",
)
# What writing a file takes is not the worker's.
_writing = Lock()


def body(number: int) -> bytes:
    """A robots.txt of 500 KiB that no other number has."""
    size, kind = MAX_ROBOTS_BYTES, number % (len(KINDS) + 1)
    if kind == len(KINDS):
        words = Random(number).randbytes(size // 2).hex()
        lines = "\nDisallow: /".join(words[at : at + 60] for at in range(0, len(words), 60))
        return f"User-agent: *\n{lines}".encode()[:size]
    first, n_lines = 100_000 + number * 37, size // (len(KINDS[kind]) + 2)
    lines_of_kind = b"".join(KINDS[kind] % line for line in range(first, first + n_lines))
    return (b"User-agent: *\n" + lines_of_kind)[:size]


class Files:
    """Answers in the place of the network: a robots.txt for each site, and no pages."""

    def fetch(self, url: str, **_: Any) -> Fetched:
        """Answer for http://s7.test/ with file 7."""
        if not url.endswith("/robots.txt"):
            return Fetched(url, 404, {}, b"")
        with _writing:
            return Fetched(url, 200, {}, body(int(url.split("/")[2][1:-5])))


def peak_mib() -> float:
    """The most this process has taken since `forget_peak`."""
    rows = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("VmHWM:")) / 1024


def forget_peak() -> None:
    """Let the kernel measure from now on."""
    Path("/proc/self/clear_refs").write_text("5", "ascii")


def read(source: LiveSource, numbers: range) -> None:
    """Read, store and obey some files, as with an assignment of two pages of each site."""
    now = datetime.now(UTC)
    names = [f"s{number}.test" for number in numbers]
    Site.objects.bulk_create(Site(name=name, domain=name, first_seen=now) for name in names)
    states = {site.name: site_state(site, now) for site in Site.objects.filter(name__in=names)}
    claims = [
        FetchItem(2 * at + page, f"http://{name}/{page}", name)
        for at, name in enumerate(names)
        for page in range(2)
    ]
    work = Batch(0, "", now + 10 * HOLD, tuple(claims), states)
    n_answers = sum(1 for _ in source.answers(work, until=work.held_until, stopping=bool))
    if n_answers != len(claims):
        raise SystemExit(f"{n_answers} answers to {len(claims)} claims: this machine is too slow")
    for state in source.sites().values():
        let_go([state], "", now)


def main() -> None:
    """Print what the files took."""
    n_files = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    call_command("migrate", verbosity=0)
    source = LiveSource(
        cast(Door, Files()),
        InProcessParser(),
        lambda site: 0.0,
        lambda host: True,
        find_rules=find_rules,
        keep_rules=keep_rules,
        n_threads=N_THREADS,
    )
    # What is loaded for the first file, and the database's cache, do not count.
    read(source, range(N_WARM))
    forget_peak()
    before, started = peak_mib(), time.process_time()
    for start in range(N_WARM, N_WARM + n_files, N_OPEN):
        read(source, range(start, min(start + N_OPEN, N_WARM + n_files)))
    cpu_s = time.process_time() - started
    source.close()
    sys.stdout.write(
        f"{n_files} files, {N_OPEN} sites at once: +{peak_mib() - before:.1f} MiB at most,"
        f" {1000 * cpu_s / n_files:.0f} ms of processor time each\n"
    )


if __name__ == "__main__":
    main()

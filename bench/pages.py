"""How fast the pages are that people open.

    python -m bench.pages fill DIR
    python -m bench.pages measure DIR

`fill` writes a data folder with 50,000 pages, 20 topics, 1,000,000 links and a search index; the
text is made of chance, as in `bench/search.py`. `measure` starts `manage.py serve` on it, and a
process that stores pages as a crawl does, and opens home, topic, search and article in turn. For
each it prints the wall time and the processor time of the server, and the size as sent. Then 50
browsers open them at once. Exit code 1 if a limit is broken.
"""

import argparse
import gzip
import json
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    pass

ROOT = Path(__file__).resolve().parent.parent
N_PAGES, N_TOPICS, N_LINKS, N_SITES = 50_000, 20, 1_000_000, 2_000
#: Of a topic's pages: kept ones, and of these the news.
KEPT, NEWS = 0.5, 0.4
#: Pages that the writer stores a second, and links of each.
PAGES_PER_S, LINKS_A_PAGE = 20, 20
N_BROWSERS = 50
#: Limits: milliseconds at the median and the 95th of 100, KB as sent, seconds of the crowd.
P50_MS, P95_MS, KB, CROWD_S = 40.0, 120.0, 60.0, 1.5


def start_django(folder: Path) -> None:
    """Open the data folder in this process."""
    os.environ["FOCUSWEB_DATA"] = str(folder)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
    import django

    django.setup()


def fill(folder: Path, n_pages: int, n_links: int) -> None:
    """Write the data folder."""
    folder.mkdir(mode=0o700, parents=True)
    start_django(folder)
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    made = _Filler(n_pages)
    made.sites()
    made.topics()
    made.pages(n_pages)
    made.links(n_pages, n_links)
    call_command("reindex", verbosity=0)


class _Filler:
    """Writes rows of chance, the same ones each time."""

    def __init__(self, n_pages: int, *, first: int = 1) -> None:
        from bench.search import Writer

        self.rng = random.Random(first)
        self.writer = Writer(seed=first)
        self.now = datetime.now(UTC)
        self.first = first
        self.crawls: list[int] = []
        self.n_pages = n_pages
        self.words = [
            [f"{word}{n}" for word in ("cache", "grid", "solar", "loom", "bread", "orbit")]
            for n in range(N_TOPICS)
        ]

    def sites(self) -> None:
        from crawler.models import Site

        Site.objects.bulk_create(
            Site(
                pk=n + 1,
                name=f"site{n}.test",
                domain=f"site{n}.test",
                first_seen=self.now - timedelta(days=self.rng.randrange(400)),
            )
            for n in range(N_SITES)
        )

    def topics(self) -> None:
        from django.contrib.auth.models import User

        from crawler.models import Crawl, Run
        from topics.models import Topic, TopicTerm

        ann = User.objects.create_superuser("ann", "", "ann")
        for n in range(N_TOPICS):
            topic = Topic.objects.create(
                owner=ann,
                name=f"Topic {n}",
                slug=f"topic-{n}",
                seeds="\n".join(f"https://site{n * 10 + i}.test/" for i in range(5)),
            )
            TopicTerm.objects.bulk_create(
                TopicTerm(topic=topic, text=word, weight=1.0) for word in self.words[n]
            )
            crawl = Crawl(key=f"topic-{n}", first_seen=self.now - timedelta(days=60))
            crawl.describe(topic.profile(), topic.crawl_settings())
            crawl.save()
            topic.crawl = crawl
            topic.save()
            for days in range(60, 0, -1):
                start = self.now - timedelta(days=days)
                Run.objects.create(
                    crawl=crawl,
                    started=start,
                    ended=start + timedelta(minutes=5),
                    n_pages=200,
                    begun=True,
                    fetched=40,
                    kept=20,
                    stop_reason="budget",
                    reasons={"fetched": 40},
                )
            self.crawls.append(crawl.pk)

    def pages(self, count: int) -> None:
        """Store so many pages from the first number on, with their harvests."""
        from django.db import transaction

        from crawler.models import FrontierEntry, Harvest, Page, Story, Url, bulk

        for start in range(0, count, 1000):
            numbers = range(self.first + start, self.first + min(start + 1000, count))
            with transaction.atomic():
                tables: dict[Any, list[dict[str, Any]]] = {
                    Url: [],
                    Page: [],
                    FrontierEntry: [],
                    Story: [],
                    Harvest: [],
                }
                for number in numbers:
                    for model, row in self._page(number):
                        tables[model].append(row)
                for model, rows in tables.items():
                    fields = list(rows[0])
                    bulk.insert(model, fields, [[row[name] for name in fields] for row in rows])

    def _page(self, number: int) -> Iterator[tuple[Any, dict[str, Any]]]:
        from crawler.models import FrontierEntry, Harvest, Page, Story, Url, bulk
        from crawler.models.web import READER_VERSION, pack_terms, pack_text
        from crawler.page.page_terms import text_terms

        rng, topic = self.rng, number % N_TOPICS
        document = self.writer.page(number)
        kept = rng.random() < KEPT
        lines = document.body.split("\n")
        for _ in range(6 if kept else 1):
            lines[rng.randrange(len(lines))] += " " + rng.choice(self.words[topic])
        text = "\n".join(lines)
        is_news = rng.random() < NEWS
        seen = self.now - timedelta(
            minutes=rng.randrange(30 * 1440) if is_news else rng.randrange(31, 60) * 1440
        )
        when, site = bulk.moment(seen), rng.randrange(N_SITES)
        address = f"https://site{site}.test/articles/{number}"
        yield Url, {"id": number, "url": address, "site_id": site + 1, "first_seen": when}
        yield (
            Page,
            {
                "url_id": number,
                "title": document.title[:200],
                "language": "zh" if number % 2 else "en",
                "charset": "utf-8",
                "packed_text": pack_text(text),
                "packed_terms": pack_terms(text_terms(text)),
                "packed_links": b"",
                "fingerprint": rng.getrandbits(62),
                "reader_version": READER_VERSION,
                "line_kinds": "p" * len(lines),
                "content_hash": f"{rng.getrandbits(64):x}",
                "noindex": False,
                "flags": "",
                "etag": "",
                "last_modified": "",
                "published": when if rng.random() < 0.7 else None,
                "first_fetched": when,
                "fetched": when,
                "changed": when,
                "n_fetches": 1,
                "packed_checks": b"",
            },
        )
        yield FrontierEntry, self._entry(number, topic, when)
        crawl = self.crawls[topic]
        if kept:
            yield Story, {"id": number, "crawl_id": crawl, "first_seen": when}
        score = rng.betavariate(2, 5)
        yield (
            Harvest,
            {
                "crawl_id": crawl,
                "url_id": number,
                "run_id": None,
                "kept": kept,
                "relevance": 0.5 + rng.random() / 2 if kept else rng.random() / 2,
                "judge_relevance": None,
                "content_value": rng.random(),
                "trust": 0.3 if rng.random() < 0.01 else 1.0,
                "density": rng.random(),
                "link_value": rng.random(),
                "score": score,
                "n_linking_sites": rng.randrange(5),
                "link_scale": 1.0,
                "explanation": json.dumps(_explanation(score, self.words[topic][:3])),
                "first_seen": when,
                "published": None,
                "baseline": not is_news,
                "story_id": number if kept else None,
            },
        )

    def _entry(self, number: int, topic: int, when: Any) -> dict[str, Any]:
        from crawler.models import FrontierEntry, bulk
        from crawler.models.web import EPOCH

        defaults = {
            field.attname: (b"" if field.get_internal_type() == "BinaryField" else field.default)
            for field in FrontierEntry._meta.concrete_fields
            if field.has_default() and field.attname != "id"
        }
        defaults = {k: bulk.moment(v) if v is EPOCH else v for k, v in defaults.items()}
        parent = number - self.rng.randrange(20, 2000) * N_TOPICS
        return defaults | {
            "crawl_id": self.crawls[topic],
            "url_id": number,
            "parent_id": parent if parent > 0 else None,
            "run_id": None,
            "state": "done",
            "reason": "fetched",
            "detail": "",
            "found": when,
            "ended": when,
            "integrated": True,
            "attempts": 1,
        }

    def links(self, n_pages: int, n_links: int) -> None:
        from django.db import transaction

        from crawler.models import Link, bulk

        for start in range(0, n_links, 50_000):
            rows = [
                (self.rng.randrange(n_pages) + 1, self.rng.randrange(n_pages) + 1, 20_000)
                for _ in range(min(50_000, n_links - start))
            ]
            with transaction.atomic():
                bulk.insert(Link, ("source_id", "target_id", "found_day"), rows)


def _explanation(score: float, words: list[str]) -> dict[str, Any]:
    """What the ranker and the judge leave with a page."""
    return {
        "parts": [
            {"name": "link", "value": score * 0.6},
            {"name": "content", "value": score * 0.4},
        ],
        "link": {"sites": ["site1.test"], "n_sites": 3, "scale": 1, "value": 0.5, "weight": 0.7},
        "content": {"matched": words, "n_key": 20, "value": 0.4, "weight": 0.3},
        "judge": {
            "name": "focus",
            "relevance": 0.71,
            "threshold": 0.5,
            "note": "",
            "matched": [{"term": word, "share": 0.3, "via": ""} for word in words],
        },
    }


def write(folder: Path) -> None:
    """Store pages as a crawl does, until the process ends."""
    start_django(folder)
    from django.db import transaction

    from crawler.models import Crawl, IndexOutbox, Link, Url, bulk

    first = (Url.objects.order_by("-pk").values_list("pk", flat=True).first() or 0) + 1
    filler = _Filler(0, first=first)
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
def serving(folder: Path) -> Iterator[tuple[int, int]]:
    """Serve the data folder; the port and the process id."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environment = os.environ | {"FOCUSWEB_DATA": str(folder), "FOCUSWEB_PORT": str(port)}
    command = [sys.executable, str(ROOT / "manage.py"), "serve"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        for _ in range(120):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.25)
        yield port, process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Let the writer run beside."""
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


def session_of(folder: Path) -> str:
    """A cookie of a signed-in person."""
    start_django(folder)
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.auth.models import User
    from django.contrib.sessions.backends.db import SessionStore

    ann = User.objects.get()
    session = SessionStore()
    session[SESSION_KEY] = str(ann.pk)
    session[BACKEND_SESSION_KEY] = "focusweb.login.LimitedBackend"
    session[HASH_SESSION_KEY] = ann.get_session_auth_hash()
    session.create()
    return f"sessionid={session.session_key}"


def cpu_s(pid: int) -> float:
    """Seconds of processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def opened(port: int, cookie: str, path: str) -> tuple[float, int, bytes]:
    """Open a page: seconds, bytes as sent, and the page."""
    start = time.perf_counter()
    line = HTTPConnection("127.0.0.1", port, timeout=60)
    line.request("GET", path, headers={"Cookie": cookie, "Accept-Encoding": "gzip"})
    answer = line.getresponse()
    body = answer.read()
    line.close()
    took_s = time.perf_counter() - start
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status}")
    packed = answer.getheader("Content-Encoding") == "gzip"
    return took_s, len(body), gzip.decompress(body) if packed else body


def addresses(folder: Path, rng: random.Random) -> Iterator[dict[str, str]]:
    """The four pages again and again, of another topic and article each time."""
    from crawler.models import Harvest

    while True:
        n = rng.randrange(N_TOPICS)
        pages = list(
            Harvest.objects.kept()
            .filter(crawl__key=f"topic-{n}")
            .values_list("pk", flat=True)[:500]
        )
        yield {
            "home": "/",
            "topic": f"/topics/topic-{n}/",
            "search": f"/search/?q={rng.choice(('cache', 'grid', 'solar'))}{n}",
            "article": f"/topics/topic-{n}/pages/{rng.choice(pages)}/read",
        }


def measure(folder: Path, n_rounds: int) -> int:
    """Print the figures; how many limits are broken."""
    cookie = session_of(folder)
    rng = random.Random(2)
    rounds = [one for one, _ in zip(addresses(folder, rng), range(n_rounds), strict=False)]
    n_broken = 0
    with serving(folder) as (port, pid), writing(folder):
        for name in rounds[0]:
            opened(port, cookie, rounds[0][name])  # builds the index reader, loads templates
        print(f"{'page':8} {'p50 ms':>7} {'p95 ms':>7} {'cpu ms':>7} {'KB sent':>8} {'KB':>6}")
        for name in rounds[0]:
            before, found = cpu_s(pid), [opened(port, cookie, one[name]) for one in rounds]
            cpu_ms = 1000 * (cpu_s(pid) - before) / len(found)
            times = sorted(1000 * took for took, _, _ in found)
            p50, p95 = statistics.median(times), times[int(0.95 * len(times))]
            sent = max(size for _, size, _ in found) / 1000
            whole = max(len(body) for _, _, body in found) / 1000
            broken = (p50 > P50_MS) + (p95 > P95_MS) + (sent > KB)
            n_broken += broken
            print(
                f"{name:8} {p50:7.1f} {p95:7.1f} {cpu_ms:7.1f} {sent:8.1f} {whole:6.0f}"
                f"{'  BROKEN' if broken else ''}"
            )
        with ThreadPoolExecutor(N_BROWSERS) as pool:
            paths = [path for one in rounds for path in one.values()][: 4 * N_BROWSERS]
            crowd = sorted(
                took for took, _, _ in pool.map(lambda path: opened(port, cookie, path), paths)
            )
        p95_s = crowd[int(0.95 * len(crowd))]
        n_broken += p95_s > CROWD_S
        print(f"{N_BROWSERS} browsers at once: p95 {p95_s:.2f} s, worst {crowd[-1]:.2f} s")
    return n_broken


def main() -> int:
    """Fill, write or measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("fill", "write", "measure"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=N_PAGES)
    parser.add_argument("--links", type=int, default=N_LINKS)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    folder = options.folder.absolute()
    if options.step == "fill":
        fill(folder, options.pages, options.links)
        return 0
    if options.step == "write":
        write(folder)
        return 0
    return 1 if measure(folder, options.rounds) else 0


if __name__ == "__main__":
    sys.exit(main())

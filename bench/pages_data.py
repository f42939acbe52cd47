"""The data folder on which pages are measured: random rows and texts, the same each time."""

import json
import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.db.models import Model

N_PAGES, N_TOPICS, N_LINKS, N_SITES = 50_000, 20, 1_000_000, 2_000
#: Of a topic's pages: kept ones, and of these the news.
KEPT, NEWS = 0.5, 0.4

#: The values of a row, by name of the column.
Row = dict[str, object]


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
    filler = Filler()
    filler.sites()
    filler.topics()
    filler.pages(n_pages)
    filler.links(n_pages, n_links)
    call_command("reindex", verbosity=0)


class Filler:
    """Writes random rows, the same ones for the same first page number."""

    def __init__(self, *, first: int = 1) -> None:
        from bench.search import Writer

        self.rng = random.Random(first)
        self.writer = Writer(seed=first)
        self.now = datetime.now(UTC)
        self.first = first
        self.crawls: list[int] = []
        self.words = [
            [f"{word}{n}" for word in ("cache", "grid", "solar", "loom", "bread", "orbit")]
            for n in range(N_TOPICS)
        ]

    def sites(self) -> None:
        """Store the sites."""
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
        """Store a person, her topics, and 60 runs of each."""
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
        """Store `count` pages from the first number on, with their harvests."""
        from django.db import transaction

        from crawler.models import FrontierEntry, Harvest, Page, Story, Url, bulk

        for start in range(0, count, 1000):
            numbers = range(self.first + start, self.first + min(start + 1000, count))
            with transaction.atomic():
                tables: dict[type[Model], list[Row]] = {
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

    def _page(self, number: int) -> Iterator[tuple[type["Model"], Row]]:
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
        when, site = bulk.moment_parameter(seen), rng.randrange(N_SITES)
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

    def _entry(self, number: int, topic: int, when: object) -> Row:
        from crawler.models import FrontierEntry, bulk
        from crawler.models.web import EPOCH

        defaults = {
            field.attname: (b"" if field.get_internal_type() == "BinaryField" else field.default)
            for field in FrontierEntry._meta.concrete_fields
            if field.has_default() and field.attname != "id"
        }
        defaults = {k: bulk.moment_parameter(v) if v is EPOCH else v for k, v in defaults.items()}
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
        """Store links between random pages."""
        from django.db import transaction

        from crawler.models import Link, bulk

        for start in range(0, n_links, 50_000):
            rows = [
                (self.rng.randrange(n_pages) + 1, self.rng.randrange(n_pages) + 1, 20_000)
                for _ in range(min(50_000, n_links - start))
            ]
            with transaction.atomic():
                bulk.insert(Link, ("source_id", "target_id", "found_day"), rows)


def _explanation(score: float, words: list[str]) -> Row:
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

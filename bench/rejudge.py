"""How long a thumb and a preview take over 5,000 stored pages, by the wall, commit included.

A topic of its own in a data folder of its own, in SQLite as it is set up by default; pages of 150
to 600 words as in prose, one in ten on the topic. Every thumb is on another page, since a repeated
thumb changes nothing. Besides the wall clock the processor time is printed, as other work on the
machine counts into the wall clock only. With `--scorer`, a plugin with a scorer is switched on and
off, and then the threshold is changed while it is on.

    python bench/rejudge.py [--pages 5000] [--rounds 7] [--judge focus] [--scorer FILE]
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from crawler.judging.rescore import ChangedPages
    from topics.models import Topic

TOPIC_WORDS = "cache memory processor pipeline register branch core clock".split()
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
N_SITES, SHARE = 50, 10


def main() -> None:
    """Make the pages, give thumbs, move a weight; print one line each and one of JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--judge", default="focus")
    parser.add_argument("--scorer", type=Path, help="the file of a plugin with a scorer")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FOCUSWEB_DATA"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusweb.settings")
        measure(options.pages, options.rounds, options.judge, options.scorer)


def measure(n_pages: int, rounds: int, judge: str, scorer: Path | None) -> None:
    """Set up, then time each kind of change."""
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from crawler.judging.rescore import rejudge
    from crawler.knowledge.profile import WeightedTerm
    from crawler.models import Harvest
    from topics.profile import feedback
    from topics.profile.crawl import save_crawl
    from topics.profile.preview import ProfileDraft, preview_profile

    call_command("migrate", verbosity=0)
    topic, user = make_topic(n_pages, judge), User.objects.get()
    assert topic.crawl is not None
    rejudge(save_crawl(topic, NOON), NOON)
    numbers = list(topic.crawl.harvests.order_by("-relevance").values_list("pk", flat=True))
    kept = topic.crawl.harvests.kept().count()
    print(f"{n_pages} pages, {kept} kept, judge {judge}", flush=True)

    def thumb(turn: int) -> int:
        harvest = Harvest.objects.get(pk=numbers[turn * 13])
        value = -1 if turn % 3 == 2 else 1
        return n_moved(feedback.set_thumb(topic, user, harvest, value, NOON).moved)

    def undo(turn: int) -> int:
        harvest = Harvest.objects.get(pk=numbers[turn * 13])
        return n_moved(feedback.set_thumb(topic, user, harvest, 0, NOON).moved)

    def threshold(turn: int) -> int:
        topic.threshold = 0.5 + 0.02 * (turn % 2 + 1)
        topic.save()
        return rejudge(save_crawl(topic, NOON), NOON).total

    def preview(turn: int) -> int:
        draft = ProfileDraft((WeightedTerm("cache", 1 + turn / 5),), judge, 0.4, 0.6)
        return preview_profile(topic, draft, NOON).n_moved

    changes: dict[str, Callable[[int], int]] = {
        "preview": preview,
        "thumb": thumb,
        "undo": undo,
        "threshold": threshold,
    }
    if scorer is not None:
        switch = put_plugin(scorer)

        def switched(turn: int) -> int:
            switch(turn % 2 == 0)
            return rejudge(save_crawl(topic, NOON), NOON).total

        def with_scorer(turn: int) -> int:
            switch(True)
            return threshold(turn)

        changes |= {"scorer": switched, "threshold, scorer on": with_scorer}
    report = {name: timed(name, rounds, change) for name, change in changes.items()}
    print(json.dumps({"n_pages": n_pages, "judge": judge, "seconds": report}))


def put_plugin(file: Path) -> Callable[[bool], None]:
    """Put a plugin into the plugin folder; return what switches it on and off."""
    from django.conf import settings

    from focusweb.plugins import plugins

    settings.PLUGINS_DIR.mkdir()
    shutil.copy(file, settings.PLUGINS_DIR)
    return lambda on: plugins().states.switch(file.stem, on=on)


def n_moved(moved: "ChangedPages | None") -> int:
    """Pages that moved; this many pages are never left to a task."""
    assert moved is not None
    return moved.total


def timed(name: str, rounds: int, change: Callable[[int], int]) -> dict[str, float]:
    """Make a change so many times; median and worst wall clock, and median processor time."""
    taken, cpu, moved = [], [], []
    for turn in range(rounds):
        started, cpu_started = time.perf_counter(), time.process_time()
        moved.append(change(turn))
        taken.append(time.perf_counter() - started)
        cpu.append(time.process_time() - cpu_started)
    figures = {
        "median": statistics.median(taken),
        "worst": max(taken),
        "cpu": statistics.median(cpu),
    }
    text = ", ".join(f"{key} {value:.2f} s" for key, value in figures.items())
    print(f"{name:20} {text}; pages moved {moved}", flush=True)
    return {key: round(value, 3) for key, value in figures.items()}


def make_topic(n_pages: int, judge: str) -> "Topic":
    """A topic with a seed page and stored pages, nothing judged yet."""
    from django.contrib.auth.models import User

    from bench.site import vocabulary
    from crawler.knowledge.frequencies import DocumentFrequencies
    from crawler.models import FrontierEntry, Harvest, Page, Run, Site, Url
    from crawler.models.values import save_value
    from crawler.models.web import pack_terms, unpack_terms
    from crawler.page.page_terms import text_terms
    from topics.models import Topic, TopicTerm
    from topics.profile.crawl import save_crawl

    rng, words = Random(7), vocabulary(20_000)
    weights = [1 / (rank + 3) for rank in range(len(words))]
    user = User.objects.create_user("bench")
    topic = Topic.objects.create(
        owner=user, name="Processors", slug="bench", judge=judge, seeds="https://s0.test/p/0"
    )
    TopicTerm.objects.create(topic=topic, text="cache memory")
    crawl = save_crawl(topic, NOON)
    run = Run.objects.create(crawl=crawl, started=NOON, ended=NOON, n_pages=n_pages)
    sites = Site.objects.bulk_create(
        Site(name=f"s{n}.test", domain=f"s{n}.test", first_seen=datetime.now(UTC))
        for n in range(N_SITES)
    )
    urls = Url.objects.bulk_create(
        Url(url=f"https://s{n % N_SITES}.test/p/{n}", site=sites[n % N_SITES], first_seen=NOON)
        for n in range(n_pages)
    )

    def page(number: int) -> Page:
        prose = rng.choices(words, weights, k=rng.randint(150, 600))
        if number % SHARE == 0:
            prose += rng.choices(TOPIC_WORDS, k=rng.randint(5, 60))
            rng.shuffle(prose)
        return Page(
            url=urls[number],
            title=" ".join(prose[:6]),
            packed_terms=pack_terms(text_terms(" ".join(prose))),
            fingerprint=rng.getrandbits(60),
            first_fetched=NOON,
            fetched=NOON,
            changed=NOON,
        )

    frequencies = DocumentFrequencies()
    for start in range(0, n_pages, 500):
        pages = [page(n) for n in range(start, min(start + 500, n_pages))]
        frequencies.add(unpack_terms(row.packed_terms) for row in pages)
        Page.objects.bulk_create(pages)
    save_value(crawl, "library", frequencies.dump())
    Harvest.objects.bulk_create(Harvest(crawl=crawl, url=u, run=run, first_seen=NOON) for u in urls)
    FrontierEntry.objects.bulk_create(
        FrontierEntry(
            crawl=crawl, url=url, run=run, state="done", reason="fetched", found=NOON, ended=NOON
        )
        for url in urls
    )
    return topic


if __name__ == "__main__":
    main()

"""`manage.py check_invariants` finds every kind of breach, and nothing where all is well."""

import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from crawler.models import Assignment, Crawl, FrontierEntry, Harvest, Page, Run, Site
from crawler.page.duplicates.copies import content_hash
from tests.topics.factories import person
from tests.topics.search.conftest import NOON, Library
from topics.models import Alert, Topic
from topics.search.outbox import drain_all
from topics.search.store import default_store

State = FrontierEntry.State
ROBOTS = "User-agent: *\nDisallow: /secret"


@pytest.fixture
def whole(db: None, tmp_path: Path, settings: Settings) -> Library:
    """A site with two pages, fetched by one run and put into the index."""
    settings.INDEX_DIR, settings.RUN_DIR = tmp_path / "index", tmp_path
    library = Library()
    crawl = library.crawl("power")
    run = Run.objects.create(crawl=crawl, started=NOON, ended=NOON, stop_reason="budget", n_pages=9)
    for name in "ab":
        page = library.page(crawl, name, f"Grid {name}", f"Power of {name}.")
        Page.objects.filter(pk=page.pk).update(content_hash=content_hash(page.text))
        FrontierEntry.objects.create(
            crawl=crawl, url=page.url, run=run, state=State.DONE, reason="fetched", found=NOON
        )
    drain_all(60)
    return library


def breaches(**options: Any) -> list[str]:
    """What the command prints."""
    out = StringIO()
    try:
        call_command("check_invariants", stdout=out, **options)
    except SystemExit as end:
        assert end.code == 1
        assert out.getvalue()
    return out.getvalue().splitlines()


def test_nothing_is_found_where_all_is_well(whole: Library) -> None:
    assert breaches(rebuild=True) == []


def _first() -> Page:
    return Page.objects.order_by("pk")[0]


def lose_a_page() -> None:
    default_store().open().delete([_first().pk])


def keep_one_too_much() -> None:
    Harvest.objects.filter(url=_first().url).update(kept=False)


def change_a_text() -> None:
    Page.objects.filter(pk=_first().pk).update(content_hash=content_hash("something else"))


def lease_for_ever() -> None:
    FrontierEntry.objects.filter(url=_first().url).update(state=State.LEASED)


def lose_a_fetched_page() -> None:
    Page.objects.filter(pk=_first().pk).delete()


def forget_a_judgement() -> None:
    Harvest.objects.filter(url=_first().url).delete()


def forget_a_lease() -> None:
    crawl, long_ago = Crawl.objects.get(), timezone.now() - timedelta(hours=1)
    Assignment.objects.create(
        crawl=crawl, run=Run.objects.get(), posted=NOON, taken_by="x", leased_until=long_ago
    )


def hold_a_site() -> None:
    long_ago = timezone.now() - timedelta(hours=1)
    Site.objects.update(held_by="somebody", held_until=long_ago)


def end_silently() -> None:
    FrontierEntry.objects.filter(url=_first().url).update(state=State.FAILED, reason="")


def wait_silently() -> None:
    FrontierEntry.objects.filter(url=_first().url).update(state=State.NEW, reason="", attempts=2)


def end_a_run_silently() -> None:
    Run.objects.update(stop_reason="")


def alert_of_what_was_there() -> None:
    harvest = Harvest.objects.get(url=_first().url)
    Harvest.objects.filter(pk=harvest.pk).update(baseline=True)
    Alert.objects.create(
        topic=Topic.objects.create(owner=person(), slug="power", crawl=harvest.crawl),
        harvest=harvest,
        score=0.9,
        needed=0.5,
        fired=harvest.first_seen,
    )


@pytest.mark.parametrize(
    ("damage", "invariant"),
    [
        (lose_a_page, "I1"),
        (keep_one_too_much, "I1"),
        (change_a_text, "I1"),
        (alert_of_what_was_there, "I2"),
        (lease_for_ever, "I3"),
        (lose_a_fetched_page, "I3"),
        (forget_a_judgement, "I3"),
        (forget_a_lease, "I3"),
        (hold_a_site, "I3"),
        (end_silently, "I8"),
        (wait_silently, "I8"),
        (end_a_run_silently, "I8"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_each_breach_is_named(whole: Library, damage: Callable[[], None], invariant: str) -> None:
    damage()

    assert {row.partition(" ")[0] for row in breaches()} >= {invariant}


def test_an_index_that_differs_from_one_built_anew_is_named(whole: Library) -> None:
    Page.objects.filter(pk=_first().pk).update(title="Another title altogether")

    assert {row.partition(" ")[0] for row in breaches(rebuild=True)} == {"I9"}


@pytest.mark.parametrize(
    ("rows", "invariant"),
    [
        ([("/a", 3.0, 3.1), ("/b", 3.2, 3.3)], "I4"),
        ([("/a", 3.0, 5.0), ("/b", 4.0, 4.1)], "I4"),
        ([("/secret/a", 9.0, 9.1)], "I5"),
        ([("/a", 3.0, 3.1), ("/b", 4.2, 4.3)], ""),
    ],
    ids=["too soon", "two at once", "forbidden", "as it should be"],
)
def test_what_a_server_saw_is_held_against_what_we_promise(
    whole: Library, tmp_path: Path, rows: list[tuple[str, float, float]], invariant: str
) -> None:
    log = tmp_path / "server.log"
    seen = [("/robots.txt", 1.0, 1.1), *rows]
    log.write_text(
        "\n".join(
            json.dumps(
                {"host": "a.test", "path": path, "start": start, "end": end, "status": 200}
                | ({"robots": ROBOTS} if path == "/robots.txt" else {})
            )
            for path, start, end in seen
        )
    )

    found = {row.partition(" ")[0] for row in breaches(server_log=log, delay=1.0)}

    assert found == ({invariant} if invariant else set())


def test_a_log_that_is_none_is_a_clear_error(whole: Library, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text("GET /\n")

    with pytest.raises(CommandError, match="line 1: no line of a server log"):
        breaches(server_log=log)


def test_a_log_that_is_no_text_is_named(whole: Library, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"\x1f\x8b")

    with pytest.raises(CommandError, match=r"server\.log: not a server log"):
        breaches(server_log=log)


def test_a_log_that_cannot_be_read_is_named(whole: Library, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"^.*/none\.log: No such file or directory$"):
        breaches(server_log=tmp_path / "none.log")

"""Digests and news for tests."""

from datetime import datetime, time, timedelta
from itertools import count
from typing import Any

from crawler.models import Harvest, Story
from tests.topics.factories import Scene
from topics.delivery import ledger
from topics.delivery.digest_extras import MailPart
from topics.models import Digest, DigestIssue, PageChange

_numbers = count(1)
DAY = timedelta(days=1)


def digest_of(scene: Scene, **more: Any) -> Digest:
    """A digest, every day at eight in Shanghai, of which an issue is due now."""
    values: dict[str, Any] = {
        "at": time(8),
        "zone": "Asia/Shanghai",
        "covered_until": scene.now - DAY,
    } | more
    digest = Digest(topic=scene.topic, **values)
    digest.plan_next(scene.now - DAY)
    digest.save()
    return digest


def news(scene: Scene, title: str = "", *, site: str = "", **more: Any) -> Harvest:
    """A page that is news, by default with a story and a site of its own."""
    number = next(_numbers)
    more.setdefault("story", None)
    more["story"] = more["story"] or Story.objects.create(crawl=scene.crawl, first_seen=scene.now)
    address = f"https://{site or f's{number}.test'}/p/{number}"
    return scene.page(address, title or f"Page {number}", **more)


def work(digest: Digest, now: datetime) -> DigestIssue | None:
    """What the background worker does of a digest at a moment; the newest issue."""
    ledger.give_up_dead(now)
    if digest.pk in ledger.waiting_digests(now):
        ledger.process_digest(digest.pk, lambda: now)
    digest.refresh_from_db()
    return digest.issues.first()


def titles_of(issue: DigestIssue | None) -> list[str]:
    """The titles of an issue."""
    assert issue is not None
    return [item.shown["title"] for item in issue.items.all()]


def change_of(scene: Scene, found: datetime, row: Harvest | None = None) -> PageChange:
    """A change of a page that is a seed, by default of one found long ago."""
    row = row or news(scene, "Portal", first_seen=scene.now - 60 * DAY, baseline=True)
    return PageChange.objects.create(
        topic=scene.topic,
        url=row.url,
        is_seed=True,
        found=found,
        packed_before=b"",
        packed_after=b"",
        summary=[("same", "Price "), ("deleted", "10"), ("inserted", "12 euros")],
        n_inserted=2,
        n_deleted=1,
    )


def lines_of(parts: list[MailPart], name: str) -> list[str]:
    """The lines of a part of a mail."""
    return [line.text for part in parts if part.name == name for line in part.lines]

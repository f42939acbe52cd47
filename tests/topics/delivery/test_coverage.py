"""No mail means that nothing is new: a topic that could not be watched says so."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from crawler.models import Run
from crawler.revisit.sources import SourceState
from crawler.sources import registry as sources
from crawler.sources.registry import KnownSource
from tests.topics.delivery.issues import DAY, digest_of, news, work
from tests.topics.factories import NOON, Scene, scene_of
from topics.delivery.coverage import Coverage, coverage_of
from topics.delivery.mail_preview import mail_parts
from topics.models import Digest, DigestIssue, Topic

HOUR = timedelta(hours=1)


@pytest.fixture
def watching(scene: Scene) -> Scene:
    """A topic that runs every six hours, and whose last run was an hour ago."""
    Topic.objects.update(schedule_kind="hours", every_hours=6)
    scene.topic.refresh_from_db()
    return scene


def run(scene: Scene, ended: datetime, **more: Any) -> Run:
    """A run that fetched forty pages by default."""
    values = {"fetched": 40, "stop_reason": "budget"} | more
    return Run.objects.create(
        crawl=scene.crawl, started=ended - HOUR, ended=ended, n_pages=200, **values
    )


def words(digest: Digest, days: int) -> dict[int, str]:
    """The subjects of the mails of some days, by day."""
    found = {}
    for day in range(days):
        now = NOON + day * DAY
        issue = work(digest, now)
        if issue is not None and issue.created == now and issue.state != DigestIssue.State.EMPTY:
            found[day] = issue.subject
    return found


def mail(digest: Digest) -> str:
    issue = digest.issues.exclude(message=b"").first()
    assert issue is not None
    return mail_parts(bytes(issue.message)).text.replace("\r\n", "\n")


def test_a_topic_without_runs_is_reported_at_once_and_once_a_week(watching: Scene) -> None:
    digest = digest_of(watching)

    assert words(digest, 16) == dict.fromkeys(
        (1, 8, 15), "Computing 计算机: sources could not be checked"
    )
    assert "No source could be checked since 2026-05-01 19:00 Asia/Shanghai" in mail(digest)
    assert "No run took place." in mail(digest)
    assert "Nothing new was found" not in mail(digest)


@pytest.mark.parametrize(
    ("n_blind", "subject", "said"),
    [
        (1, "Second: sources could not be checked", "Second: no source could be checked since"),
        (2, "Computing 计算机 and 1 more: sources", "No source could be checked since"),
    ],
)
def test_of_several_topics_the_one_that_was_not_watched_is_named(
    watching: Scene, n_blind: int, subject: str, said: str
) -> None:
    owner = watching.topic.owner
    other = scene_of(owner, "second", started=NOON - 9 * DAY, ended=NOON - 9 * DAY)
    Topic.objects.filter(pk=other.topic.pk).update(
        name="Second", schedule_kind="hours", every_hours=6
    )
    digest = digest_of(watching)
    digest.also_topics.add(other.topic)
    if n_blind == 1:
        for hours in range(6, 49, 6):
            run(watching, NOON + hours * HOUR)
    else:
        Run.objects.update(started=NOON - 9 * DAY, ended=NOON - 9 * DAY)

    [(_day, found)] = words(digest, 3).items()
    assert found.startswith(subject)
    assert f"\n{said} " in mail(digest)


def test_runs_that_reach_nothing_are_reported_with_the_reason(watching: Scene) -> None:
    digest = digest_of(watching, language="zh-hans")
    for hours in range(6, 49, 6):
        run(watching, NOON + hours * HOUR, fetched=0, stop_reason="nothing_reachable")

    [(day, subject)] = words(digest, 3).items()
    assert (day, subject[:20]) == (1, "Computing 计算机：未能检查来源")
    assert "自 2026-05-01 19:00 Asia/Shanghai 起" in mail(digest)
    assert "这次抓取尝试的网址全部失败" in mail(digest)


# how often a digest comes, and the days on which a long silence is broken
@pytest.mark.parametrize(
    ("digest", "days"),
    [({}, [6, 13, 20, 27, 34]), ({"frequency": "weekly", "weekdays": "fri"}, [28])],
)
def test_a_long_silence_is_broken(watching: Scene, digest: dict[str, Any], days: list[int]) -> None:
    for day in range(36):
        run(watching, NOON + day * DAY - HOUR)
    quiet = digest_of(watching, **digest)

    assert words(quiet, 36) == dict.fromkeys(days, "Computing 计算机: nothing new")
    assert "Nothing new was found since" in mail(quiet)


def test_a_mail_with_pages_is_word_too(watching: Scene) -> None:
    for day in range(12):
        run(watching, NOON + day * DAY - HOUR)
    news(watching, first_seen=NOON + 3 * DAY - HOUR)

    assert words(digest_of(watching), 12) == {
        3: "Computing 计算机: 1 new page",
        10: "Computing 计算机: nothing new",
    }


def test_what_breaks_after_a_quiet_word_is_reported_at_once(watching: Scene) -> None:
    for day in range(8):
        run(watching, NOON + day * DAY - HOUR)
    run(watching, NOON + 7 * DAY + HOUR)

    assert words(digest_of(watching), 12) == {
        6: "Computing 计算机: nothing new",
        9: "Computing 计算机: sources could not be checked",
    }


def test_a_topic_that_is_switched_off_is_silent(watching: Scene) -> None:
    Topic.objects.update(active=False)

    assert words(digest_of(watching), 20) == {}


def test_who_wants_empty_mails_is_reported_every_day(watching: Scene) -> None:
    run(watching, NOON + DAY - HOUR)

    assert words(digest_of(watching, skip_empty=False), 4) == {
        0: "Computing 计算机: nothing new",
        1: "Computing 计算机: nothing new",
        2: "Computing 计算机: sources could not be checked",
        3: "Computing 计算机: sources could not be checked",
    }


def test_every_mail_says_how_the_topic_was_watched(watching: Scene) -> None:
    failing = SourceState(NOON, failures=2, failing_since=NOON, failed=NOON)
    sources.save_sources(
        watching.crawl,
        {
            "http://a.test/feed": KnownSource(sources.FEEDS, failing),
            "http://b.test/feed": KnownSource(sources.FEEDS, SourceState(NOON)),
        },
    )
    run(watching, NOON - 20 * HOUR, fetched=7)
    run(watching, NOON - 30 * HOUR, fetched=1000)
    news(watching)
    digest = digest_of(watching)
    work(digest, NOON)

    line = "Since 2026-04-30: runs: 2 · pages checked: 47 · failing sources: 1 of 3"
    assert line in mail(digest)
    assert "Failing sources: http" in mail(digest)


def test_the_first_mail_counts_the_runs_that_saw_its_pages(watching: Scene) -> None:
    run(watching, NOON - 60 * HOUR, fetched=1000)
    run(watching, NOON - 30 * HOUR, fetched=7)
    news(watching, first_seen=NOON - 31 * HOUR)
    digest = digest_of(watching)

    watch = coverage_of(digest, NOON, NOON, seen_from=NOON - 31 * HOUR)

    assert (watch.since, watch.n_runs) == (NOON - 31 * HOUR, 2)
    assert coverage_of(digest, NOON, NOON).n_runs == 0


def test_a_later_mail_counts_the_runs_since_the_last(watching: Scene) -> None:
    news(watching)
    digest = digest_of(watching)
    work(digest, NOON)
    digest.refresh_from_db()

    watch = coverage_of(digest, digest.covered_until, NOON + DAY, seen_from=NOON - 31 * HOUR)

    assert watch.since == digest.covered_until


def seen(digest: Digest, covers_from: datetime, now: datetime) -> Coverage:
    digest.refresh_from_db()
    return coverage_of(digest, covers_from, now)


# hours of the last look before now, hours the issue covers, and whether that is blindness
@pytest.mark.parametrize(
    ("last_look_h", "covers_h", "is_blind"),
    [
        (3, 2, False),  # the next run is not due yet
        (6.5, 2, False),  # it may be late by an hour
        (8, 2, True),
        (8, 24, False),  # there was a visit in what the issue covers
        (30, 24, True),
    ],
)
def test_blind_is_who_saw_nothing_in_all_that_an_issue_covers(
    watching: Scene, last_look_h: float, covers_h: int, *, is_blind: bool
) -> None:
    last_look = NOON - last_look_h * HOUR
    Run.objects.update(started=last_look, ended=last_look)
    watch = seen(digest_of(watching), NOON - covers_h * HOUR, NOON)

    # How the last good run ended is not a reason.
    assert (watch.unwatched_since, watch.why) == (last_look if is_blind else None, "")


def test_a_run_that_is_under_way_and_reads_pages_sees(watching: Scene) -> None:
    Run.objects.update(started=NOON - 30 * HOUR, ended=None, progress_at=NOON - HOUR / 60)

    assert seen(digest_of(watching), NOON - DAY, NOON).unwatched_since is None


def test_a_topic_that_never_ran_is_not_watched(watching: Scene) -> None:
    digest = digest_of(watching)
    Run.objects.all().delete()

    assert seen(digest, NOON - DAY, NOON).unwatched_since == NOON - DAY


def test_nobody_waited_while_the_digest_was_switched_off(watching: Scene) -> None:
    digest = digest_of(watching)
    work(digest, NOON)

    assert seen(digest, NOON + 30 * DAY, NOON + 31 * DAY).since == NOON + 30 * DAY
    assert seen(digest, NOON, NOON + DAY).since == NOON - DAY

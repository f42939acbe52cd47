"""Days and years of digests, rules and channels: each due thing once, at its wall time.

What is expected is found without the code under test: the clock of a zone is read at every tick.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User

from tests.topics.delivery.post_office import PostOffice
from tests.topics.delivery.rules_and_channels import MINUTE, channel_of, page, rule_of
from tests.topics.factories import Scene, prove, scene_of
from topics.delivery import ledger
from topics.delivery.channels import deliveries
from topics.delivery.invariants import delivery_breaches
from topics.delivery.rules import bundling, firing
from topics.models import AlertRule, Delivery, Digest, DigestIssue

#: Times inside the hours that the clock skips or repeats, and outside of them.
DIGESTS: dict[str, dict[str, Any]] = {
    "daily": {"at": time(2, 30)},
    "weekly": {"at": time(8), "frequency": "weekly", "weekdays": "sun, wed"},
    "several": {"at": time(1, 30), "also_at": "02:00, 18:00"},
}
QUIET = (time(22), time(7))
CAP = 2
RULES: dict[str, dict[str, Any]] = {
    "immediate": {},
    "hourly": {"rate": "hourly"},
    "capped": {"rate": "capped", "max_per_day": CAP},
    "quiet": {"quiet_from": QUIET[0], "quiet_until": QUIET[1]},
}
#: A page comes at every so many ticks: at all times of the day, more often than the cap allows.
PAGE_EVERY = timedelta(hours=7, minutes=30)
ZONES = (
    *("UTC", "Europe/London", "Europe/Berlin", "America/New_York", "America/Los_Angeles"),
    *("America/St_Johns", "America/Sao_Paulo", "Asia/Shanghai", "Asia/Kolkata", "Asia/Kathmandu"),
    *("Australia/Lord_Howe", "Pacific/Chatham"),
)


@dataclass
class Simulation:
    """A zone's digests and rules, driven tick by tick."""

    ann: User
    post: PostOffice
    zone: ZoneInfo
    ticks: Sequence[datetime]
    arrivals: list[datetime] = field(default_factory=list)
    mails: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        start = self.ticks[0] - timedelta(hours=1)
        self.scene = scene_of(self.ann, "pages", now=start)
        self.digests = {name: self._digest(name, start) for name in DIGESTS}
        self.rules = {name: self._rule(name, start) for name in RULES}

    def _digest(self, name: str, start: datetime) -> Digest:
        topic = scene_of(self.ann, name, now=start).topic
        values = DIGESTS[name] | {"zone": self.zone.key, "skip_empty": False}
        digest = Digest(topic=topic, covered_until=start, **values)
        digest.plan_next(start)
        digest.save()
        return digest

    def _rule(self, name: str, start: datetime) -> AlertRule:
        channel = channel_of(self.ann, target=f"{name}@reader.test")
        values = RULES[name] | {"name": name, "zone": self.zone.key, "begins": start}
        return rule_of(self.scene, channel, **values)

    def run(self) -> None:
        """What the timer does, at each tick."""
        for number, now in enumerate(self.ticks):
            if not self.arrivals or now >= self.arrivals[-1] + PAGE_EVERY:
                page(self.scene, f"Page {number}", first_seen=now - MINUTE)
                self.arrivals.append(now)
                firing.fire_rules(now)
            for pk in ledger.waiting_digests(now):
                ledger.process_digest(pk, lambda: now)  # noqa: B023
            bundling.bundle_all(now)
            for pk in deliveries.waiting_deliveries(now):
                deliveries.send_one(pk, lambda: now)  # noqa: B023
            if number % 1000 == 999:
                self._count_mails()
        self._count_mails()

    def _count_mails(self) -> None:
        self.mails.update(letter.recipients[0] for letter in self.post.letters())
        self.post.forget()

    def wall(self, moment: datetime) -> datetime:
        return moment.astimezone(self.zone)

    def check_digests(self) -> None:
        for name, digest in self.digests.items():
            made = digest.issues.order_by("pk").values_list("created", flat=True)
            assert list(made) == list(self.due(digest)), (self.zone.key, name)
        states = DigestIssue.objects.values_list("state", flat=True)
        assert set(states) == {"sent"}
        assert self.mails[self.ann.email] == len(states)

    def due(self, digest: Digest) -> Iterator[datetime]:
        """The first tick of each day at which the wall clock shows a time of the digest."""
        times = sorted({digest.at, *digest.schedule().also_at})
        before = self.wall(self.ticks[0] - MINUTE)
        done = {(before.date(), at) for at in times if at <= before.time()}
        for tick in self.ticks:
            wall = self.wall(tick)
            if digest.frequency == "weekly" and wall.weekday() not in (2, 6):
                continue
            due = {(wall.date(), at) for at in times if at <= wall.time()} - done
            done |= due
            if due:
                yield tick

    def check_rules(self) -> None:
        for name, rule in self.rules.items():
            sent = rule.deliveries.order_by("pk").values_list("created", flat=True)
            self.check_rate(name, list(sent), self.alert_delays(rule))
            assert self.mails[f"{name}@reader.test"] == len(sent), (self.zone.key, name)
        assert set(Delivery.objects.values_list("state", flat=True)) == {"sent"}

    def alert_delays(self, rule: AlertRule) -> list[tuple[datetime, datetime]]:
        """When each alert came and when it went out; one that waits at the end is left out."""
        notices = rule.notices.order_by("pk")
        assert [notice.created for notice in notices] == self.arrivals
        waiting = notices.filter(delivery=None)
        assert all(self.ticks[-1] - one.created < timedelta(days=1, hours=2) for one in waiting)
        gone = notices.exclude(delivery=None).select_related("delivery")
        return [(one.created, one.delivery.created) for one in gone if one.delivery is not None]

    def check_rate(
        self, name: str, sent: list[datetime], delays: list[tuple[datetime, datetime]]
    ) -> None:
        where = self.zone.key, name
        if name == "immediate":
            assert sent == self.arrivals, where
        elif name == "quiet":
            assert sent == list(self.after_quiet_hours()), where
        elif name == "capped":
            assert sent == list(self.under_the_cap()), where
        else:
            hours = Counter((self.wall(one).utcoffset(), f"{self.wall(one):%F %H}") for one in sent)
            assert max(hours.values()) == 1, where
            # A clock that jumps by half an hour makes one hour longer.
            assert all(
                timedelta(0) < went - came <= 1.5 * timedelta(hours=1) for came, went in delays
            )

    def after_quiet_hours(self) -> Iterator[datetime]:
        waiting, arrivals = False, set(self.arrivals)
        for tick in self.ticks:
            waiting = waiting or tick in arrivals
            is_quiet = self.wall(tick).time() >= QUIET[0] or self.wall(tick).time() < QUIET[1]
            if waiting and not is_quiet:
                yield tick
                waiting = False

    def under_the_cap(self) -> Iterator[datetime]:
        waiting, arrivals, days = False, set(self.arrivals), Counter[date]()
        for tick in self.ticks:
            waiting = waiting or tick in arrivals
            if waiting and days[self.wall(tick).date()] < CAP:
                yield tick
                days[self.wall(tick).date()] += 1
                waiting = False


def simulate(
    ann: User, post: PostOffice, zone: str, start: datetime, length: timedelta, step: timedelta
) -> Simulation:
    prove(ann, "ann@reader.test")
    ticks = [start + number * step for number in range(length // step)]
    simulation = Simulation(ann, post, ZoneInfo(zone), ticks)
    simulation.run()
    simulation.check_digests()
    simulation.check_rules()
    assert list(delivery_breaches(ticks[-1])) == []
    return simulation


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        ("Europe/Berlin", date(2026, 3, 29)),
        ("Europe/Berlin", date(2026, 10, 25)),
        ("America/New_York", date(2026, 3, 8)),
        ("America/New_York", date(2026, 11, 1)),
        ("Australia/Lord_Howe", date(2026, 4, 5)),
        ("Australia/Lord_Howe", date(2026, 10, 4)),
    ],
)
def test_around_a_change_of_the_clocks_each_due_thing_comes_once(
    ann: User, post: PostOffice, zone: str, day: date
) -> None:
    midnight = datetime.combine(day, time(0), ZoneInfo(zone)).astimezone(UTC)
    simulation = simulate(
        ann,
        post,
        zone,
        midnight - timedelta(hours=4),
        timedelta(hours=36),
        timedelta(minutes=30),
    )
    offsets = {simulation.wall(tick).utcoffset() for tick in simulation.ticks}
    assert len(offsets) == 2, "the clocks change in these days"


@pytest.mark.torture
@pytest.mark.parametrize("zone", ZONES)
def test_in_400_days_each_due_thing_comes_once(ann: User, post: PostOffice, zone: str) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    # Some zones are three quarters of an hour from a full one.
    step = timedelta(minutes=15 if zone in ("Asia/Kathmandu", "Pacific/Chatham") else 30)
    simulate(ann, post, zone, start, timedelta(days=400), step)


def test_thirty_days_repeat_no_story_in_digests_alerts_and_channels(
    ann: User, post: PostOffice
) -> None:
    begin = datetime(2026, 5, 1, tzinfo=UTC)
    prove(ann, "ann@reader.test")
    scene: Scene = scene_of(ann, now=begin)
    friend = channel_of(ann, target="friend@reader.test")
    digest = Digest(topic=scene.topic, at=time(8), covered_until=begin)
    digest.plan_next(begin)
    digest.save()
    digest.channels.add(friend)
    for name in ("one", "other"):  # both fit every page
        rule_of(scene, friend, name=name, begins=begin)
    for number in range(30):
        now = begin + timedelta(days=number, hours=6)
        story = page(scene, f"story {number}", first_seen=now - MINUTE).story
        firing.fire_rules(now)
        bundling.bundle_all(now)
        page(scene, f"copy {number}", first_seen=now + MINUTE, story=story, score=0.9)
        later = now + timedelta(hours=3)
        firing.fire_rules(later)
        bundling.bundle_all(later)
        for pk in ledger.waiting_digests(later):
            ledger.process_digest(pk, lambda: later)  # noqa: B023
        for pk in deliveries.waiting_deliveries(later):
            deliveries.send_one(pk, lambda: later)  # noqa: B023

    # The owner has 30 issues; the friend has a copy of each, and one alert for each story.
    assert Counter(letter.recipients[0] for letter in post.letters()) == {
        "ann@reader.test": 30,
        "friend@reader.test": 60,
    }
    items = [item.story_id for issue in digest.issues.all() for item in issue.items.all()]
    assert len(items) == len(set(items)) == 30
    alerts = friend.notices.values_list("alert__story", flat=True)
    assert len(alerts) == len(set(alerts)) == 30
    assert Delivery.objects.filter(issue=None).count() == 30

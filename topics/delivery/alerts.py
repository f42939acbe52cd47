"""Alerts: new pages above a topic's alert score, one for each story."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.http import HttpRequest

from crawler.api.tables import Harvest, HarvestQuerySet
from focusweb.database import select, write_transaction
from topics.delivery.handover import Clock
from topics.models import Alert, AlertMatch, RuleEvent, SiteControl, Topic
from topics.pages.not_spam import stuffed_pages
from topics.pages.rows import ShownPage, rows_of_crawls

#: What is older is never an alert, however long a topic's pages count as fresh.
MAX_AGE: Final = timedelta(days=7)
#: Alerts of one topic made at one time, at most: the best ones.
AT_ONCE: Final = 100


class NoAlerts(StrEnum):
    """Why a topic has no alerts."""

    NO_SCORE = "no_score"
    NEVER_RUN = "never_run"
    FIRST_RUN = "first_run"
    RANKING = "ranking"
    ONLY_KNOWN = "only_known"
    TOO_LOW = "too_low"
    SOON = "soon"


@dataclass(frozen=True, slots=True)
class ShownAlert:
    """An alert with its page as lists show it, and the rules that matched the page."""

    alert: Alert
    page: ShownPage
    matches: Sequence[AlertMatch]

    @property
    def is_by_rule(self) -> bool:
        """Whether a rule raised it, not the threshold of its topic."""
        return any(match.matched == self.alert.fired for match in self.matches)


@dataclass(frozen=True, slots=True)
class NoAlertReason:
    """Why a topic has no alerts, with its best fresh score where that is the reason."""

    topic: Topic
    why: NoAlerts
    best: float = 0.0


def fire_all(now: datetime, *, clock: Clock | None = None) -> int:
    """Make the alerts of all topics. Return how many. `clock` is as in `fire`."""
    topics = Topic.objects.exclude(alert_score=None).exclude(crawl=None)
    return sum(fire(topic, now, clock=clock) for topic in topics)


def fire(topic: Topic, now: datetime, *, clock: Clock | None = None) -> int:
    """Make the alerts of a topic; how many. Two that do so at once make them once.

    `clock` gives the time at which they are stored; without it, that is `now`.
    """
    if topic.alert_score is None:
        return 0
    rows = _new(topic, now).filter(score__gte=topic.alert_score).one_per_story()
    fresh = list(rows.order_by("-score", "pk")[:AT_ONCE])
    if not fresh:
        return 0
    with write_transaction():
        # Not before: an issue of a digest that is made meanwhile would leave them out, and the
        # next one covers only what is later than that.
        fired = clock() if clock else now
        made = Alert.objects.bulk_create(
            (
                Alert(
                    topic=topic,
                    harvest=row,
                    story_id=row.story_id,
                    score=row.score,
                    needed=topic.alert_score,
                    fired=fired,
                )
                for row in fresh
            ),
            ignore_conflicts=True,
        )
    return len(made)


def set_score(topic: Topic, score: float | None, now: datetime) -> None:
    """Change a topic's alert score; what is stored already never becomes an alert by that."""
    if score == topic.alert_score:
        return  # What came since the last change is an alert still.
    topic.alert_score, topic.alerts_from = score, now
    topic.save(update_fields=["alert_score", "alerts_from"])


def age_floor(topic: Topic, now: datetime) -> datetime:
    """Return the time before which nothing becomes an alert now."""
    return max(topic.window_start(now), now - MAX_AGE)


def news_for_alerts(topic: Topic, now: datetime) -> HarvestQuerySet:
    """Fair pages young enough for an alert, best first."""
    news = Harvest.objects.filter(crawl__topic=topic).news(age_floor(topic, now), now)
    return news.exclude(pk__in=stuffed_pages(topic))


def alerts_of(topics: Iterable[Topic]) -> QuerySet[Alert]:
    """The alerts of some topics, without those of sites that their topic has blocked since."""
    return _not_blocked(Alert.objects.filter(topic__in=topics))


def alert_rows(alerts: Sequence[Alert], now: datetime) -> list[ShownAlert]:
    """Alerts as rows for a template, in their order."""
    pages = rows_of_crawls(((alert.topic.crawl, alert.harvest) for alert in alerts), now)
    matches: dict[int, list[AlertMatch]] = {alert.pk: [] for alert in alerts}
    for match in AlertMatch.objects.filter(alert__in=matches).select_related("rule").order_by("pk"):
        matches[match.alert_id].append(match)
    return [ShownAlert(alert, pages[alert.harvest_id], matches[alert.pk]) for alert in alerts]


def no_alert_reason(topic: Topic, now: datetime) -> NoAlertReason:
    """Return why a topic has no alerts."""
    if topic.alert_score is None:
        return NoAlertReason(topic, NoAlerts.NO_SCORE)
    if topic.crawl is None or topic.last_run() is None:
        return NoAlertReason(topic, NoAlerts.NEVER_RUN)
    if topic.crawl.baseline_end() is None:
        return NoAlertReason(topic, NoAlerts.FIRST_RUN)
    best = _new(topic, now).first()
    if best is None:
        is_early = awaits_ranking(topic, topic.alerts_from, now)
        return NoAlertReason(topic, NoAlerts.RANKING if is_early else NoAlerts.ONLY_KNOWN)
    why = NoAlerts.SOON if best.score >= topic.alert_score else NoAlerts.TOO_LOW
    return NoAlertReason(topic, why, best.score)


def awaits_ranking(topic: Topic, since: datetime | None, now: datetime) -> bool:
    """Whether a run may bring alerts still: it is not over, or new pages have no story yet."""
    if topic.crawl is None or topic.crawl.baseline_end() is None:
        return False  # What the first run finds is never an alert.
    if topic.crawl.runs.filter(ended=None).exists():
        return True
    unranked = news_for_alerts(topic, now).filter(story=None)
    return (unranked if since is None else unranked.filter(first_seen__gt=since)).exists()


def mark_seen(alerts: Sequence[int], owner: Any) -> int:
    """Mark a person's alerts as seen; how many were new."""
    own = Alert.objects.filter(pk__in=alerts, topic__owner=owner, state=Alert.State.NEW)
    return own.update(state=Alert.State.SEEN)


def listed_events(topics: Iterable[Topic]) -> QuerySet[RuleEvent]:
    """Return what else happened to some topics and was an alert of a rule.

    What was not seen is first, then the latest: a list that is cut must not hide it.
    """
    rows = RuleEvent.objects.filter(topic__in=topics, rule__owner=F("topic__owner"))
    rows = rows.select_related("rule", "topic", "change__url__site", "change__url__page")
    return rows.order_by("seen", "-fired", "-pk")


def mark_events_seen(events: Sequence[int], owner: Any) -> int:
    """Mark events of a person's rules as seen; how many were new."""
    return RuleEvent.objects.filter(pk__in=events, rule__owner=owner, seen=False).update(seen=True)


def alert_context(request: HttpRequest) -> dict[str, Any]:
    """Give templates of signed-in people the number of unseen alerts."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    statement, values = _new_alerts(user.pk)
    return {"n_new_alerts": len(select(statement, values))}


@lru_cache(maxsize=1000)
def _new_alerts(owner: int) -> tuple[str, tuple[Any, ...]]:
    """The statement that finds a person's unseen alerts.

    Every page has their number, and Django takes a millisecond to make the statement.
    """
    new = Alert.objects.filter(topic__owner=owner, state=Alert.State.NEW)
    events = RuleEvent.objects.filter(rule__owner=owner, topic__owner=owner, seen=False)
    both = _not_blocked(new).order_by().values("pk").union(events.order_by().values("pk"), all=True)
    return both.query.sql_with_params()


def _not_blocked(alerts: QuerySet[Alert]) -> QuerySet[Alert]:
    of_its_site = SiteControl.objects.filter(
        topic=OuterRef("topic"),
        site=OuterRef("harvest__url__site"),
        rule=SiteControl.Rule.BLOCK,
    )
    return alerts.exclude(Exists(of_its_site))


def _new(topic: Topic, now: datetime) -> HarvestQuerySet:
    """Pages that came after the score was set, without an alert for them or their story."""
    # A page has its story, and the score that counts, once its crawl has taken stock.
    rows = news_for_alerts(topic, now).exclude(story=None)
    if topic.alerts_from is not None:
        rows = rows.filter(first_seen__gt=topic.alerts_from)
    raised = Alert.objects.filter(topic=topic)
    known = Harvest.objects.filter(crawl__topic=topic).filter(
        Q(pk__in=raised.values("harvest_id"))
        | Q(story__in=raised.exclude(story=None).values("story_id"))
    )
    return rows.exclude(pk__in=known.values("pk"))

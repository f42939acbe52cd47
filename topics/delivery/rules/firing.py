"""Make the alerts of rules, and note which channels are to get them; each once."""

import logging
from datetime import datetime

from django.db.models import Q

from crawler.api.tables import Harvest, HarvestQuerySet
from focusweb.database import write_transaction
from focusweb.failpoints import pass_point
from topics.delivery.alerts import age_floor
from topics.delivery.handover import Clock
from topics.delivery.rules.events import fire_events
from topics.delivery.rules.matching import Fit, fits, topics_of_rule, young_pages
from topics.models import Alert, AlertMatch, AlertRule, Notice, Topic
from topics.search.errors import SearchError

logger = logging.getLogger(__name__)


def fire_rules(now: datetime, *, clock: Clock | None = None) -> int:
    """Make the alerts of all rules that are on; how many pages and events fitted one.

    `clock` is as in `fire_rule`.
    """
    rules = AlertRule.objects.filter(active=True, owner__is_active=True)
    return sum(
        fire_rule(rule, now, clock=clock) for rule in rules.select_related("owner", "search__topic")
    )


def fire_rule(rule: AlertRule, now: datetime, *, clock: Clock | None = None) -> int:
    """Make the alerts of one rule; how many fitted. Two that do so at once make them once.

    `clock` gives the time at which each is stored; without it, that is `now`.
    """
    clock = clock or (lambda: now)
    if rule.watches != AlertRule.Watches.PAGES:
        return fire_events(rule, now, clock)
    found = 0
    for topic in topics_of_rule(rule):
        try:
            for fit in list(fits(rule, topic, _unmatched(rule, topic, now), now)):
                found += _raise_alert(rule, fit, clock)
        except SearchError as error:
            # The index may be rebuilt just now: the next round checks the same pages.
            logger.warning("alert rule %s: its search failed: %s", rule.pk, error)
    pass_point("alert.matched")
    return found


@write_transaction()
def _raise_alert(rule: AlertRule, fit: Fit, clock: Clock) -> bool:
    """Note that a page fits; False if another process was first."""
    row = fit.harvest
    # Not before the transaction: an issue of a digest that is made meanwhile would leave the alert
    # out, and the next one covers only what is later than that.
    now = clock()
    fresh = Alert(
        topic=fit.topic,
        harvest=row,
        story_id=row.story_id,
        score=row.score,
        needed=rule.min_score or 0.0,
        fired=now,
    )
    Alert.objects.bulk_create([fresh], ignore_conflicts=True)
    same = Q(harvest=row) | Q(story_id=row.story_id)
    alert = Alert.objects.filter(same, topic=fit.topic).order_by("pk")[0]
    _match, made = AlertMatch.objects.get_or_create(
        rule=rule, alert=alert, defaults={"harvest": row, "values": fit.values, "matched": now}
    )
    if not made:
        return False
    # One story comes to a channel once, whichever rule was first.
    Notice.objects.bulk_create(
        (
            Notice(channel=channel, alert=alert, rule=rule, created=now)
            for channel in rule.channels.all()
        ),
        ignore_conflicts=True,
    )
    if not rule.is_muted(now):
        # A muted rule that was first must not hold what this one sends.
        waiting = alert.notices.filter(delivery=None, dropped=False, rule__muted_until__gt=now)
        waiting.filter(channel__in=rule.channels.all()).update(rule=rule)
    pass_point("alert.half")
    return True


def _unmatched(rule: AlertRule, topic: Topic, now: datetime) -> HarvestQuerySet:
    """Young pages whose story has not fitted the rule before."""
    pages = young_pages(topic, rule.begins, now, floor=age_floor(topic, now))
    alerts = Alert.objects.filter(topic=topic, matches__rule=rule)
    known = Harvest.objects.filter(crawl__topic=topic).filter(
        Q(pk__in=rule.matches.values("harvest_id"))
        | Q(story__in=alerts.exclude(story=None).values("story_id"))
        | Q(story__in=alerts.exclude(harvest__story=None).values("harvest__story_id"))
    )
    return pages.exclude(pk__in=known.values("pk"))

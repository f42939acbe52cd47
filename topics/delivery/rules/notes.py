"""Why a rule or a channel sent nothing: from its own state to the pages that came."""

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from crawler.api.tables import Run
from topics.delivery.alerts import age_floor, awaits_ranking
from topics.delivery.channels.notes import (
    Note,
    NoteCause,
    delivery_notes,
    search_notes,
    state_notes,
    takes_messages,
    worker_note,
)
from topics.delivery.rules.bundling import sent_lately, waiting_notices
from topics.delivery.rules.matching import (
    fits,
    rule_conditions,
    searches_of,
    topics_of_rule,
    young_pages,
)
from topics.models import AlertRule, Channel
from topics.search.errors import SearchError


def rule_notes(rule: AlertRule, now: datetime, *, worker_up: bool) -> list[Note]:
    """Return all notes on a rule, the most urgent first."""
    broken = [note for search in searches_of(rule) for note in search_notes(search, now)]
    return [
        *worker_note(worker_up=worker_up),
        *_own_state(rule, now),
        *broken,
        *_held(rule, now),
        *delivery_notes(rule.deliveries.select_related("channel"), rule.zone),
        *(() if broken else _seen(rule, now)),
    ]


def channel_notes(channel: Channel, zone: str, now: datetime, *, worker_up: bool) -> list[Note]:
    """Return all notes on a channel, the most urgent first."""
    return [
        *worker_note(worker_up=worker_up),
        *state_notes(channel),
        *_senders(channel, now),
        *delivery_notes(channel.deliveries.select_related("channel"), zone),
    ]


def _senders(channel: Channel, now: datetime) -> Iterator[Note]:
    """Return which rules of a channel are off, and what waits for the others."""
    rules = list(channel.alert_rules.all())
    if not rules and not channel.digests.exists():
        yield Note(NoteCause.NOT_USED, _("No rule and no digest sends to this channel."))
    for rule in rules:
        if not rule.active:
            yield Note(NoteCause.OFF, _("The rule “%(rule)s” is off.") % {"rule": rule.name})
        yield from _waiting(rule, channel, now)


def _own_state(rule: AlertRule, now: datetime) -> Iterator[Note]:
    if not rule.active:
        yield Note(NoteCause.OFF, _("This rule is off."))
    if rule.muted_until is not None and rule.is_muted(now):
        until = rule.muted_until.astimezone(ZoneInfo(rule.zone))
        text = _("This rule is muted: its messages wait until %(when)s.")
        yield Note(NoteCause.MUTED, text % {"when": f"{until:%Y-%m-%d %H:%M}"})
    channels = list(rule.channels.all())
    if not channels:
        text = _("This rule has no channel: its alerts are on the alerts page only.")
        yield Note(NoteCause.NO_CHANNEL, text)
    for channel in channels:
        yield from state_notes(channel)


def _held(rule: AlertRule, now: datetime) -> Iterator[Note]:
    """What waits for each channel, and what was left out."""
    for channel in rule.channels.all():
        yield from _waiting(rule, channel, now)
    dropped = rule.notices.filter(dropped=True)
    # An alert has a notice for each channel.
    n_pages, n_events = (
        dropped.exclude(**{name: None}).values(name).distinct().count()
        for name in ("alert", "event")
    )
    if n_pages:
        text = ngettext(
            "%(count)d alert was not sent, as its page was dropped or blocked meanwhile.",
            "%(count)d alerts were not sent, as their pages were dropped or blocked meanwhile.",
            n_pages,
        )
        yield Note(NoteCause.DROPPED, text % {"count": n_pages})
    if n_events:
        text = ngettext(
            "%(count)d alert was not sent, as what it reported had ended meanwhile.",
            "%(count)d alerts were not sent, as what they reported had ended meanwhile.",
            n_events,
        )
        yield Note(NoteCause.DROPPED, text % {"count": n_events})


def _waiting(rule: AlertRule, channel: Channel, now: datetime) -> Iterator[Note]:
    """What of a rule waits for a channel, why, and until when."""
    pace, waiting = rule.pace(), waiting_notices(rule, channel)
    if not waiting:
        return
    first, sent = min(one.created for one in waiting), sent_lately(rule, channel, now)
    muted = rule.muted_until if rule.muted_until is not None and rule.is_muted(now) else now
    until = pace.next_moment(muted, first, sent).astimezone(ZoneInfo(rule.zone))
    facts = {"count": len(waiting), "channel": channel.name, "when": f"{until:%Y-%m-%d %H:%M}"}
    if not rule.active:
        text = ngettext(
            "%(count)d alert waits for “%(channel)s” until the rule is switched on.",
            "%(count)d alerts wait for “%(channel)s” until the rule is switched on.",
            len(waiting),
        )
        yield Note(NoteCause.HELD, text % facts)
    elif not takes_messages(channel):
        text = ngettext(
            "%(count)d alert waits until “%(channel)s” takes messages again.",
            "%(count)d alerts wait until “%(channel)s” takes messages again.",
            len(waiting),
        )
        yield Note(NoteCause.WAITING, text % facts)
    elif pace.is_quiet(now):
        text = ngettext(
            "Quiet hours: %(count)d alert waits for “%(channel)s” until %(when)s.",
            "Quiet hours: %(count)d alerts wait for “%(channel)s” until %(when)s.",
            len(waiting),
        )
        yield Note(NoteCause.QUIET, text % facts)
    elif rule.is_muted(now):
        text = ngettext(
            "%(count)d alert waits for “%(channel)s” until %(when)s, as the rule is muted.",
            "%(count)d alerts wait for “%(channel)s” until %(when)s, as the rule is muted.",
            len(waiting),
        )
        yield Note(NoteCause.HELD, text % facts)
    elif pace.may_send(now, first, sent):
        yield Note(NoteCause.SOON, _("A message is due. It is prepared within a minute."))
    else:
        text = ngettext(
            "%(count)d alert waits for “%(channel)s” until %(when)s, as messages are limited.",
            "%(count)d alerts wait for “%(channel)s” until %(when)s, as messages are limited.",
            len(waiting),
        )
        yield Note(NoteCause.HELD, text % facts)


def _seen(rule: AlertRule, now: datetime) -> Iterator[Note]:
    """Return what became of each event since the rule began."""
    if rule.watches == AlertRule.Watches.PAGES:
        yield from _pages(rule, now)
        return
    last = rule.events.order_by("-happened").first()
    zone = ZoneInfo(rule.zone)
    if last is None:
        text = _("Nothing of this kind happened since the rule was set on %(when)s.")
        when = f"{rule.begins.astimezone(zone):%Y-%m-%d %H:%M}"
        yield Note(NoteCause.NOTHING_NEW, text % {"when": when})
    else:
        text = _("This happened last on %(when)s. It is an alert once, not as long as it lasts.")
        when = f"{last.happened.astimezone(zone):%Y-%m-%d %H:%M}"
        yield Note(NoteCause.SAME_STORY, text % {"when": when})


def _pages(rule: AlertRule, now: datetime) -> Iterator[Note]:
    """Return what became of each page that came since the rule began."""
    for topic in topics_of_rule(rule):
        name = {"topic": topic.name}
        if not Run.objects.filter(crawl=topic.crawl_id).exists():
            yield Note(NoteCause.NEVER_RUN, _("%(topic)s: it has not run yet.") % name)
            continue
        pages = young_pages(topic, rule.begins, now, floor=age_floor(topic, now))
        came = pages.one_per_story().count()
        if not came and awaits_ranking(topic, rule.begins, now):
            text = _(
                "%(topic)s: a run is in progress, or its pages are being ranked. Alerts come when a"
                " page's story is known, at the latest when the run has ended."
            )
            yield Note(NoteCause.RANKING, text % name)
            continue
        if not came:
            text = _(
                "%(topic)s: no new page was found since the rule was set. Pages of the first run"
                " and pages older than 7 days never raise an alert."
            )
            yield Note(NoteCause.NOTHING_NEW, text % name)
            continue
        try:
            fitting = [fit.harvest for fit in fits(rule, topic, pages, now)]
        except SearchError:
            text = _("The saved search “%(search)s” cannot be run now.")
            yield Note(NoteCause.SEARCH, text % {"search": rule.search})
            continue
        best = pages.values_list("score", flat=True)[0]
        if rule.min_score is not None and best < rule.min_score:
            text = _(
                "%(topic)s: new pages were found, but the best one scores %(best).2f; the rule"
                " needs %(needed).2f."
            )
            yield Note(NoteCause.BELOW, text % (name | {"best": best, "needed": rule.min_score}))
        elif not fitting:
            scored = pages.filter(rule_conditions(rule)).one_per_story().count()
            text = _(
                "%(topic)s: of %(came)d new stories none fits all conditions; %(scored)d fit score,"
                " site, language and date."
            )
            yield Note(NoteCause.CONDITION, text % (name | {"came": came, "scored": scored}))
        else:
            matches = rule.matches.filter(alert__topic=topic)
            known = set(matches.values_list("harvest__story", flat=True))
            known |= set(matches.values_list("alert__story", flat=True))
            alerted = sum(row.story_id in known for row in fitting)
            text = _(
                "%(topic)s: %(fit)d of %(came)d new stories fit; %(alerted)d of them have their"
                " alert. A story is sent once: its copies and updates are not."
            )
            facts = name | {"fit": len(fitting), "came": came, "alerted": alerted}
            yield Note(NoteCause.SAME_STORY, text % facts)

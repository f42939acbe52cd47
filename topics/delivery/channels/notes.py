"""Why nothing was sent: the notes that digests, rules and channels share."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from crawler.api.tables import Harvest
from topics.delivery.channels.registry import find_kind
from topics.models import Channel, Delivery, SavedSearch
from topics.models.ledger import LedgerQuerySet, LedgerState
from topics.pages.saved_searches import fitting, topics_of
from topics.search.errors import QueryError
from topics.search.problems import sentence


class NoteCause(StrEnum):
    """What prevents a message, or its outcome."""

    WORKER_DOWN = "worker_down"
    MISSING = "missing"
    NO_SERVER = "no_server"
    OFF = "off"
    MUTED = "muted"
    STOPPED = "stopped"
    UNCONFIRMED = "unconfirmed"
    NO_CHANNEL = "no_channel"
    QUIET = "quiet"
    HELD = "held"
    DROPPED = "dropped"
    RETRYING = "retrying"
    SENDING = "sending"
    FAILED = "failed"
    UNCERTAIN = "uncertain"
    SENT = "sent"
    NEVER_RUN = "never_run"
    RANKING = "ranking"
    NOTHING_NEW = "nothing_new"
    BELOW = "below"
    CONDITION = "condition"
    SAME_STORY = "same_story"
    SEARCH = "search"
    WAITING = "waiting"
    NOT_USED = "not_used"
    SOON = "soon"
    NOTHING_SENT = "nothing_sent"


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to know, as a sentence, with the delivery it is about."""

    cause: NoteCause
    text: str
    delivery: Delivery | None = None


def worker_note(*, worker_up: bool) -> Iterator[Note]:
    """Return a note if nothing is sent at all."""
    text = _("The background worker is not running, so nothing is sent.")
    if not worker_up:
        yield Note(NoteCause.WORKER_DOWN, text)


def state_notes(channel: Channel) -> Iterator[Note]:
    """Return why a channel takes no messages now; nothing if it does."""
    name = {"channel": channel.name}
    kind = find_kind(channel.kind)
    if kind is None:
        text = _("“%(channel)s” waits: the plugin or package for “%(kind)s” is not loaded.")
        yield Note(NoteCause.MISSING, text % (name | {"kind": channel.kind}))
    elif kind.name == "mail" and settings.MAIL_SERVER is None:
        text = _(
            "“%(channel)s” waits: no mail server is set (FOCUSWEB_SMTP_URL). A message fails if"
            " none is set within about a day."
        )
        yield Note(NoteCause.NO_SERVER, text % name)
    if channel.stopped is not None:
        text = _("“%(channel)s” is stopped: its reader unsubscribed, or the receiver refused it.")
        yield Note(NoteCause.STOPPED, text % name)
    elif channel.confirmed is None:
        text = _("“%(channel)s” is not confirmed: its reader must open the link in the e-mail.")
        yield Note(NoteCause.UNCONFIRMED, text % name)
    if not channel.active:
        yield Note(
            NoteCause.OFF, _("“%(channel)s” is switched off. Alerts for it are kept.") % name
        )


def takes_messages(channel: Channel) -> bool:
    """Return whether messages for a channel are made and sent now."""
    return channel.is_usable and find_kind(channel.kind) is not None


def search_notes(search: SavedSearch, now: datetime) -> Iterator[Note]:
    """Return what is wrong with a saved search; nothing if it can be run."""
    for topic in topics_of(search):
        try:
            fitting(search, Harvest.objects.none(), topic, now)
        except QueryError as error:
            text = _(
                "The saved search “%(search)s” finds nothing until it is corrected: %(problem)s"
            )
            problem = sentence(error.problem, error.position, error.found, error.hint)
            yield Note(NoteCause.SEARCH, text % {"search": search.name, "problem": problem})
            return


def delivery_notes(rows: LedgerQuerySet[Delivery], zone: str) -> Iterator[Note]:
    """Return the outcome of the newest delivery among some, and which outcomes are unknown."""
    last = rows.order_by("-pk").first()
    if last is None:
        yield Note(NoteCause.NOTHING_SENT, _("Nothing was sent yet."))
        return
    yield delivery_note(last, zone)
    for row in rows.filter(state=LedgerState.UNCERTAIN).exclude(pk=last.pk)[:10]:
        yield delivery_note(row, zone)


def delivery_note(row: Delivery, zone: str) -> Note:
    """Return the outcome of a delivery."""
    facts = {
        "subject": row.subject,
        "channel": row.channel.name,
        "problem": row.problem,
        "tries": row.attempts,
        "when": _when(row.ended or row.not_before or row.created, zone),
    }
    cause, text = _cause_and_text(row)
    return Note(cause, text % facts, row)


def _cause_and_text(row: Delivery) -> tuple[NoteCause, str]:
    match LedgerState(row.state):
        case LedgerState.SENT:
            text = _("“%(subject)s” was sent to “%(channel)s” at %(when)s.")
            return NoteCause.SENT, text
        case LedgerState.FAILED:
            text = ngettext(
                "“%(subject)s” failed after %(tries)s attempt: “%(problem)s”. Send it again.",
                "“%(subject)s” failed after %(tries)s attempts: “%(problem)s”. Send it again.",
                row.attempts,
            )
            return NoteCause.FAILED, text
        case LedgerState.UNCERTAIN:
            text = _(
                "“%(subject)s” may have been sent: the connection or FocusWeb stopped in between."
                " Check “%(channel)s”. If it is not there, send it again."
            )
            return NoteCause.UNCERTAIN, text
        case LedgerState.MERGED:
            text = _("“%(subject)s” was not sent in time. The next issue includes its pages.")
            return NoteCause.DROPPED, text
        case LedgerState.STOPPED:
            text = _("“%(subject)s” was not sent, because its digest was switched off before.")
            return NoteCause.DROPPED, text
        case LedgerState.EMPTY:
            text = _("“%(subject)s” was not sent, because its pages are not news any more.")
            return NoteCause.DROPPED, text
        case LedgerState.SENDING:
            return NoteCause.SENDING, _("“%(subject)s” is being sent.")
        case _ if not takes_messages(row.channel):
            text = _("“%(subject)s” is ready. It waits until “%(channel)s” takes messages again.")
            return NoteCause.WAITING, text
        case LedgerState.FROZEN:
            text = _(
                "“%(subject)s” is not written yet, because the plugin of “%(channel)s” fails. It is"
                " tried again every five minutes."
            )
            return NoteCause.RETRYING, text
        case _ if row.problem:
            text = _(
                "“%(subject)s” was not accepted: “%(problem)s”. Attempts so far: %(tries)s; next"
                " attempt: %(when)s."
            )
            return NoteCause.RETRYING, text
        case _:
            return NoteCause.RETRYING, _("“%(subject)s” is ready. It is sent within a minute.")


def _when(moment: datetime, zone: str) -> str:
    return f"{moment.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M} {zone}"

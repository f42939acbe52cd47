"""Hand one row of the ledger over, once: the steps that every channel shares.

    rendered -> sending -> sent

A row found in `sending` after a crash may have been sent or not, and no program can find out. It
becomes `uncertain`, is shown, and is never sent again by itself, unless its receiver recognises
a message that comes twice.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from focusweb.database import write_transaction
from focusweb.failpoints import pass_point
from focusweb.runtime.process_id import is_dead, this_process
from topics.models.ledger import LedgerQuerySet, LedgerRow, LedgerState

logger = logging.getLogger(__name__)

#: Longer than any sender runs: its task ends, or is ended, before.
HOLD: Final = timedelta(minutes=5)
_HELD: Final = (LedgerState.SENDING, LedgerState.UNCERTAIN)
Clock = Callable[[], datetime]
OnSettled = Callable[[LedgerState, "SendResult", datetime], None]


@dataclass(frozen=True, slots=True)
class SendResult:
    """The outcome of a message: `sent`, and if not whether that is `certain`.

    `hopeless` says that another attempt cannot help, `answer` what the receiver said.
    """

    sent: bool
    certain: bool = True
    problem: str = ""
    hopeless: bool = False
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """How rows of a kind are sent.

    Attributes
    ----------
    points : str
        What the fail-points of the steps begin with.
    retry_delays : sequence of timedelta
        Pauses between the attempts after a certain failure.
    repeatable : bool
        The receiver recognises a message that comes twice, so an unknown outcome is tried again.
    """

    points: str
    retry_delays: Sequence[timedelta]
    repeatable: bool = False


def hand_over(
    row: LedgerRow,
    send: Callable[[], SendResult],
    terms: Terms,
    clock: Clock,
    *,
    on_settled: OnSettled = lambda state, result, now: None,
) -> bool:
    """Send a row if no other process does; True if it came to an end.

    `on_settled` is called in the transaction that writes the outcome of an attempt, with the
    state that the row is in then.
    """
    now, attempt = clock(), row.attempts + 1
    mine = _rows(row).filter(attempts=row.attempts)
    if not mine.move(
        row.pk,
        [LedgerState.RENDERED],
        state=LedgerState.SENDING,
        attempts=attempt,
        held_by=this_process(),
        held_until=now + HOLD,
        problem="",
    ):
        return False
    pass_point(f"{terms.points}.sending")
    result = send()
    pass_point(f"{terms.points}.accepted")
    now = clock()
    with write_transaction():
        state = _settle(row, attempt, result, terms, now)
        if state is not None:
            on_settled(state, result, now)
    pass_point(f"{terms.points}.sent")
    return state is not None and state != LedgerState.RENDERED


def give_up_dead(rows: LedgerQuerySet[Any], now: datetime, *, max_attempts: int = 1) -> int:
    """Free rows whose sending process has ended. Return how many.

    They wait for the next attempt if they may have one, else they become uncertain.
    """
    found = 0
    for row in rows.filter(state=LedgerState.SENDING):
        if is_dead(row.held_by) or row.held_until is None or row.held_until <= now:
            held = _rows(row).filter(attempts=row.attempts, held_by=row.held_by)
            if row.attempts < max_attempts:
                found += held.move(row.pk, [LedgerState.SENDING], state=LedgerState.RENDERED)
            else:
                values = {"state": LedgerState.UNCERTAIN, "ended": now}
                found += held.move(row.pk, [LedgerState.SENDING], **values)
    return found


def _settle(
    row: LedgerRow, attempt: int, result: SendResult, terms: Terms, now: datetime
) -> LedgerState | None:
    """Write the outcome of an attempt; the new state, None if the row had moved on."""
    values: dict[str, Any] = {"ended": now, "problem": result.problem}
    if result.sent:
        values |= {"state": LedgerState.SENT, "not_before": None}
    elif not result.certain and not terms.repeatable:
        values["state"] = LedgerState.UNCERTAIN
    elif attempt <= len(terms.retry_delays) and not result.hopeless:
        rest = now + terms.retry_delays[attempt - 1]
        values |= {"state": LedgerState.RENDERED, "ended": None, "not_before": rest}
    else:
        values["state"] = LedgerState.FAILED
    if not result.sent:
        logger.warning("%s %s: not accepted: %s", type(row).__name__, row.pk, result.problem)
    # A slow sender may find its row given up: its result is still true.
    mine = _rows(row).filter(attempts=attempt)
    return values["state"] if mine.move(row.pk, _HELD, **values) else None


def _rows(row: LedgerRow) -> LedgerQuerySet[Any]:
    rows = type(row)._default_manager.all()
    assert isinstance(rows, LedgerQuerySet)
    return rows

"""The crawl order's memory on the blackboard, with the name of the order it belongs to.

A topic may change its order at any time, also while a run goes on; what another order
remembered means nothing to the new one, which then begins afresh.
"""

from crawler.agents.blackboard import Blackboard
from crawler.agents.briefing import Briefing

_END = b"\0"


def signed(briefing: Briefing, state: bytes) -> bytes:
    """A memory as the blackboard keeps it."""
    return briefing.settings.strategy.encode() + _END + state


def find_memory(board: Blackboard, briefing: Briefing) -> bytes | None:
    """What the present order remembers; None if it has not begun yet."""
    owner, _, state = (board.strategy_state() or b"").partition(_END)
    return state if owner == briefing.settings.strategy.encode() else None


def memory_of(board: Blackboard, briefing: Briefing) -> bytes:
    """What the present order remembers; its first memory if another one was at work."""
    state = find_memory(board, briefing)
    return briefing.strategy.start(briefing.profile, seed=0) if state is None else state

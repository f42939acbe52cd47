"""The strategy's state on the blackboard, with the name of the strategy it belongs to.

A topic may change its strategy at any time, also during a run. The new strategy cannot use the
state of the old one, and starts with its own.
"""

from crawler.crawl.blackboard import Blackboard
from crawler.judging.context import CrawlContext

_END = b"\0"


def signed_state(context: CrawlContext, state: bytes) -> bytes:
    """Return a state as the blackboard stores it."""
    return context.settings.strategy.encode() + _END + state


def find_state(board: Blackboard, context: CrawlContext) -> bytes | None:
    """Return the state of the present strategy; None if it has not begun yet."""
    owner, _, state = (board.strategy_state() or b"").partition(_END)
    return state if owner == context.settings.strategy.encode() else None


def state_of(board: Blackboard, context: CrawlContext) -> bytes:
    """Return the state of the present strategy; its first one if another strategy was at work."""
    state = find_state(board, context)
    return context.strategy.start(context.profile, seed=0) if state is None else state

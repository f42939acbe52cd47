"""The strategy's memory on the blackboard, with the name of the order it belongs to.

A topic may change its order at any time, also while a run goes on; what another order
remembered means nothing to the new one, which then begins afresh.
"""

from crawler.crawl.blackboard import Blackboard
from crawler.judging.context import CrawlContext

_END = b"\0"


def signed_state(context: CrawlContext, state: bytes) -> bytes:
    """A memory as the blackboard keeps it."""
    return context.settings.strategy.encode() + _END + state


def find_state(board: Blackboard, context: CrawlContext) -> bytes | None:
    """What the present order remembers; None if it has not begun yet."""
    owner, _, state = (board.strategy_state() or b"").partition(_END)
    return state if owner == context.settings.strategy.encode() else None


def state_of(board: Blackboard, context: CrawlContext) -> bytes:
    """What the present order remembers; its first memory if another one was at work."""
    state = find_state(board, context)
    return context.strategy.start(context.profile, seed=0) if state is None else state

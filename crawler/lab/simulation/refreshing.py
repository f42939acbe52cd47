"""Which known pages to look at again: by how often their text has changed so far."""

from datetime import datetime, timedelta
from heapq import nlargest
from typing import Final

from crawler.lab.simulation.board import Looks, WatchingBoard
from crawler.revisit.refresh import refresh_value, regular_change_rate

#: Changes per day believed of a page that was looked at once.
USUAL_CHANGE: Final = 0.02
_DAY: Final = timedelta(days=1)


def pages_to_refresh(board: WatchingBoard, now: datetime, n_pages: int) -> list[str]:
    """Addresses of the kept pages that are most worth a second look."""
    values = {
        key: _value(board, key, board.looks[key], now)
        for key, posting in board.harvests.items()
        if posting.kept
    }
    return [board.url_of(key) for key in nlargest(n_pages, values, key=lambda key: values[key])]


def _value(board: WatchingBoard, key: int, looks: Looks, now: datetime) -> float:
    days = (now - looks.last) / _DAY
    return refresh_value(board.score_of(key).value, change_rate_of(looks), days)


def change_rate_of(looks: Looks) -> float:
    """Changes per day, by the regular estimator."""
    watched = (looks.last - looks.first) / _DAY
    if not looks.n_checks or watched <= 0:
        return USUAL_CHANGE
    return regular_change_rate(looks.n_unchanged, looks.n_checks, watched / looks.n_checks)

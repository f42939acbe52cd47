"""Which strategy would have found a topic's pages soonest: replays of its stored crawl."""

import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

import msgspec
from django_q.tasks import async_task

from crawler.api.reasons import CrawlError
from crawler.api.replay import (
    StoredCrawl,
    found_curve,
    host_of_key,
    measure,
    other_pages,
    read_stored_crawl,
    replay,
)
from crawler.api.runs import utc_now
from crawler.api.tables import Crawl, load_value, save_value
from focusweb.database import write_transaction
from focusweb.plugins import by_name
from topics.models import Topic
from topics.profile.crawl import save_crawl

#: The strategies that are ticked at first, and how many may be compared at once.
FIRST_CHOICE = ("focus", "best_first", "shark_search", "breadth_first")
MAX_STRATEGIES = 4
#: Most pages of the stored web; the newest are used.
MAX_PAGES = 2000
#: With fewer pages found, seeds apart, a curve is all steps.
MIN_WANTED = 5
#: Time one strategy may take; a task must end within a minute.
STRATEGY_S = 45.0
#: Without a report for this long, the worker that replayed has ended; and so long a
#: comparison may wait for one to begin.
SILENCE, PATIENCE = timedelta(minutes=3), timedelta(minutes=30)
#: Points of a curve that are kept.
N_POINTS = 60
_NAME = "comparison"


class Curve(msgspec.Struct):
    """One strategy's replay: pages found after each number of fetches, and its figures.

    The harvest rate is that of the first fetches, twice as many as there are pages to find, or of
    all: a replay that came to its end is not blamed for what it could not fetch. So it is not
    `harvest_2x` of `crawler.replay.metrics`, under whose name it is stored.
    """

    points: list[tuple[int, int]]
    recall_1x: float
    recall_2x: float
    recall_5x: float
    harvest_rate: float = msgspec.field(name="harvest_2x")
    n_fetched: int
    is_cut: bool = False
    #: Pages found within twice as many fetches as the topic has pages, by host.
    found_by_host: dict[str, int] = {}


class Comparison(msgspec.Struct):
    """The strategies of a comparison, its progress, and its result.

    Attributes
    ----------
    token : str
        Identifies this comparison; another one may replace it.
    state : str
        "waiting", "running", "done" or "failed".
    asked, heard : datetime
        When it was requested; when its worker last reported.
    n_pages, n_wanted, size : int
        Pages of the stored web; pages to find; pages of the topic, seeds included.
    n_fetched : int
        Pages of the strategy under way.
    curves : dict of str to Curve
        By strategy, as they become ready.
    problem, detail : str
        Why it failed: a code, and what exactly.
    """

    token: str
    state: str
    strategies: list[str] = msgspec.field(name="orders")
    asked: datetime
    heard: datetime
    n_pages: int = 0
    n_wanted: int = 0
    size: int = 0
    n_fetched: int = 0
    curves: dict[str, Curve] = {}
    #: Pages to find by host; empty in comparisons from before it was counted.
    wanted_by_host: dict[str, int] = {}
    problem: str = ""
    detail: str = ""

    @property
    def is_open(self) -> bool:
        """True while something is still to come."""
        return self.state in ("waiting", "running")

    def as_seen(self, now: datetime) -> "Comparison":
        """Return the same, but failed if its worker does not report any more."""
        limit = {"waiting": PATIENCE, "running": SILENCE}.get(self.state)
        if limit is None or now - self.heard <= limit:
            return self
        problem = "silent" if self.state == "running" else "not_begun"
        return msgspec.structs.replace(self, state="failed", problem=problem)


@dataclass(frozen=True, slots=True)
class StrategyChoice:
    """The strategy of a topic with its settings, to go back to."""

    strategy: str
    parameters: dict[str, float]


def find_comparison(topic: Topic, now: datetime) -> Comparison | None:
    """Return the topic's last comparison, or None if there is none."""
    found = _load(topic.crawl) if topic.crawl else None
    return found.as_seen(now) if found else None


def obstacle(topic: Topic) -> str:
    """Why the topic's crawl cannot be compared on: a code, or "" if it can."""
    crawl = topic.crawl
    if crawl is None or not crawl.harvests.exists():
        return "never_run"
    return "" if crawl.harvests.kept().count() >= MIN_WANTED else "too_few"


def request_comparison(topic: Topic, strategies: Sequence[str], now: datetime) -> Comparison:
    """Have strategies compared in the background; one that is under way is given up for it."""
    assert topic.crawl is not None
    comparison = Comparison(secrets.token_hex(8), "waiting", list(strategies), now, now)
    _save(topic.crawl, comparison)
    async_task("topics.tasks.compare", topic.crawl.pk, comparison.token)
    return comparison


def use_strategy(topic: Topic, choice: StrategyChoice, now: datetime) -> StrategyChoice:
    """Let a topic use another strategy from now on; the choice there was before."""
    before = StrategyChoice(topic.strategy, dict(topic.strategy_parameters))
    topic.strategy, topic.strategy_parameters = choice.strategy, dict(choice.parameters)
    with write_transaction():
        topic.save(update_fields=["strategy", "strategy_parameters"])
        save_crawl(topic, now)
    return before


def compare_next(crawl: Crawl, token: str, *, limit_s: float = STRATEGY_S) -> bool:
    """Replay one strategy of a comparison; True if another one waits.

    May run twice or end before it is done: a strategy counts when its curve is saved.
    """
    comparison = _load(crawl)
    if comparison is None or comparison.token != token or not comparison.is_open:
        return False
    strategy = next(name for name in comparison.strategies if name not in comparison.curves)
    _report(crawl, token, state="running", n_fetched=0)
    is_over = False
    try:
        outcome = _replayed(crawl, comparison, strategy, limit_s)
        is_over = True
    except CrawlError as error:
        outcome = {"state": "failed", "problem": "refused", "detail": f"{strategy}: {error}"}
        is_over = True
    finally:
        if not is_over:  # The worker logs the error and goes on; here it must not wait.
            detail = f"{strategy}: {sys.exception()!r}"[:300]
            _report(crawl, token, state="failed", problem="crashed", detail=detail)
    return _report(crawl, token, **outcome) and outcome["state"] == "running"


def _replayed(
    crawl: Crawl, comparison: Comparison, strategy: str, limit_s: float
) -> dict[str, object]:
    stored = read_stored_crawl(crawl, max_pages=MAX_PAGES)
    if len(stored.truth.wanted) < MIN_WANTED:
        return {"state": "failed", "problem": "too_few"}
    curve = _curve(stored, crawl, strategy, _reporter(crawl, comparison.token, limit_s))
    curves = {**comparison.curves, strategy: curve}
    return {
        "state": "running" if len(curves) < len(comparison.strategies) else "done",
        "curves": curves,
        "wanted_by_host": dict(Counter(map(host_of_key, stored.truth.wanted))),
        "n_pages": len(stored.pages),
        "n_wanted": stored.truth.n_wanted,
        "size": stored.truth.size,
    }


def _curve(
    stored: StoredCrawl, crawl: Crawl, strategy: str, going_on: Callable[[int], bool]
) -> Curve:
    settings = crawl.settings
    # Its own settings if the topic uses this strategy, else those it has by itself.
    own = settings.strategy_parameters if settings.strategy == strategy else {}
    length = len(stored.pages)
    settings = replace(
        settings, strategy=strategy, strategy_parameters=own, n_pages=length, max_depth_hops=length
    )
    done = replay(
        stored.pages,
        stored.profile,
        settings,
        stored.profile.seeds,
        chance=crawl.pk,
        background=other_pages(crawl),
        going_on=going_on,
    )
    fetched = [url.partition("://")[2] for url in done.urls]
    measured = measure(fetched, stored.truth, 2 * stored.truth.size)
    found = [0, *found_curve(fetched, stored.truth)]
    n_first = min(len(fetched), 2 * stored.truth.size)
    places = sorted({round(len(fetched) * step / N_POINTS) for step in range(N_POINTS + 1)})
    figures = asdict(measured)
    return Curve(
        points=[(place, found[place]) for place in places],
        **{name: figures[name] for name in ("recall_1x", "recall_2x", "recall_5x")},
        harvest_rate=found[n_first] / max(n_first, 1),
        n_fetched=len(fetched),
        is_cut=done.board.stop_reason is None,
        found_by_host=dict(
            Counter(host_of_key(key) for key in fetched[:n_first] if key in stored.truth.wanted)
        ),
    )


def _reporter(crawl: Crawl, token: str, limit_s: float) -> Callable[[int], bool]:
    """Save the progress of a replay once a second; False if it ran out of time or was replaced."""
    end = time.monotonic() + limit_s
    last = 0.0

    def going_on(n_fetched: int) -> bool:
        nonlocal last
        now = time.monotonic()
        if now - last >= 1.0:
            last = now
            if not _report(crawl, token, n_fetched=n_fetched):
                return False
        return now < end

    return going_on


def _report(crawl: Crawl, token: str, **news: object) -> bool:
    """Add to a comparison; False if another one has taken its place."""
    with write_transaction():
        comparison = _load(crawl)
        if comparison is None or comparison.token != token:
            return False
        _save(crawl, msgspec.structs.replace(comparison, heard=utc_now(), **news))
        return True


def _load(crawl: Crawl) -> Comparison | None:
    packed = load_value(crawl, _NAME)
    return msgspec.msgpack.decode(packed, type=Comparison) if packed else None


def _save(crawl: Crawl, comparison: Comparison) -> None:
    save_value(crawl, _NAME, msgspec.msgpack.encode(comparison))


def known_strategies() -> list[str]:
    """Names of the installed strategies, those that are ticked at first ahead."""
    names = sorted(by_name("strategies"))
    return sorted(names, key=lambda name: (name not in FIRST_CHOICE, name))

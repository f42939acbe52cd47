"""Pages from the live web: many threads, but each site one request at a time."""

import heapq
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from secrets import token_hex

from crawler.crawl.collector import FetchOutcome
from crawler.crawl.site_queue import SiteQueue, queues_of
from crawler.crawl.soft_404 import (
    MIN_CLAIMS,
    PageParser,
    is_missing_page,
    missing_fingerprint,
    missing_url,
)
from crawler.errors import FetchError, ParseError
from crawler.fetch.door import Door, Fetched, refusal
from crawler.fetch.robots import RobotsRules, fetch_robots
from crawler.messages import Batch, FetchItem, SiteState
from crawler.page.article.site_frame import SiteFrame
from crawler.page.url import host_of
from crawler.reasons import Reason
from crawler.store.frontier.politeness import is_spent, next_midnight
from focusweb.clock import utc_now
from focusweb.failpoints import pass_point

#: A collector makes its last request this long before its hold on the sites ends. So no request is
#: in flight when another process takes the sites.
MARGIN = timedelta(seconds=40)
#: How often a collector checks whether it should stop, in seconds.
POLL_EVERY_S = 0.5
#: The longest Crawl-delay that is obeyed in full.
LONGEST_DELAY_S = 60.0


def requested_delay_s(rules: RobotsRules, before_s: float) -> float:
    """Return the delay that a site's rules request; the one before if they cannot be read."""
    if rules.verdict == "forbid_all":
        return before_s
    return min(rules.crawl_delay_s or 0.0, LONGEST_DELAY_S)


@dataclass(slots=True)
class _Turn:
    """What one turn at a site brought: answers or rules, and how long the site must rest."""

    answers: list[FetchOutcome] = field(default_factory=list)
    rest_s: float = 0.0
    rules: RobotsRules | None = None


class LiveSource:
    """Fetches claims through the door and parses them in children.

    Parameters
    ----------
    site_delay_s : callable
        The default delay of a site, by name; a site may request more.
    may_request : callable
        Whether a host may be contacted at all.
    find_rules : callable
        The stored rules of a site, by name.
    keep_rules : callable
        Stores the rules of a site, with its state after they were read.
    stopped_sites : callable
        Sites that are stopped; called again and again.
    find_frames : callable, optional
        The frames learnt of some sites, by name; called once for each assignment.
    keep_frames : callable, optional
        Stores the frames of the sites of an assignment that learnt something, at its end.
    begin_trial : callable
        Called with the number of an assignment on trial and a URL's, once, just before the first
        request for the URL: robots.txt may be what kills.
    n_threads : int
        Requests under way at once, over all sites.
    """

    def __init__(
        self,
        door: Door,
        parser: PageParser,
        site_delay_s: Callable[[str], float],
        may_request: Callable[[str], bool],
        *,
        find_rules: Callable[[str], RobotsRules],
        keep_rules: Callable[[SiteState, RobotsRules], None],
        stopped_sites: Callable[[], Collection[str]] = frozenset,
        begin_trial: Callable[[int, int], None] = lambda number, key: None,
        find_frames: Callable[[Collection[str]], Mapping[str, SiteFrame]] = lambda names: {},
        keep_frames: Callable[[Mapping[str, SiteFrame]], None] = lambda frames: None,
        n_threads: int = 16,
    ) -> None:
        self._door = door
        self._parser = parser
        self._site_delay_s = site_delay_s
        self._may_request = may_request
        self._threads = ThreadPoolExecutor(n_threads, thread_name_prefix="fetch")
        self._find_rules, self._keep_rules = find_rules, keep_rules
        self._stopped_sites = stopped_sites
        self._begin_trial = begin_trial
        self._find_frames, self._keep_frames = find_frames, keep_frames
        self._n_threads = n_threads
        self._queues: dict[str, SiteQueue] = {}
        self._tried: set[int] = set()  # Keys of an assignment on trial, once their trial began.

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown()

    def sites(self) -> Mapping[str, SiteState]:
        """Return the sites of the last assignment, with their present clocks."""
        wall, clock = utc_now(), time.monotonic()
        return {
            name: replace(
                queue.state, next_fetch_at=wall + timedelta(seconds=max(0.0, queue.due - clock))
            )
            for name, queue in self._queues.items()
        }

    def answers(
        self, work: Batch, *, until: datetime, stopping: Callable[[], bool]
    ) -> Iterator[FetchOutcome]:
        """Yield outcomes as they come; no request after `until`, or when `stopping` is true."""
        wall, clock = utc_now(), time.monotonic()
        end = clock + (min(until, work.held_until - MARGIN) - wall).total_seconds()
        self._queues, self._tried = queues_of(work, wall, clock), set()
        for name, frame in self._find_frames(self._queues.keys()).items():
            self._queues[name].frame = frame
        resting = [(queue.due, name) for name, queue in self._queues.items()]
        heapq.heapify(resting)
        running: dict[Future[_Turn], str] = {}
        n_threads = 1 if work.on_trial else self._n_threads
        over, next_poll = False, 0.0
        stopped: Collection[str] = ()
        while resting or running:
            now = time.monotonic()
            if now >= next_poll:
                over, next_poll = over or stopping(), now + POLL_EVERY_S
                stopped = self._stopped_sites()
            over = over or now >= end
            while resting and not over and len(running) < n_threads and resting[0][0] <= now:
                _, name = heapq.heappop(resting)
                queue = self._queues[name]
                if name in stopped:
                    yield from queue.refuse_all(Reason.SITE_STOPPED, "the site was stopped")
                else:
                    running[self._start_turn(queue, work)] = name
            if over:
                resting.clear()
            if running:
                is_full = len(running) >= n_threads
                pause = max(0.0, resting[0][0] - now) if resting and not is_full else None
                for turn in wait(running, pause, FIRST_COMPLETED).done:
                    name = running.pop(turn)
                    queue = self._queues[name]
                    answers = self._end_turn(queue, turn.result())
                    if queue.claims:
                        heapq.heappush(resting, (queue.due, name))
                    yield from answers
            elif resting:
                time.sleep(max(0.0, min(resting[0][0], end, next_poll) - now))
        learnt = {name: queue.frame for name, queue in self._queues.items() if queue.has_learnt}
        if learnt:
            self._keep_frames(learnt)

    def _start_turn(self, queue: SiteQueue, work: Batch) -> Future[_Turn]:
        """Let a thread make the next request to the site."""
        if queue.rules is None and not queue.needs_robots():
            queue.rules = self._find_rules(queue.state.name)
        key = queue.claims[0].key
        if work.on_trial and key not in self._tried:
            self._tried.add(key)
            self._begin_trial(work.number, key)
        return self._threads.submit(self._turn, queue)

    def _end_turn(self, queue: SiteQueue, turn: _Turn) -> list[FetchOutcome]:
        """Return what the request brought; the site rests from now on."""
        if turn.rules is not None:
            self._keep_rules(queue.state, turn.rules)
        queue.forget_long_rules()
        queue.due = time.monotonic() + turn.rest_s
        return turn.answers

    def _turn(self, queue: SiteQueue) -> _Turn:
        """Make one request to the site: for its robots.txt if that is missing, else for a page."""
        state = queue.state
        if not self._may_request(host_of(queue.claims[0].url)):
            detail = "FOCUSWEB_CONTACT_URL is not set"
            return _Turn(queue.refuse_all(Reason.NO_CONTACT, detail))
        if is_spent(state):
            detail = "the site's budget of today is used up"
            rest_s = (next_midnight(utc_now()) - utc_now()).total_seconds()
            return _Turn(queue.refuse_all(Reason.SITE_BUDGET, detail, rest_s))
        if queue.needs_robots():
            return self._fetch_robots(queue)
        rules = queue.rules
        assert rules is not None  # Found before the turn.
        if state.missing_until <= utc_now() and len(queue.claims) >= MIN_CLAIMS:
            url = missing_url(queue.claims[0].url, token_hex(12))
            if rules.allows(url):
                return self._fetch_missing_page(queue, url)
        forbidden: list[FetchOutcome] = []
        while queue.claims:
            claim = queue.claims.popleft()
            refused = queue.refused_by_robots(claim)
            if refused is None:
                turn = self._fetch_page(claim, queue)
                queue.spend(len(turn.answers), sum(one.n_bytes for one in turn.answers))
                return _Turn([*forbidden, *turn.answers], turn.rest_s)
            forbidden.append(refused)
        return _Turn(forbidden)

    def _fetch_robots(self, queue: SiteQueue) -> _Turn:
        started = time.monotonic()
        rules = fetch_robots(self._door, queue.claims[0].url)
        pass_point("robots.done")
        took_s = time.monotonic() - started
        queue.rules = rules
        queue.state = replace(
            queue.state,
            delay_s=requested_delay_s(rules, queue.state.delay_s),
            robots_until=utc_now() + timedelta(seconds=rules.expires_in_s),
        )
        return _Turn([], self._rest(queue.state, took_s), rules)

    def _fetch_missing_page(self, queue: SiteQueue, url: str) -> _Turn:
        started = time.monotonic()
        found, until, pause_s = missing_fingerprint(self._door, self._parser, url)
        queue.state = replace(queue.state, missing_print=found, missing_until=until)
        return _Turn([], max(self._rest(queue.state, time.monotonic() - started), pause_s))

    def _rest(self, state: SiteState, took_s: float) -> float:
        """A site's rest after a request: the longest of three."""
        return max(self._site_delay_s(state.name), state.delay_s, 2 * took_s)

    def _fetch_page(self, claim: FetchItem, queue: SiteQueue) -> _Turn:
        started = time.monotonic()
        fetched: Fetched | None = None
        error: FetchError | None = None
        try:
            fetched = self._door.fetch(claim.url, headers=claim.conditions)
        except FetchError as caught:
            error = caught
        pass_point("fetch.done")
        took_s = time.monotonic() - started
        error = error or (refusal(fetched) if fetched and not fetched.redirect_to else None)
        rest_s = max(self._rest(queue.state, took_s), (error and error.retry_after_s) or 0.0)
        return _Turn([self._answer(claim, fetched, error, queue)], rest_s)

    def _answer(
        self, claim: FetchItem, fetched: Fetched | None, error: FetchError | None, queue: SiteQueue
    ) -> FetchOutcome:
        n_bytes = fetched.wire_bytes if fetched else 0
        if error is not None or fetched is None:
            assert error is not None
            return FetchOutcome(
                claim,
                None,
                error.reason,
                error.detail,
                retry_after_s=error.retry_after_s,
                n_bytes=n_bytes,
            )
        if fetched.redirect_to:
            return FetchOutcome(
                claim, None, Reason.REDIRECTED, redirect_to=fetched.redirect_to, n_bytes=n_bytes
            )
        if fetched.status == 304:
            return FetchOutcome(claim, None, Reason.UNCHANGED, n_bytes=n_bytes)
        headers = fetched.headers
        pass_point("parse.child")
        try:
            page = self._parser.parse(
                fetched.body,
                claim.url,
                headers.get("content-type", ""),
                headers.get("x-robots-tag", ""),
                queue.frame.lines(),
            )
        except ParseError as caught:
            return FetchOutcome(claim, None, caught.reason, caught.detail, n_bytes=n_bytes)
        pass_point("parse.done")
        if is_missing_page(page, queue.state.missing_print):
            detail = "shows what the site shows where there is nothing"
            return FetchOutcome(claim, None, Reason.SOFT_404, detail, n_bytes=n_bytes)
        # One thread at a time makes requests to a site.
        queue.has_learnt |= queue.frame.learn(claim.url, page.frame_lines)
        return FetchOutcome(claim, page, Reason.FETCHED, headers=headers, n_bytes=n_bytes)

"""Whether seeds can be fetched at all, found out within a few seconds."""

import time
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final

from crawler.crawl.fetch_settings import fetch_config, may_fetch, site_delay_s
from crawler.crawl.live_source import requested_delay_s
from crawler.errors import FetchError
from crawler.fetch.config import KIB, MAX_REDIRECTS, Limits
from crawler.fetch.door import Door, refusal
from crawler.fetch.robots import RobotsRules, fetch_robots
from crawler.messages import CrawlResult, FetchItem, SiteState
from crawler.models import Site
from crawler.page.url import host_of, site_of
from crawler.reasons import Reason
from crawler.store.frontier.politeness import (
    charge,
    is_spent,
    keep_rules,
    let_go,
    site_state,
    stopped_sites,
)
from focusweb.clock import utc_now
from focusweb.runtime.process_id import this_process

#: Sites that are tried at most, and how long each request may take in seconds.
MAX_SITES: Final = 8
PATIENCE_S: Final = 4.0
#: No request begins later, so that a person does not wait for long.
LAST_REQUEST_S: Final = 6.0
#: What is read of a seed: enough to recognise a page, a list or a PDF file.
MAX_BYTES: Final = 64 * KIB

_HOLD: Final = timedelta(seconds=4 * PATIENCE_S + LAST_REQUEST_S)


@dataclass(slots=True)
class _Trial:
    """Seeds of one site to try one after the other; the site is held meanwhile.

    Attributes
    ----------
    due : float
        When the site may be contacted next, on the monotonic clock.
    found : dict of str to Reason
        Why seeds cannot be fetched.
    results : list of CrawlResult
        The requests that were made.
    """

    state: SiteState
    rules: RobotsRules
    seeds: Sequence[str]
    due: float
    found: dict[str, Reason] = field(default_factory=dict)
    results: list[CrawlResult] = field(default_factory=list)

    def run(self, door: Door, end: float) -> None:
        """Try the seeds. Follow redirects that stay on the site; begin no request after `end`."""
        waiting = deque((seed, seed, 0) for seed in self.seeds)
        while waiting and self.due <= end:
            time.sleep(max(0.0, self.due - time.monotonic()))
            seed, url, n_hops = waiting.popleft()
            if not self.rules.allows(url):
                self.found[seed] = Reason.ROBOTS_FORBIDDEN
                continue
            reason, target = self._request(door, url)
            if target and n_hops == MAX_REDIRECTS:
                self.found[seed] = Reason.TOO_MANY_REDIRECTS
            elif target and site_of(target) == self.state.name:
                waiting.append((seed, target, n_hops + 1))
            elif reason not in (Reason.FETCHED, Reason.REDIRECTED):
                self.found[seed] = reason

    def _request(self, door: Door, url: str) -> tuple[Reason, str]:
        """Make one request. Return its end, and where it redirects to or ""."""
        started, target, n_bytes = time.monotonic(), "", 0
        reason, rest_s = Reason.FETCHED, 0.0
        try:
            fetched = door.fetch(url, cut_at=MAX_BYTES)
            target, n_bytes = fetched.redirect_to, fetched.wire_bytes
            error = None if target else refusal(fetched)
        except FetchError as caught:
            error = caught
        if error is not None:
            reason, rest_s = error.reason, error.retry_after_s or 0.0
        elif target:
            reason = Reason.REDIRECTED
        item = FetchItem(0, url, self.state.name)
        self.results.append(CrawlResult(item, reason, n_bytes=n_bytes))
        now = time.monotonic()
        pause_s = max(site_delay_s(self.state.name), self.state.delay_s, 2 * (now - started))
        self.due = now + max(pause_s, rest_s)
        return reason, target

    def state_now(self) -> SiteState:
        """Return the site's state with its present clock."""
        wait_s = max(0.0, self.due - time.monotonic())
        return replace(self.state, next_fetch_at=utc_now() + timedelta(seconds=wait_s))


def find_unreachable(urls: Iterable[str]) -> dict[str, Reason]:
    """Fetch robots.txt and then the seeds of each site; return those that cannot be fetched now.

    Only the first `MAX_SITES` sites are tried, and only seeds whose turn comes within
    `LAST_REQUEST_S` with the usual politeness delay. A seed counts as fetched if it redirects to
    another site. Without a contact page, the first `MAX_SITES` sites outside the test map are
    named and not tried.

    Parameters
    ----------
    urls : iterable of str
        Canonical.
    """
    end = time.monotonic() + LAST_REQUEST_S
    stopped = stopped_sites()
    allowed: dict[str, list[str]] = {}
    refused: dict[str, list[str]] = {}
    unreachable = {}
    for url in urls:
        if (site := site_of(url)) in stopped:
            unreachable[url] = Reason.SITE_STOPPED
        else:
            (allowed if may_fetch(host_of(url)) else refused).setdefault(site, []).append(url)
    for same in list(refused.values())[:MAX_SITES]:
        unreachable |= dict.fromkeys(same, Reason.NO_CONTACT)
    tried = list(allowed.values())[:MAX_SITES]
    if not tried:
        return unreachable
    with (
        Door(replace(fetch_config(), limits=_limits())) as door,
        ThreadPoolExecutor(max_workers=len(tried)) as threads,
    ):
        trials = []
        for same, rules in zip(
            tried, threads.map(lambda same: fetch_robots(door, same[0]), tried), strict=True
        ):
            if rules.verdict == "forbid_all":
                cause = rules.cause or Reason.ROBOTS_UNREACHABLE
                unreachable |= dict.fromkeys(same, cause)
            elif (trial := _hold(same, rules)) is not None:
                trials.append(trial)
            else:
                unreachable |= {u: Reason.ROBOTS_FORBIDDEN for u in same if not rules.allows(u)}
        try:
            list(threads.map(lambda trial: trial.run(door, end), trials))
        finally:
            charge([result for trial in trials for result in trial.results], utc_now())
            let_go([trial.state_now() for trial in trials], this_process(), utc_now())
    for trial in trials:
        unreachable |= trial.found
    return unreachable


def _limits() -> Limits:
    return Limits(
        resolve_s=PATIENCE_S / 2,
        connect_s=PATIENCE_S / 2,
        first_byte_s=PATIENCE_S,
        exchange_s=PATIENCE_S,
    )


def _hold(urls: Sequence[str], rules: RobotsRules) -> _Trial | None:
    """Hold the site of some URLs and keep its rules; None while it is held or spent its budget."""
    now = utc_now()
    site = Site.objects.of_url(urls[0], now)
    state = site_state(site, now)
    # Filtering on the hold turns the update into a lock.
    free = Site.objects.filter(pk=site.pk).free(now)
    if is_spent(state) or not free.update(held_by=this_process(), held_until=now + _HOLD):
        return None
    state = replace(
        state,
        delay_s=requested_delay_s(rules, state.delay_s),
        robots_until=now + timedelta(seconds=rules.expires_in_s),
    )
    keep_rules(state, rules)
    rest_s = max(
        site_delay_s(site.name), state.delay_s, (state.next_fetch_at - now).total_seconds()
    )
    return _Trial(state, rules, urls, time.monotonic() + rest_s)

"""Growing pauses after wrong passwords, which strangers cannot turn against the owner.

Failures are counted for each account *at each place* (an address, or a browser in which the
account signed in before), and for each place. Only these two cause a pause. Failures of an
account at all places make the pauses elsewhere begin sooner, but a place that has not failed
yet always has its first try.
"""

import ipaddress
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

#: Wrong passwords without a pause: for an account at a place, the same while the account is
#: being guessed at, and for all accounts at a place.
FREE_TRIES: Final = 5
FREE_TRIES_UNDER_ATTACK: Final = 1
FREE_TRIES_OF_A_PLACE: Final = 20
#: Failures of one account, at all places, that count as an attack.
ATTACK: Final = 20
LONGEST_PAUSE_S: Final = 900.0
#: Time without another failure after which one is forgotten.
FORGET_S: Final = 3600.0
MOST_KEPT: Final = 20_000

Key = tuple[str, ...]


@dataclass(slots=True)
class _Failures:
    n: int = 0
    last_s: float = 0.0


class LoginLimits:
    """The failures of this process. The oldest are forgotten when they are too many."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failures: OrderedDict[Key, _Failures] = OrderedDict()

    def attempt(self, account: str, place: str, now_s: float, *, is_known: bool = False) -> float:
        """Book a try; return the seconds to wait, or 0.0 if it may be made now.

        It counts as failed until `succeed` or `withdraw`, so that many at once do not get around
        the pauses. A known browser waits for its own failures only.
        """
        with self._lock:
            pause_s = self._pause_s((account, place), self._free(account, is_known), now_s)
            if not is_known:
                pause_s = max(pause_s, self._pause_s((place,), FREE_TRIES_OF_A_PLACE, now_s))
            if pause_s:
                return pause_s
            for key in _keys(account, place):
                self._book(key, now_s)
            return 0.0

    def succeed(self, account: str, place: str) -> None:
        """Take back a try that had the right password, and the account's failures there."""
        self.withdraw(account, place)
        with self._lock:
            self._failures.pop((account, place), None)

    def withdraw(self, account: str, place: str) -> None:
        """Take back a try that was not made."""
        with self._lock:
            for key in _keys(account, place):
                if key in self._failures:
                    self._failures[key].n -= 1

    def has_failed(self, account: str, place: str, *, is_known: bool = False) -> bool:
        """Return whether there were failures here before the try that is being made."""
        with self._lock:
            keys = _keys(account, place)[: 1 if is_known else 2]
            return any(key in self._failures and self._failures[key].n > 1 for key in keys)

    @property
    def n_kept(self) -> int:
        """How many counts of failures there are."""
        return len(self._failures)

    def _free(self, account: str, is_known: bool) -> int:
        everywhere = self._failures.get(("", account))
        is_attacked = everywhere is not None and everywhere.n >= ATTACK and not is_known
        return FREE_TRIES_UNDER_ATTACK if is_attacked else FREE_TRIES

    def _pause_s(self, key: Key, free: int, now_s: float) -> float:
        known = self._failures.get(key)
        if known is None or now_s - known.last_s > FORGET_S or known.n < free:
            return 0.0
        pause_s = min(2.0 ** min(known.n - free, 20), LONGEST_PAUSE_S)
        return max(0.0, known.last_s + pause_s - now_s)

    def _book(self, key: Key, now_s: float) -> None:
        known = self._failures.setdefault(key, _Failures())
        if now_s - known.last_s > FORGET_S:
            known.n = 0
        known.n, known.last_s = known.n + 1, now_s
        self._failures.move_to_end(key)
        while len(self._failures) > MOST_KEPT:
            self._failures.popitem(last=False)


def _keys(account: str, place: str) -> tuple[Key, Key, Key]:
    return (account, place), (place,), ("", account)


def place_of_address(address: str) -> str:
    """Return an address as a place; of IPv6 the network, since one machine has many addresses."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)

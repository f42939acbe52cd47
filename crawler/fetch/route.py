"""Open a socket to a host: look it up once, check every address, connect to a checked one."""

import contextlib
import ipaddress
import socket
from collections.abc import Callable, Sequence

from crawler.errors import FetchError
from crawler.fetch.config import FetchConfig
from crawler.fetch.deadline import Deadline
from crawler.fetch.guard import forbidden_range
from crawler.fetch.resolver import Resolver, addresses_within
from crawler.reasons import Reason

#: Connects to a numeric address and port before the deadline.
Opener = Callable[[str, int, Deadline], socket.socket]


class Router:
    """Decides which address serves a host, and connects to it."""

    def __init__(self, config: FetchConfig, resolver: Resolver, opener: Opener) -> None:
        self._config = config
        self._limits = config.limits
        self._resolver = resolver
        self._opener = opener

    def is_mapped(self, host: str) -> bool:
        """True if the operator serves this host from a loopback address, over plain HTTP."""
        return self._config.connect_rule(host) is not None

    def connect(self, host: str, port: int, deadline: Deadline) -> tuple[socket.socket, str]:
        """Return a connected socket and the address it leads to.

        Raises
        ------
        FetchError
            ADDRESS_FORBIDDEN, NAME_UNKNOWN, NAME_UNANSWERED, CONNECT_FAILED,
            CONNECT_TIMEOUT or DEADLINE.
        """
        rule = self._config.connect_rule(host)
        if rule is not None:
            return self._open((rule.address,), rule.port, deadline)
        addresses = self._addresses(host, deadline)
        if not self._is_exempt(host, port):
            # One bad address refuses the name: the next answer might be only that one.
            for address in addresses:
                refuse_forbidden(address, host)
        return self._open(addresses, port, deadline)

    def _addresses(self, host: str, deadline: Deadline) -> Sequence[str]:
        with contextlib.suppress(ValueError):
            return (str(ipaddress.ip_address(host)),)
        timeout_s = deadline.remaining(self._limits.resolve_s)
        return addresses_within(self._resolver, host, timeout_s)

    def _is_exempt(self, host: str, port: int) -> bool:
        shown = f"[{host}]" if ":" in host else host
        return f"{shown}:{port}" in self._config.allowed_hosts

    def _open(
        self, addresses: Sequence[str], port: int, deadline: Deadline
    ) -> tuple[socket.socket, str]:
        budget = Deadline(deadline.remaining(self._limits.connect_s))
        failure: OSError | None = None
        for address in addresses[: self._limits.addresses_tried]:
            try:
                return self._opener(address, port, budget), address
            except OSError as error:
                failure = error
            except FetchError as error:
                # The connect budget is over; the exchange itself may not be.
                raise _timed_out(address, port, self._limits.connect_s) from error
        if isinstance(failure, TimeoutError):
            raise _timed_out(address, port, self._limits.connect_s) from failure
        raise FetchError(Reason.CONNECT_FAILED, f"{address} port {port}: {failure}") from failure


def refuse_forbidden(address: str, host: str) -> None:
    """Raise ADDRESS_FORBIDDEN, naming the range, unless the address is public."""
    name = forbidden_range(address)
    if name is not None:
        shown = address if address == host else f"{host} ({address})"
        raise FetchError(Reason.ADDRESS_FORBIDDEN, f"{shown}: {name}")


def open_socket(address: str, port: int, budget: Deadline) -> socket.socket:
    """Connect to a numeric address; raise OSError or FetchError(DEADLINE)."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.settimeout(budget.remaining(60))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.connect((address, port))
    except BaseException:
        sock.close()
        raise
    return sock


def _timed_out(address: str, port: int, seconds: float) -> FetchError:
    detail = f"{address} port {port} did not accept within {seconds:g} s"
    return FetchError(Reason.CONNECT_TIMEOUT, detail)

"""What the operator sets for the fetch door: user agent, limits, and test routes."""

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from crawler.errors import ConfigurationError, FetchError
from crawler.page.url import canonical_url, host_of

#: The name robots.txt files know us by.
AGENT: Final = "FocusWeb"

KIB: Final = 1024
MIB: Final = 1024 * KIB

#: The most redirects that are followed from one URL.
MAX_REDIRECTS: Final = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """Every number that bounds an exchange; times in seconds, sizes in bytes.

    `connect_s` covers all addresses of a name together, `first_byte_s` any
    silence of the server, `exchange_s` everything from the lookup to the last
    byte. `error_body_bytes` is how much is kept of a 4xx or 5xx answer's body.
    `pdf_bytes` is the size of a PDF file, on the wire and decoded.
    """

    resolve_s: float = 5.0
    connect_s: float = 5.0
    first_byte_s: float = 15.0
    exchange_s: float = 30.0
    header_bytes: int = 64 * KIB
    header_lines: int = 100
    interim_answers: int = 5
    wire_bytes: int = 5 * MIB
    decoded_bytes: int = 10 * MIB
    pdf_bytes: int = 20 * MIB
    decoded_ratio: int = 100
    ratio_from_bytes: int = MIB
    error_body_bytes: int = 64 * KIB
    addresses_tried: int = 4
    idle_hosts: int = 64


@dataclass(frozen=True, slots=True)
class ConnectRule:
    """Hosts that are served from a loopback address, over plain HTTP."""

    pattern: str
    address: str
    port: int


@dataclass(frozen=True, slots=True)
class FetchConfig:
    """How the door behaves.

    Attributes
    ----------
    user_agent : str
        The whole header, from `build_user_agent`.
    connect_to : tuple of ConnectRule
        The first rule whose pattern fits a host decides where it is served from.
    allowed_hosts : frozenset of str
        "host:port" names the operator lets past the address guard.
    unproved_hosts : frozenset of str
        Hosts whose certificate is not verified, because the operator named each of them.
    """

    user_agent: str
    connect_to: tuple[ConnectRule, ...] = ()
    allowed_hosts: frozenset[str] = frozenset()
    unproved_hosts: frozenset[str] = frozenset()
    limits: Limits = field(default_factory=Limits)

    def connect_rule(self, host: str) -> ConnectRule | None:
        """Find the rule that serves a host from loopback, if any."""
        return _first_rule(self.connect_to, host)


def _first_rule(rules: Iterable[ConnectRule], host: str) -> ConnectRule | None:
    return next((rule for rule in rules if fnmatchcase(host, rule.pattern)), None)


# Called twice for each page.
@lru_cache(maxsize=4096)
def is_connected(host: str, connect_to: str) -> bool:
    """True if one of the rules that `parse_connect_to` reads serves a host from loopback."""
    return _first_rule(parse_connect_to(connect_to), host) is not None


@lru_cache(maxsize=8)
def parse_connect_to(text: str) -> tuple[ConnectRule, ...]:
    """Read "*.test=127.0.0.1:8800,other.example=[::1]:8801".

    Raises
    ------
    ConfigurationError
        If a part is not `pattern=address:port`, or its address is not loopback.
    """
    return tuple(_connect_rule(part.strip()) for part in text.split(",") if part.strip())


def _connect_rule(part: str) -> ConnectRule:
    pattern, _, target = part.partition("=")
    address, _, port = target.strip().rpartition(":")
    try:
        ip = ipaddress.ip_address(address.strip("[]"))
        number = int(port)
    except ValueError as error:
        raise ConfigurationError(
            f"each connect-to rule is host=address:port with a numeric address, got {part!r}"
        ) from error
    if not pattern.strip() or not ip.is_loopback or not 1 <= number <= 65535:
        raise ConfigurationError(
            f"a connect-to rule may only lead to a loopback address, got {part!r}"
        )
    return ConnectRule(pattern.strip().lower(), str(ip), number)


@lru_cache(maxsize=8)
def parse_unproved_hosts(text: str) -> frozenset[str]:
    """Read "host, other.host": whole host names, none of them a pattern.

    Raises
    ------
    ConfigurationError
        If a part is not a host name.
    """
    return frozenset(_host_name(part.strip()) for part in text.split(",") if part.strip())


def _host_name(part: str) -> str:
    try:
        host = host_of(canonical_url(f"https://{part}/"))
    except FetchError as error:
        raise ConfigurationError(f"a host name is needed, got {part!r}: {error}") from error
    if host != part.lower() or "*" in host:
        raise ConfigurationError(f"a whole host name and nothing else is needed, got {part!r}")
    return host


@lru_cache(maxsize=8)
def build_user_agent(contact_url: str) -> str:
    """Return the User-Agent header that names us and a page about us.

    Raises
    ------
    ConfigurationError
        If no contact page is set. The crawler never fetches anonymously.
    """
    try:
        contact = canonical_url(contact_url.strip(), any_port=True)
    except FetchError as error:
        raise ConfigurationError(
            "a contact page (an http or https URL that says who runs this crawler) is needed "
            f"before any page is fetched, got {contact_url!r}"
        ) from error
    return f"Mozilla/5.0 (compatible; {AGENT}/0.1; +{contact})"

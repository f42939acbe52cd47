"""Which addresses no page may come from, whatever name leads there."""

import ipaddress
from typing import Final

# The IANA special-purpose registries, and what clouds put on public numbers.
# Python's own `is_private`, `is_global` and so on miss about a third of these.
_RANGES: Final = (
    ("0.0.0.0/8", "this network"),
    ("10.0.0.0/8", "private network"),
    ("100.64.0.0/10", "carrier-grade NAT"),
    ("127.0.0.0/8", "loopback"),
    ("168.63.129.16/32", "cloud provider's own service"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private network"),
    ("192.0.0.0/24", "IETF protocol assignments"),
    ("192.0.2.0/24", "documentation"),
    ("192.31.196.0/24", "AS112 sink"),
    ("192.52.193.0/24", "multicast tunnels"),
    ("192.88.99.0/24", "6to4 relay"),
    ("192.168.0.0/16", "private network"),
    ("192.175.48.0/24", "AS112 sink"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
    ("::/128", "unspecified"),
    ("::1/128", "loopback"),
    ("::/96", "IPv4-compatible"),
    ("::ffff:0:0/96", "IPv4-mapped"),
    ("::ffff:0:0:0/96", "IPv4-translated"),
    ("64:ff9b:1::/48", "local NAT64"),
    ("100::/64", "discard"),
    ("100:0:0:1::/64", "dummy prefix"),
    ("2001::/23", "IETF protocol assignments (Teredo, ORCHID)"),
    ("2001:db8::/32", "documentation"),
    ("2002::/16", "6to4"),
    ("2620:4f:8000::/48", "AS112 sink"),
    ("3fff::/20", "documentation"),
    ("5f00::/16", "segment routing"),
    ("fc00::/7", "unique local"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "site-local"),
    ("ff00::/8", "multicast"),
)
_FORBIDDEN_4 = [(ipaddress.IPv4Network(n), name) for n, name in _RANGES if "." in n]
_FORBIDDEN_6 = [(ipaddress.IPv6Network(n), name) for n, name in _RANGES if "." not in n]
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")


def forbidden_range(ip: str) -> str | None:
    """Name the range that makes an address off limits, or return None if it is public.

    Parameters
    ----------
    ip : str
        A numeric address as the resolver gives it; anything else is forbidden.
    """
    try:
        address = ipaddress.ip_address(ip)
    except ValueError:
        return "not an address"
    if isinstance(address, ipaddress.IPv4Address):
        return _range_of_4(address)
    if address.scope_id is not None:
        return "link-local"
    if address in _NAT64:
        # On IPv6-only networks every public IPv4 site has such an address.
        inner = _range_of_4(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        return f"{inner} behind NAT64" if inner else None
    for network, name in _FORBIDDEN_6:
        if address in network:
            return name
    return None if address in _GLOBAL_UNICAST else "not global unicast"


def _range_of_4(address: ipaddress.IPv4Address) -> str | None:
    for network, name in _FORBIDDEN_4:
        if address in network:
            return name
    return None

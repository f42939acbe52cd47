"""N2: addresses no page may come from."""

import ipaddress

import pytest

from crawler.fetch.guard import forbidden_range

FORBIDDEN = [
    ("0.0.0.0", "this network"),
    ("0.1.2.3", "this network"),
    ("10.0.0.0", "private network"),
    ("10.255.255.255", "private network"),
    ("100.64.0.1", "carrier-grade NAT"),
    ("100.100.100.200", "carrier-grade NAT"),
    ("100.127.255.255", "carrier-grade NAT"),
    ("127.0.0.1", "loopback"),
    ("127.255.255.254", "loopback"),
    ("168.63.129.16", "cloud provider's own service"),
    ("169.254.0.1", "link-local"),
    ("169.254.169.254", "link-local"),
    ("169.254.170.2", "link-local"),
    ("172.16.0.1", "private network"),
    ("172.31.255.255", "private network"),
    ("192.0.0.1", "IETF protocol assignments"),
    ("192.0.0.192", "IETF protocol assignments"),
    ("192.0.2.1", "documentation"),
    ("192.31.196.1", "AS112 sink"),
    ("192.52.193.1", "multicast tunnels"),
    ("192.88.99.1", "6to4 relay"),
    ("192.168.0.1", "private network"),
    ("192.168.255.255", "private network"),
    ("192.175.48.1", "AS112 sink"),
    ("198.18.0.1", "benchmarking"),
    ("198.19.255.255", "benchmarking"),
    ("198.51.100.1", "documentation"),
    ("203.0.113.1", "documentation"),
    ("224.0.0.1", "multicast"),
    ("239.255.255.255", "multicast"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "reserved"),
    ("::", "unspecified"),
    ("::1", "loopback"),
    ("::2", "IPv4-compatible"),
    ("::127.0.0.1", "IPv4-compatible"),
    ("::8.8.8.8", "IPv4-compatible"),
    ("::ffff:127.0.0.1", "IPv4-mapped"),
    ("::ffff:8.8.8.8", "IPv4-mapped"),
    ("::ffff:0:7f00:1", "IPv4-translated"),
    ("64:ff9b::7f00:1", "loopback behind NAT64"),
    ("64:ff9b::a00:1", "private network behind NAT64"),
    ("64:ff9b::a9fe:a9fe", "link-local behind NAT64"),
    ("64:ff9b:1::1", "local NAT64"),
    ("100::1", "discard"),
    ("100:0:0:1::1", "dummy prefix"),
    ("2001::1", "IETF protocol assignments (Teredo, ORCHID)"),
    ("2001:0:7f00:1::", "IETF protocol assignments (Teredo, ORCHID)"),
    ("2001:2::1", "IETF protocol assignments (Teredo, ORCHID)"),
    ("2001:10::1", "IETF protocol assignments (Teredo, ORCHID)"),
    ("2001:20::1", "IETF protocol assignments (Teredo, ORCHID)"),
    ("2001:db8::1", "documentation"),
    ("2002:7f00:1::", "6to4"),
    ("2002:a9fe:a9fe::1", "6to4"),
    ("2620:4f:8000::1", "AS112 sink"),
    ("3fff::1", "documentation"),
    ("5f00::1", "segment routing"),
    ("4000::1", "not global unicast"),
    ("fc00::1", "unique local"),
    ("fd00:ec2::254", "unique local"),
    ("fe80::1", "link-local"),
    ("fe80::1%eth0", "link-local"),
    ("fec0::1", "site-local"),
    ("ff02::1", "multicast"),
    ("ff0e::1", "multicast"),
    ("", "not an address"),
    ("0177.0.0.1", "not an address"),
    ("localhost", "not an address"),
]


@pytest.mark.parametrize(("address", "name"), FORBIDDEN)
def test_n2_special_addresses_are_refused_by_name(address: str, name: str) -> None:
    assert forbidden_range(address) == name


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.1",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.1",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2001:200::1",
        "2400:cb00::1",
        "2606:4700::1111",
        "64:ff9b::808:808",
    ],
)
def test_public_addresses_pass(address: str) -> None:
    assert forbidden_range(address) is None


def test_n2_the_table_is_at_least_as_strict_as_python() -> None:
    for number in range(0, 2**32, 2**32 // 20_011):
        address = ipaddress.IPv4Address(number)
        if not address.is_global or address.is_multicast:
            assert forbidden_range(str(address)), address

"""Hosts of this machine, each in a network namespace, joined by a bridge in one more.

No namespace has a way out: their traffic reaches the other hosts of the network and nothing else.
"""

import contextlib
import os
import shutil
import subprocess
from ipaddress import IPv4Address, IPv4Network
from types import TracebackType
from typing import Self

SUBNET = IPv4Network("10.77.0.0/24")
#: A loopback address that the hosts reach at one of them: what may be crawled is on loopback.
SITES = "127.7.7.7"


def why_not() -> str:
    """Say why no network can be made here; empty if one can."""
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    if not shutil.which("ip"):
        return "there is no ip command (on Debian: apt-get install iproute2)"
    name = f"fw{os.getpid()}-probe"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    if made.returncode != 0:
        return f"network namespaces cannot be made here: {made.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", name], check=True)
    return ""


class Network:
    """The hosts, by name. The last thing it does is to remove them."""

    def __init__(self) -> None:
        self._switch = self._space("switch")
        self._addresses: dict[str, IPv4Address] = {}

    def __enter__(self) -> Self:
        _ip("netns", "add", self._switch)
        _ip("-n", self._switch, "link", "add", "bridge", "type", "bridge")
        _ip("-n", self._switch, "link", "set", "bridge", "up")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for space in (*map(self._space, self._addresses), self._switch):
            with contextlib.suppress(subprocess.CalledProcessError):
                _ip("netns", "del", space)

    def _space(self, host: str) -> str:
        return f"fw{os.getpid()}-{host}"

    def add(self, host: str) -> str:
        """Add a host. Return its address."""
        address = SUBNET[len(self._addresses) + 1]
        self._addresses[host] = address
        space = self._space(host)
        _ip("netns", "add", space)
        _ip("-n", space, "link", "set", "lo", "up")
        end = ("peer", "name", host, "netns", self._switch)
        _ip("link", "add", "eth0", "netns", space, "type", "veth", *end)
        _ip("-n", space, "addr", "add", f"{address}/{SUBNET.prefixlen}", "dev", "eth0")
        _ip("-n", space, "link", "set", "eth0", "up")
        _ip("-n", self._switch, "link", "set", host, "master", "bridge", "up")
        # Packets from and to loopback addresses of other hosts are let through.
        local = "net.ipv4.conf.eth0.route_localnet=1"
        _run("ip", "netns", "exec", space, "sysctl", "-qw", local)
        return str(address)

    def address(self, host: str) -> str:
        """The address of a host."""
        return str(self._addresses[host])

    def lead_to_sites(self, host: str, server: str) -> None:
        """Let a host reach the address of the sites, at the host that serves them."""
        way = (f"{SITES}/32", "via", str(self._addresses[server]), "dev", "eth0")
        _ip("-n", self._space(host), "route", "add", *way, "table", "local")

    def cut(self, host: str) -> None:
        """Take a host off the network."""
        _ip("-n", self._switch, "link", "set", host, "down")

    def join(self, host: str) -> None:
        """Put a host back on the network."""
        _ip("-n", self._switch, "link", "set", host, "up")

    def inside(self, host: str) -> list[str]:
        """What a command begins with to run on a host, under its name."""
        named = 'hostname "$0" && exec "$@"'
        space = self._space(host)
        return ["ip", "netns", "exec", space, "unshare", "--uts", "sh", "-c", named, host]


def _ip(*words: str) -> None:
    _run("ip", *words)


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)

"""The address FocusWeb listens on: is it free, does it answer. Never leaves this machine."""

import errno
import socket

from focusweb.runtime.run_folder import StartError


def url_host(host: str) -> str:
    """Return a host as it is written in a URL or a bind address."""
    return f"[{host}]" if ":" in host else host


def shown_address(host: str, port: int) -> str:
    """Return the address a person opens in a browser on this machine."""
    wildcard = host in ("0.0.0.0", "::", "")
    return f"http://{'localhost' if wildcard else url_host(host)}:{port}/"


def require_free_port(host: str, port: int, variable: str) -> None:
    """Raise StartError, naming the setting to change, if no server could listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As the real servers do; without it a port just given up still counts as taken.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise StartError(_why_not(error, host, port, variable)) from error


def _why_not(error: OSError, host: str, port: int, variable: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is already used by another program. "
            f"Stop that program, or set {variable} to another port."
        )
    if error.errno == errno.EACCES:
        return f"Port {port} may not be used without more rights. Set {variable} to 1024 or more."
    return f"Cannot listen on {host}, port {port}: {error.strerror}. Check FOCUSWEB_HOST."


def answers(host: str, port: int) -> bool:
    """Return whether a server accepts connections there."""
    target = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    try:
        with socket.create_connection((target, port), timeout=1):
            return True
    except OSError:
        return False

"""Turn host names into addresses, within a time limit the C library lacks."""

import queue
import socket
import threading
from collections.abc import Callable, Sequence
from typing import Final

from crawler.errors import FetchError
from crawler.page.url import MAX_HOST_CHARS
from crawler.reasons import Reason

#: Returns the numeric addresses of a host; raises socket.gaierror.
Resolver = Callable[[str], Sequence[str]]

# getaddrinfo cannot be interrupted: a lookup that is given up lives on in its
# thread until the C library gives up too. This bounds how many can pile up.
_MAX_UNANSWERED: Final = 64
# RFC 1035, 2.3.4.
_MAX_LABEL_CHARS: Final = 63
_running = threading.BoundedSemaphore(_MAX_UNANSWERED)

# EAI_NODATA is a name without addresses; not every platform has it.
_UNKNOWN = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}


def system_addresses(host: str) -> list[str]:
    """Resolve a host with the system's resolver."""
    # As bytes, or Python would run the name through its own old IDNA first.
    found = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def addresses_within(resolver: Resolver, host: str, timeout_s: float) -> Sequence[str]:
    """Return the addresses of a host, at least one.

    Raises
    ------
    FetchError
        NAME_UNKNOWN if the name does not exist, NAME_UNANSWERED if the resolver did not answer.
    """
    if len(host) > MAX_HOST_CHARS or any(len(x) > _MAX_LABEL_CHARS for x in host.split(".")):
        raise FetchError(Reason.NAME_UNKNOWN, f"no such name can be: {host[:80]}...")
    answers: queue.SimpleQueue[Sequence[str] | OSError | UnicodeError] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            answers.put(resolver(host))
        except (OSError, UnicodeError) as error:
            answers.put(error)
        finally:
            _running.release()

    if not _running.acquire(timeout=timeout_s):
        raise FetchError(Reason.NAME_UNANSWERED, f"too many lookups wait before {host}")
    threading.Thread(target=look_up, name=f"lookup {host}", daemon=True).start()
    try:
        answer = answers.get(timeout=timeout_s)
    except queue.Empty as error:
        detail = f"no answer for {host} within {timeout_s:g} s"
        raise FetchError(Reason.NAME_UNANSWERED, detail) from error
    if isinstance(answer, (OSError, UnicodeError)):
        raise _name_error(host, answer) from answer
    if not answer:
        raise FetchError(Reason.NAME_UNKNOWN, f"{host} has no address")
    return answer


def _name_error(host: str, error: OSError | UnicodeError) -> FetchError:
    unknown = isinstance(error, UnicodeError) or (
        isinstance(error, socket.gaierror) and error.errno in _UNKNOWN
    )
    reason = Reason.NAME_UNKNOWN if unknown else Reason.NAME_UNANSWERED
    return FetchError(reason, f"{host}: {error}")

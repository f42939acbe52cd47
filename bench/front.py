"""What the web server bears: slow clients, large uploads, guessed passwords; speed and memory.

    python bench/front.py                      the server of `manage.py serve`
    python bench/front.py --command '...'      another one; {port} stands for the port

Everything stays on this machine: the clients have addresses of 127.0.0.0/8, which Linux has by
default.
"""

import argparse
import os
import re
import shlex
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parent.parent
PASSWORD = "correct horse"
#: With a cookie of one's own making the program reads a form to its end.
POST = (
    b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nCookie: csrftoken=" + b"a" * 32 + b"\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n"
)
MIB = 1 << 20
TOPIC = (
    "from django.contrib.auth.models import User; from topics.models import Topic;"
    "Topic.objects.create(owner=User.objects.get(), name='Chips', slug='chips',"
    " seeds='http://chips.test/')"
)


@dataclass
class Server:
    """The server that is measured."""

    port: int
    pid: int

    def memory_mib(self, peak: bool = False) -> float:
        """Resident memory of its processes, now or at most."""
        pids = [self.pid, *children_of(self.pid)]
        name = "VmHWM" if peak else "VmRSS"
        return sum(_kib(Path(f"/proc/{pid}/status").read_text(), name) for pid in pids) / 1024

    def written_mib(self) -> float:
        """Bytes its processes gave to files and pipes."""
        pids = [self.pid, *children_of(self.pid)]
        return sum(_kib(Path(f"/proc/{pid}/io").read_text(), "wchar") for pid in pids) / MIB


def _kib(text: str, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+)", text, re.MULTILINE)
    assert found
    return int(found[1])


def children_of(pid: int) -> list[int]:
    """Process ids of its children."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@dataclass
class Person:
    """A browser at an address."""

    port: int
    address: str
    cookies: dict[str, str] = field(default_factory=dict)
    token: str = ""

    def fetch(self, path: str, fields: dict[str, str] | None = None) -> tuple[int, str, float]:
        """Status, text and seconds; status 0 if no answer came within 30 s."""
        start = time.monotonic()
        line = HTTPConnection("127.0.0.1", self.port, timeout=30, source_address=(self.address, 0))
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())}
        if fields is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            line.request(
                "GET" if fields is None else "POST",
                path,
                None if fields is None else urlencode(fields),
                headers,
            )
            answer = line.getresponse()
            text = answer.read().decode()
        except (OSError, HTTPException):
            return 0, "", time.monotonic() - start
        finally:
            line.close()
        for name, value in re.findall(r"(\w+)=([^;]*)", _cookies(answer.getheaders())):
            self.cookies[name] = value
        return answer.status, text, time.monotonic() - start

    def sign_in(self, password: str) -> tuple[int, float]:
        """Send the form, which is fetched once only."""
        if not self.token:
            found = re.search(r'csrfmiddlewaretoken" value="(\w+)"', self.fetch("/login/")[1])
            self.token = found[1] if found else ""
        fields = {"csrfmiddlewaretoken": self.token, "username": "ann", "password": password}
        status, _, seconds = self.fetch("/login/", fields)
        return status, seconds


def _cookies(headers: list[tuple[str, str]]) -> str:
    return " ".join(
        value.split(";")[0] + ";" for name, value in headers if name.lower() == "set-cookie"
    )


@contextmanager
def running(command: str) -> Iterator[Server]:
    """A server with its own data folder, one person and one topic."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
        probe.close()
        environment = os.environ | {
            "FOCUSWEB_DATA": f"{folder}/data",
            "FOCUSWEB_PORT": str(port),
            "DJANGO_SUPERUSER_PASSWORD": PASSWORD,
        }
        manage = [sys.executable, str(ROOT / "manage.py")]
        for words in (
            ["migrate", "-v0"],
            ["createsuperuser", "--noinput", "--username=ann", "--email="],
            ["shell", "-v0", "-c", TOPIC],
        ):
            subprocess.run(
                [*manage, *words], env=environment, check=True, stdout=subprocess.DEVNULL
            )
        words = shlex.split(command.format(port=port))
        with Path(folder, "log").open("w") as log:
            process = subprocess.Popen(words, cwd=ROOT, env=environment, stderr=log)
        try:
            yield wait_for(Server(port, process.pid))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def wait_for(server: Server) -> Server:
    """The server, once it answers."""
    for _ in range(120):
        try:
            socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
        except OSError:
            time.sleep(0.25)
        else:
            return server
    raise SystemExit("The server does not start.")


def probe(person: Person, seconds: float) -> dict[str, list[float]]:
    """Seconds of the answers, one after the other, by address; 99 where none came."""
    found: dict[str, list[float]] = {"/health": [], "/topics/chips/": []}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for path, times in found.items():
            status, _, took_s = person.fetch(path)
            times.append(took_s if status == 200 else 99.0)
        time.sleep(0.2)
    return found


def tell(what: str, times: dict[str, list[float]]) -> None:
    """Print the middle and the worst of each."""
    for path, seconds in times.items():
        print(
            f"{what}: {path} {len(seconds)} answers, median {statistics.median(seconds):.3f} s,"
            f" slowest {max(seconds):.3f} s"
        )


class Slow:
    """Connections that are never done, dripping a byte each half second if they drip."""

    def __init__(self, port: int, said: bytes, n: int, *, drips: bool) -> None:
        self.lives: list[float] = []
        self._said, self._drips = said, drips
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._hold, args=(port,), daemon=True) for _ in range(n)
        ]
        for thread in self._threads:
            thread.start()

    def _hold(self, port: int) -> None:
        start = time.monotonic()
        with socket.create_connection(("127.0.0.1", port), timeout=60) as made:
            made.sendall(self._said)
            made.settimeout(0.5)
            while not self._stop.is_set():
                try:
                    if self._drips:
                        made.sendall(b"x")
                    if not made.recv(1000):
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
            else:
                return
        self.lives.append(time.monotonic() - start)

    def stop(self) -> None:
        """Let go."""
        self._stop.set()
        for thread in self._threads:
            thread.join(5)


def upload(port: int, head: bytes, piece: bytes, total: int) -> tuple[str, int]:
    """The first line of the answer to an upload, and how much could be sent."""
    n_sent = 0
    with socket.create_connection(("127.0.0.1", port), timeout=30) as made:
        try:
            made.sendall(head)
            while n_sent < total:
                made.sendall(piece)
                n_sent += len(piece)
        except OSError:
            pass
        try:
            answer = made.recv(1000).partition(b"\r\n")[0].decode()
        except OSError:
            answer = "connection closed"
    return answer, n_sent


def slow_clients(server: Server) -> None:
    """40 half heads and 40 dripping bodies while pages are fetched."""
    person = Person(server.port, "127.0.0.1")
    person.sign_in(PASSWORD)
    tell("quiet", probe(person, 5))
    head = POST + b"Content-Length: 100000\r\n"
    heads = Slow(server.port, head, 40, drips=False)
    bodies = Slow(server.port, head + b"\r\n", 40, drips=True)
    tell("80 slow clients", probe(person, 40))
    for name, slow in (("half heads", heads), ("dripping bodies", bodies)):
        slow.stop()
        lives = f"{min(slow.lives):.0f} to {max(slow.lives):.0f} s" if slow.lives else "-"
        print(f"  {name}: {len(slow.lives)} of 40 closed by the server, after {lives}")
    print(f"  memory {server.memory_mib():.0f} MiB")


def uploads(server: Server) -> None:
    """400 MiB by strangers, with and without a length, and 250 bodies just below the limit."""
    person = Person(server.port, "127.0.0.1")
    person.sign_in(PASSWORD)
    piece = b"x" * 65536
    for name, header, part in (
        ("with its length", b"Content-Length: 419430400", piece),
        ("in chunks", b"Transfer-Encoding: chunked", b"10000\r\n" + piece + b"\r\n"),
    ):
        written = server.written_mib()
        head = POST + header + b"\r\n\r\n"
        answer, n_sent = upload(server.port, head, part, 400 * MIB)
        print(
            f"400 MiB {name}: {answer!r} after {n_sent / MIB:.1f} MiB sent,"
            f" {server.written_mib() - written:.1f} MiB written to files"
        )
    size = MIB - 10
    said = POST + f"Content-Length: {size}\r\n\r\n".encode()
    slow = Slow(server.port, said + b"x" * (size - 100), 250, drips=False)
    time.sleep(10)
    print(f"250 bodies of 1 MiB, held: memory {server.memory_mib():.0f} MiB")
    tell("  meanwhile", probe(person, 2))
    slow.stop()


def until_let_in(person: Person) -> tuple[int, float]:
    """Tries and seconds until the right password is taken, with a second between two."""
    start = time.monotonic()
    for n_tries in range(1, 60):
        if person.sign_in(PASSWORD)[0] == 302:
            return n_tries, time.monotonic() - start
        time.sleep(1)
    return 60, 99.0


def guesses(server: Server) -> None:
    """1,000 wrong passwords from 20 addresses, then the owner from another."""
    people = [Person(server.port, f"127.0.1.{n + 1}") for n in range(20)]
    start = time.monotonic()
    known = Person(server.port, "127.0.5.1")
    known.sign_in(PASSWORD)
    known = Person(server.port, "127.0.5.1", {"browser": known.cookies.get("browser", "")})
    with ThreadPoolExecutor(22) as pool:
        owners = {
            "a new browser": pool.submit(until_let_in, Person(server.port, "127.0.4.1")),
            "a known browser": pool.submit(until_let_in, known),
        }
        found = pool.map(
            lambda person: [person.sign_in(f"guess {n}")[0] for n in range(50)], people
        )
        statuses = Counter(status for some in found for status in some)
    print(f"1,000 wrong passwords: {time.monotonic() - start:.0f} s, {dict(statuses)}")
    for name, owner in owners.items():
        n_tries, seconds = owner.result()
        print(f"  the owner meanwhile, {name}: in after {n_tries} tries, {seconds:.1f} s")
    status, seconds = Person(server.port, "127.0.2.1").sign_in(PASSWORD)
    print(f"  the owner, from elsewhere, afterwards: status {status} in {seconds:.2f} s")
    crowd = [Person(server.port, f"127.0.3.{n + 1}") for n in range(16)]
    for person in crowd:
        person.fetch("/login/")
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda person: person.sign_in(PASSWORD), crowd))
    print(
        f"16 right ones at once: {dict(Counter(status for status, _ in answers))},"
        f" slowest {max(seconds for _, seconds in answers):.1f} s"
    )


def main() -> None:
    """Measure one server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", default=f"{sys.executable} manage.py serve")
    parts: list[Callable[[Server], None]] = [slow_clients, uploads, guesses]
    with running(parser.parse_args().command) as server:
        for part in parts:
            try:
                part(server)
            except OSError as error:
                print(f"{part.__name__}: {error}")
        print(f"memory: {server.memory_mib():.0f} MiB, at most {server.memory_mib(True):.0f} MiB")


if __name__ == "__main__":
    main()

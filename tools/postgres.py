"""Run Python beside a PostgreSQL server of its own: `python tools/postgres.py -m pytest ...`.

The server listens on loopback, on a free port, and keeps its data in a new folder. Python
finds it by DATABASE_URL; the server and its data are gone when that has ended. Where there is no
server, root installs Debian's. Uses the standard library only, as `tools/dev.py` does.
"""

import contextlib
import os
import pwd
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

#: Where Debian and its relatives keep the programs of each version.
VERSIONS = Path("/usr/lib/postgresql")
#: The oldest version that Django 5.2 supports.
OLDEST = 14
START_S = 60.0
INSTALL = "Install it (on Debian: apt-get install postgresql), then run this again."

#: Durable against a killed client, which tests do; not against a power cut, which they do not.
#: Autovacuum would note that tables are empty while a test fills them in a transaction, which it
#: cannot see. The planner believes it, and a join takes minutes instead of milliseconds.
_QUICK = {
    "autovacuum": "off",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
}


class ServerError(Exception):
    """No server could be started; the message says what the person must do."""


@dataclass(slots=True)
class Server:
    """A running server; `folder` also holds its socket."""

    url: str
    folder: Path
    log: Path
    _start: Callable[[], subprocess.Popen[bytes]]
    _process: subprocess.Popen[bytes]

    @property
    def process_id(self) -> int:
        """Its first process."""
        return self._process.pid

    def stop(self) -> None:
        """End it without waiting for whoever is still connected."""
        self._process.send_signal(signal.SIGINT)
        self._process.wait()

    def start(self) -> None:
        """Start it again, at the same address."""
        self._process = self._start()


@dataclass(frozen=True, slots=True)
class _Account:
    """Whoever the server runs as: it refuses to run as root."""

    user: int
    group: int

    def start(self, command: Sequence[str | Path], log: Path) -> subprocess.Popen[bytes]:
        words = [str(word) for word in command]
        with log.open("ab") as stream:
            if os.geteuid() != 0:
                return subprocess.Popen(words, stdout=stream, stderr=stream, cwd="/")
            return subprocess.Popen(
                words,
                stdout=stream,
                stderr=stream,
                cwd="/",
                user=self.user,
                group=self.group,
                extra_groups=[],
            )


def _is_installed() -> bool:
    return bool(shutil.which("postgres") or list(VERSIONS.glob("[0-9]*/bin/postgres")))


def _install() -> None:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise ServerError(f"There is no PostgreSQL server here. {INSTALL}")
    print("Installing postgresql ...", flush=True)
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "-y", "--no-install-recommends", "postgresql"]):
        done = subprocess.run(["apt-get", "-qq", *words], env=environment, check=False)
        if done.returncode != 0:
            raise ServerError(f"postgresql could not be installed (see above). {INSTALL}")


def find_programs() -> Path:
    """Return the folder with the programs of the newest installed version.

    Raises
    ------
    ServerError
        If there is none, or only older ones than Django supports.
    """
    named = shutil.which("postgres")
    found = [(int(at.parent.parent.name), at.parent) for at in VERSIONS.glob("[0-9]*/bin/postgres")]
    if found:
        version, folder = max(found)
    elif named:
        said = subprocess.run([named, "--version"], capture_output=True, text=True, check=True)
        matched = re.search(r"(\d+)", said.stdout)
        version, folder = int(matched[1]) if matched else 0, Path(named).resolve().parent
    else:
        raise ServerError(f"There is no PostgreSQL server here. {INSTALL}")
    if version < OLDEST:
        raise ServerError(f"PostgreSQL {version} is too old; {OLDEST} or newer is needed.")
    return folder


def _account() -> _Account:
    if os.geteuid() != 0:
        return _Account(os.geteuid(), os.getegid())
    # Accounts of the system: the server's own, or the one that owns nothing.
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return _Account(entry.pw_uid, entry.pw_gid)
    raise ServerError("PostgreSQL refuses to run as root, and there is no other user here.")


@contextlib.contextmanager
def running_server(host: str = "127.0.0.1", network: str = "") -> Iterator[Server]:
    """Start an empty server; stop it and remove its data at the end.

    It lets this machine in by password, and the machines of a network such as "10.0.0.0/24".

    Raises
    ------
    ServerError
        If it cannot be started.
    """
    programs, account = find_programs(), _account()
    folder = Path(tempfile.mkdtemp(prefix="focusweb-postgres-"))
    log = folder / "log"
    log.touch()
    for path in (folder, log):
        os.chown(path, account.user, account.group)
    try:
        password = _make_cluster(programs, account, folder, log)
        if network:
            with (folder / "data" / "pg_hba.conf").open("a") as rules:
                rules.write(f"host all all {network} scram-sha-256\n")
        port = _free_port(host)
        start = partial(_start, programs, account, folder, log, host, port)
        url = f"postgres://focusweb:{password}@{host}:{port}/postgres"
        server = Server(url, folder, log, start, start())
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


def _make_cluster(programs: Path, account: _Account, folder: Path, log: Path) -> str:
    password = secrets.token_urlsafe(18)
    file = folder / "password"
    file.touch(mode=0o600)
    file.write_text(password)
    os.chown(file, account.user, account.group)
    process = account.start(
        [
            programs / "initdb",
            f"--pgdata={folder / 'data'}",
            "--username=focusweb",
            f"--pwfile={file}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        ],
        log,
    )
    if process.wait() != 0:
        raise ServerError(f"initdb failed: {log.read_text(errors='replace')}")
    file.unlink()
    return password


def _free_port(host: str) -> int:
    with socket.socket() as free:
        free.bind((host, 0))
        return int(free.getsockname()[1])


def _start(
    programs: Path, account: _Account, folder: Path, log: Path, host: str, port: int
) -> subprocess.Popen[bytes]:
    settings = _QUICK | {
        "listen_addresses": host,
        "port": str(port),
        "unix_socket_directories": str(folder),
    }
    options = [f"-c{name}={value}" for name, value in settings.items()]
    process = account.start([programs / "postgres", "-D", folder / "data", *options], log)
    give_up = time.monotonic() + START_S
    while not _answers(programs, host, port):
        if process.poll() is not None or time.monotonic() > give_up:
            process.kill()
            process.wait()
            raise ServerError(f"PostgreSQL did not start: {log.read_text(errors='replace')}")
        time.sleep(0.05)
    return process


def _answers(programs: Path, host: str, port: int) -> bool:
    command = [str(programs / "pg_isready"), "-q", "-h", host, "-p", str(port)]
    return subprocess.run(command, check=False).returncode == 0


def main(arguments: Sequence[str]) -> int:
    """Run Python with some arguments; its exit code is ours."""
    # So that the server ends with us.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        if not _is_installed():
            _install()
        with running_server() as server:
            environment = os.environ | {"DATABASE_URL": server.url}
            return subprocess.run(
                [sys.executable, *arguments], env=environment, check=False
            ).returncode
    except ServerError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

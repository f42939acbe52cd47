"""Set FocusWeb up and start it: `make run`, `make test`, `make test-fast`, `make lint`, ...

Uses the standard library only, because it runs before anything is installed. It makes `.venv`,
installs a hashed lock into it, and writes a stamp after that succeeded: an installation that
was interrupted has no stamp and is done again.
"""

import sys

OLDEST = (3, 11)
if sys.version_info < OLDEST:  # before anything below that an older Python cannot read
    sys.exit(
        "FocusWeb needs Python {}.{} or newer, but {} is {}.{}.\n"
        "Install a newer one and name it: make run PYTHON=/path/to/python3".format(
            *OLDEST, sys.executable, *sys.version_info[:2]
        )
    )

import argparse
import contextlib
import errno
import fcntl
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAMP = "focusweb-stamp"
#: Would make pip or the interpreter look outside the environment made here.
MISLEADING = ("PYTHONPATH", "PYTHONHOME", "PIP_USER", "PIP_TARGET", "PIP_PREFIX", "VIRTUAL_ENV")


class SetupError(Exception):
    """Set-up cannot go on; the message says what the person must do."""


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would lead pip or Python astray."""
    kept = {name: value for name, value in environment.items() if name not in MISLEADING}
    return kept | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}


def check_environment(environment: Mapping[str, str], data: str) -> dict[str, str]:
    """Return the environment of tests and checks, which leave the user's own data folder alone."""
    # Hundreds of processes of the tests load the program; the first one compiles it for all.
    kept = {n: value for n, value in environment.items() if n != "PYTHONDONTWRITEBYTECODE"}
    return {"FOCUSWEB_DATA": data} | kept


def stamp_of(folder: Path, lock: Path) -> str:
    """Fingerprint of an installation: where it is, which Python made it, what is in it."""
    base = f"{folder}\n{sys.version}\n"
    return f"{_digest(base.encode())} {_digest(lock.read_bytes())}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def run_step(command: Sequence[str | Path], what: str, environment: Mapping[str, str]) -> None:
    """Run one step of the set-up; if it fails say which one."""
    done = subprocess.run([str(part) for part in command], cwd=ROOT, env=environment, check=False)
    if done.returncode != 0:
        raise SetupError(
            f"Could not {what} (see the lines above). Nothing is lost: run the same command again."
        )


def make_environment(folder: Path, environment: Mapping[str, str]) -> None:
    """Make an empty virtual environment, in place of a broken or foreign one."""
    print(f"Making {folder.name} with Python {sys.version.split()[0]} ...", flush=True)
    command = [sys.executable, "-m", "venv", "--clear", str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    said = (done.stdout + done.stderr).strip()
    if "ensurepip" in said:
        said = "Python's venv module is not complete. On Debian: apt-get install python3-venv"
    raise SetupError(f"Could not make {folder}: {said}")


@contextlib.contextmanager
def only_one(file: Path) -> Iterator[None]:
    """Let one process at a time set this folder up; the next one waits."""
    file.touch()
    with file.open("r+") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"Waiting for another set-up (process {handle.read()}) to end ...", flush=True)
            fcntl.flock(handle, fcntl.LOCK_EX)
        handle.seek(0)
        handle.write(str(os.getpid()))
        handle.flush()
        handle.truncate()
        yield


def ensure_installed(folder: Path, locks: Sequence[Path], environment: Mapping[str, str]) -> Path:
    """Make `folder` hold the packages of the first of `locks`; return its Python.

    The other locks contain the first one: where one of them is installed, nothing is missing.
    """
    python, stamp = folder / "bin" / "python", folder / STAMP
    with only_one(folder.with_name(f"{folder.name}.lock")):
        found = stamp.read_text() if stamp.is_file() else ""
        if python.exists() and found in {stamp_of(folder, lock) for lock in locks}:
            return python
        wanted = stamp_of(folder, locks[0])
        stamp.unlink(missing_ok=True)
        if not python.exists() or found.split(" ")[0] != wanted.split(" ")[0]:
            make_environment(folder, environment)
        print(f"Installing {locks[0].name}; the first time takes about a minute ...", flush=True)
        # Twice quiet: pip's own configuration may name folders that are not there, and it says so
        # for each package.
        install: list[str | Path] = [
            "-m",
            "pip",
            "install",
            "-qq",
            "--require-hashes",
            "-r",
            locks[0],
        ]
        run_step([python, *install], f"install {locks[0].name}", environment)
        stamp.write_text(wanted)
    return python


RUN_LOCK, DEV_LOCK = ROOT / "requirements.lock", ROOT / "requirements-dev.lock"
BENCH_LOCK = ROOT / "requirements-bench.lock"
#: With the driver of PostgreSQL.
POSTGRES_LOCK = ROOT / "requirements-postgres.lock"
Steps = list[list[str]]


def run_commands(arguments: list[str]) -> Steps:
    """Start FocusWeb."""
    return [["manage.py", "up", *arguments]]


def test_commands(arguments: list[str]) -> Steps:
    """Run the tests."""
    return [["-m", "pytest", "-n", "2", *arguments]]


#: The pure core: no database, no process, no socket.
FAST_TESTS = tuple(
    f"tests/crawler/{package}"
    for package in ("knowledge", "page", "ranking", "revisit", "strategies", "text")
)


def fast_test_commands(arguments: list[str]) -> Steps:
    """Run the tests of the pure core, in half a minute."""
    return [["-m", "pytest", "-n", "2", *FAST_TESTS, *arguments]]


#: Where one database differs from the other most: statements written out, locks, search.
POSTGRES_HALF = (
    "tests/crashes/test_two_hosts.py",
    "tests/crawler/crawl",
    "tests/crawler/store",
    "tests/focusweb/test_database.py",
    "tests/focusweb/test_prepared.py",
    "tests/topics/delivery",
    "tests/topics/home",
    "tests/topics/search/postgres",
    "tests/topics/search/test_engines.py",
    "tests/topics/search/test_query_fuzz.py",
)


def postgres_commands(arguments: list[str]) -> Steps:
    """Run the tests on a PostgreSQL server of their own."""
    return [["tools/postgres.py", "-m", "pytest", "-n", "2", *arguments]]


def postgres_half_commands(arguments: list[str]) -> Steps:
    """Run the tests on PostgreSQL that use statements written out, locks and search."""
    return postgres_commands([*POSTGRES_HALF, *arguments])


def hosts_commands(arguments: list[str]) -> Steps:
    """Run the tests of several machines over one PostgreSQL, in network namespaces (as root)."""
    return [["-m", "pytest", "-m", "hosts", "-p", "no:randomly", "tests/hosts", *arguments]]


def torture_commands(arguments: list[str]) -> Steps:
    """Run the long tests: kill -9 and random input by the thousand."""
    return [["-m", "pytest", "-m", "torture", *arguments]]


def lint_commands(arguments: list[str]) -> Steps:
    """Check form, types, migrations and translations."""
    return [
        ["-m", "ruff", "format", "--check", "."],
        ["-m", "ruff", "check", "."],
        ["-m", "mypy"],
        ["manage.py", "makemigrations", "--check", "--dry-run"],
        ["tools/translations.py", "--check"],
        ["tools/line_lengths.py"],
        ["tools/prose.py"],
    ]


def bench_commands(arguments: list[str]) -> Steps:
    """Measure the speed of the whole pipeline beside Scrapy's."""
    return [["bench/run.py", *arguments]]


def regress_commands(arguments: list[str]) -> Steps:
    """Compare strategy and judge on web snapshots with the figures stored before."""
    return [["bench/regress.py", *arguments]]


def soak_commands(arguments: list[str]) -> Steps:
    """Let a whole installation live under load, then under load and random kills."""
    return [["-m", "bench.soak", *arguments]]


def package_commands(arguments: list[str]) -> Steps:
    """Build the wheel, and install and start it in an empty environment."""
    return [["tools/package.py", *arguments]]


def run_locks(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Which locks have all that `make run` needs, the smallest first."""
    if environment.get("DATABASE_URL", "").startswith("postgres"):
        return (POSTGRES_LOCK, DEV_LOCK)
    return (RUN_LOCK, POSTGRES_LOCK, DEV_LOCK)


TASKS = {
    "run": (".venv", run_locks(os.environ), run_commands),
    "test": (".venv", (DEV_LOCK,), test_commands),
    "test-postgres": (".venv", (DEV_LOCK,), postgres_commands),
    "test-postgres-half": (".venv", (DEV_LOCK,), postgres_half_commands),
    "test-hosts": (".venv", (DEV_LOCK,), hosts_commands),
    "test-fast": (".venv", (DEV_LOCK,), fast_test_commands),
    "torture": (".venv", (DEV_LOCK,), torture_commands),
    "regress": (".venv", (DEV_LOCK,), regress_commands),
    "soak": (".venv", run_locks(os.environ), soak_commands),
    "package": (".venv", run_locks(os.environ), package_commands),
    "lint": (".venv", (DEV_LOCK,), lint_commands),
    "bench": (".venv-bench", (BENCH_LOCK,), bench_commands),
}


def perform(task: str, arguments: list[str]) -> int:
    """Install what a task needs, then run its commands; the first failure ends it."""
    folder, locks, commands_of = TASKS[task]
    environment = clean_environment(os.environ)
    python = ensure_installed(ROOT / folder, locks, environment)
    commands = commands_of(arguments)
    os.chdir(ROOT)
    if task == "run":
        # Become the program: signals and the exit code are then its own.
        os.execve(python, [str(python), *commands[0]], environment)
    with tempfile.TemporaryDirectory(prefix="focusweb-") as data:
        environment = check_environment(environment, data)
        for command in commands:
            print("$ python", *command, flush=True)
            code = subprocess.run([python, *command], env=environment, check=False).returncode
            if code != 0:
                return code
    return 0


def main(arguments: list[str]) -> int:
    """Run one task; what a person can mend is said in a sentence."""
    parser = argparse.ArgumentParser(prog="dev.py", description="Set FocusWeb up and start it.")
    parser.add_argument("task", choices=sorted(TASKS))
    task, rest = parser.parse_known_args(arguments)
    try:
        return perform(task.task, rest)
    except SetupError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        advice = "Check the permissions of this folder."
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            advice = "The disk is full: free about 1 GB and run the same command again."
        place = f" ({error.filename})" if error.filename else ""
        print(f"Set-up stopped: {error.strerror}{place}. {advice}", file=sys.stderr)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 130
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

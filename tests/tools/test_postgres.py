"""A server of its own: found, started, and gone afterwards."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools import postgres

PROGRAM = "import os; print(os.environ['DATABASE_URL']); raise SystemExit(7)"


@pytest.fixture(scope="module")
def programs() -> Path:
    """The server's programs, if they are installed."""
    try:
        return postgres.find_programs()
    except postgres.ServerError as error:
        pytest.skip(str(error))


def test_a_program_runs_beside_a_server_that_is_gone_afterwards(programs: Path) -> None:
    assert (programs / "initdb").exists()
    command = [sys.executable, str(Path(postgres.__file__)), "-c", PROGRAM]

    done = subprocess.run(command, capture_output=True, text=True, timeout=120)

    assert done.returncode == 7, done.stderr
    url = done.stdout.strip()
    assert url.startswith("postgres://focusweb:")
    port = url.rpartition(":")[2].partition("/")[0]
    asked = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", port]
    assert subprocess.run(asked).returncode == 2, "something still answers"


def test_a_server_ends_with_the_program_that_started_it(programs: Path) -> None:
    waiting = f"{PROGRAM.partition(';')[0]}; print(os.environ['DATABASE_URL'], flush=True); input()"
    command = [sys.executable, str(Path(postgres.__file__)), "-c", waiting]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None
        port = started.stdout.readline().rpartition(":")[2].partition("/")[0]
        started.terminate()
        assert started.wait(60) == 143

    asked = [str(programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", port]
    assert subprocess.run(asked).returncode == 2, "something still answers"


def test_a_server_does_not_run_as_root_and_is_ended_if_the_program_fails(programs: Path) -> None:
    def fail() -> None:
        with postgres.running_server() as server:
            found.append(server)
            status = Path(f"/proc/{server.process_id}/status").read_text()
            assert "Uid:\t0" not in status
            raise KeyboardInterrupt

    found: list[postgres.Server] = []
    with pytest.raises(KeyboardInterrupt):
        fail()

    assert not Path(f"/proc/{found[0].process_id}").exists()
    assert not found[0].log.exists()

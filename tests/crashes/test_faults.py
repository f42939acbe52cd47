"""Processes that die in the wrong moment, full disks, held locks, strange clocks (F rows)."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests import databases
from tests.crashes.installation import SLUG, Installation, assert_whole
from tests.crashes.site import Web


def test_f5_a_database_locked_for_seconds_is_waited_for(
    installation: Installation, web: Web
) -> None:
    def hold() -> bool:
        if web.n_requests() < 6:
            return False
        with databases.locked(installation.folder):
            time.sleep(4)
        return True

    done = threading.Event()

    def watch() -> None:
        while not hold():
            time.sleep(0.01)
        done.set()

    threading.Thread(target=watch, daemon=True).start()

    assert installation.work("crawl", SLUG) == 0, installation.log()
    assert done.wait(10)
    assert_whole(installation, web)


@databases.sqlite_only
def test_f5_a_write_ahead_log_deleted_while_stopped_loses_no_committed_page(
    installation: Installation, web: Web
) -> None:
    installation.work("crawl", SLUG, is_over=lambda: web.n_requests() >= 12)
    # As after a clean stop: what the log holds is brought home first.
    base = sqlite3.connect(installation.folder / "focusweb.sqlite3")
    base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.close()
    for end in ("-wal", "-shm"):
        (installation.folder / f"focusweb.sqlite3{end}").unlink(missing_ok=True)

    assert_whole(installation, web)


@databases.sqlite_only
def test_f5_a_database_that_cannot_be_written_is_a_clear_end(
    installation: Installation, web: Web
) -> None:
    installation.work("crawl", SLUG, is_over=lambda: web.n_requests() >= 8)
    if os.geteuid() == 0:
        pytest.skip("root may write everything")
    file = installation.folder / "focusweb.sqlite3"
    file.chmod(0o400)

    assert installation.work("crawl", SLUG) == 1

    assert "readonly database" in installation.log()
    file.chmod(0o600)
    assert_whole(installation, web)


def test_f13_any_index_file_deleted_or_cut_is_built_again(
    installation: Installation, web: Web
) -> None:
    assert installation.work("crawl", SLUG) == 0
    rng = random.Random(13)
    index = installation.folder / "index"
    for damage in (_delete, partial(_cut, rng), partial(_flip, rng)):
        current = (index / "current").resolve()
        files = sorted(file for file in current.iterdir() if file.is_file())
        damage(rng.choice([file for file in files if "LOCK" not in file.name]))

        assert installation.work("tick") == 0, installation.log()

    assert_whole(installation, web)


def _delete(file: Path) -> None:
    file.unlink()


def _cut(rng: random.Random, file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: rng.randrange(len(data))] if data else b"x")


def _flip(rng: random.Random, file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    file.write_bytes(data)


def test_f17_killed_parse_children_are_replaced(installation: Installation, web: Web) -> None:
    stop = threading.Event()
    n_killed = 0

    def kill_children() -> None:
        nonlocal n_killed
        while not stop.wait(0.4):
            # A crawl whose only seed cost two children ends: that is another promise.
            if not installation.pages():
                continue
            for child in _parse_children(installation.folder):
                if n_killed < 2:  # as many as a start may take
                    os.kill(child, signal.SIGKILL)
                    n_killed += 1

    killer = threading.Thread(target=kill_children)
    killer.start()
    try:
        assert installation.work("crawl", SLUG) == 0, installation.log()
    finally:
        stop.set()
        killer.join()
    # A page whose child died waits for its next try; that is not a loss.
    installation.change("UPDATE crawler_frontierentry SET not_before = '1970-01-01 00:00:00'")
    assert n_killed > 0
    assert_whole(installation, web)


def _parse_children(folder: Path) -> list[int]:
    """Parse children whose parent works on this data folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            command = (entry / "cmdline").read_bytes()
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            of_parent = (Path("/proc") / parent / "cmdline").read_bytes()
        except OSError:
            continue
        if b"crawler.sandbox.child" in command and str(folder).encode() in of_parent:
            found.append(int(entry.name))
    return found


def test_f1_what_a_killed_crawl_held_is_taken_up_within_seconds(
    installation: Installation, web: Web
) -> None:
    installation.work("crawl", SLUG, is_over=lambda: web.n_requests() >= 10)
    before, started = web.n_requests(), time.monotonic()
    moments: list[float] = []

    def notice() -> bool:
        if web.n_requests() > before:
            moments.append(time.monotonic() - started)
            return True
        return False

    installation.work("crawl", SLUG, is_over=notice)

    assert moments[0] < 10.0
    assert_whole(installation, web)


def test_f14_two_crawls_of_one_topic_share_the_work_or_wait(
    installation: Installation, web: Web
) -> None:
    with Installation(installation.folder, web) as other:
        installation.start("crawl", SLUG)
        other.start("crawl", SLUG)
        ended = installation.end(), other.end()

    # Who comes too late to a run that is at its end may find the run gone.
    assert 0 in ended, installation.log()
    assert installation.rows("SELECT count(*) FROM crawler_run WHERE ended IS NULL") == [(0,)]
    assert_whole(installation, web)


def test_f14_two_schedulers_begin_one_run(installation: Installation, web: Web) -> None:
    with Installation(installation.folder, web) as other:
        installation.start("tick")
        other.start("tick")
        ended = installation.end(), other.end()

    assert ended == (0, 0), installation.log()
    assert installation.rows("SELECT count(*) FROM crawler_run") == [(1,)]
    assert_whole(installation, web)


def test_f14_two_index_writers_take_turns(installation: Installation, web: Web) -> None:
    assert installation.work("crawl", SLUG) == 0
    with Installation(installation.folder, web) as other:
        installation.start("reindex")
        other.start("reindex")
        ended = installation.end(), other.end()

    assert 0 in ended
    assert "another process is writing to the search index" in installation.log() or ended == (0, 0)
    assert_whole(installation, web)


KILLER = 7


def test_f18_a_page_that_kills_its_worker_each_time_stops_nothing_else(
    installation: Installation, web: Web
) -> None:
    """It is known after one death in company and two alone; no other URL is blamed."""
    worker = 0

    def kill(number: int) -> None:
        if number == KILLER:
            os.killpg(worker, signal.SIGKILL)

    web.on_page = kill
    ends: list[int] = []
    while not ends or ends[-1] != 0:
        worker = installation.start("crawl", SLUG)
        ends.append(installation.end())
        assert len(ends) < 10, installation.not_fetched()

    assert ends == [-9, -9, -9, 0]
    assert installation.check() == ""
    below = {web.url(number) for number in range(8 * KILLER + 1, web.n_pages)}
    wanted = {web.url(number) for number in range(web.n_pages)} - {web.url(KILLER)} - below
    assert installation.pages() == wanted
    left = (
        "SELECT url, reason FROM crawler_frontierentry JOIN crawler_url ON crawler_url.id = url_id"
        " WHERE state = 'quarantined'"
    )
    assert installation.rows(left) == [(web.url(KILLER), "quarantined")]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 24 MB of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder]).returncode:
        pytest.skip("mounting a small disk takes root")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def turn_read_only(disk: Path) -> None:
    """Take the right to write; a killed group's last process may hold a file a moment longer."""
    give_up = time.monotonic() + 60
    command = ["mount", "-o", "remount,ro", str(disk)]
    while (done := subprocess.run(command, capture_output=True, text=True)).returncode:
        assert "busy" in done.stderr and time.monotonic() < give_up, done.stderr
        time.sleep(0.01)


def test_f5_a_disk_that_turns_read_only_is_a_clear_end(
    small_disk: Path, web: Web, tmp_path: Path
) -> None:
    with Installation(small_disk / "data", web) as installation:
        installation.work("crawl", SLUG, is_over=lambda: web.n_requests() >= 8)
        log = installation.folder / "worker.log"
        # What the next process says must not be lost with the disk.
        log.unlink()
        log.symlink_to(tmp_path / "worker.log")
        turn_read_only(small_disk)
        code = installation.work("crawl", SLUG)
        subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)

        assert code == 1
        assert "readonly database" in installation.log() or "Read-only" in installation.log()
        assert_whole(installation, web)


def test_f7_a_crawl_pauses_on_a_nearly_full_disk_and_goes_on_without_a_restart(
    small_disk: Path, web: Web
) -> None:
    with Installation(small_disk / "data", web, FOCUSWEB_LOG_LEVEL="WARNING") as installation:
        filler = small_disk / "filler"
        free = shutil.disk_usage(small_disk).free
        filler.write_bytes(bytes(free - 24 * 1024 * 1024 // 25))
        installation.start("crawl", SLUG)
        while not (small_disk / "data" / "worker.log").exists():
            time.sleep(0.02)
        while "pauses: the disk is nearly full" not in installation.log():
            time.sleep(0.02)
        pages = installation.pages()

        filler.unlink()

        assert installation.end() == 0, installation.log()
        assert pages == set()
        assert_whole(installation, web)


@databases.sqlite_only  # With PostgreSQL the tables are elsewhere, and the crawl pauses as above.
def test_f7_a_full_disk_ends_a_crawl_and_loses_nothing(small_disk: Path, web: Web) -> None:
    with Installation(small_disk / "data", web) as installation:
        installation.work("crawl", SLUG, is_over=lambda: web.n_requests() >= 8)
        filler = small_disk / "filler"
        with filler.open("wb") as stream:
            try:
                while True:
                    stream.write(bytes(65_536))
                    stream.flush()
            except OSError:
                stream.truncate(stream.tell() // 4096 * 4096)

        assert installation.work("crawl", SLUG) == 1
        filler.unlink()

        assert_whole(installation, web)

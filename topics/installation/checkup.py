"""The checks of `manage.py doctor`: each is one function that gives one finding."""

import importlib.util
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import Error
from django.http.request import validate_host

from crawler.api.runs import wrong_settings
from focusweb.database import (
    connection_advice,
    journal_mode,
    n_missing_migrations,
    server_name,
    try_writing,
)
from focusweb.hookspecs import OFFERING
from focusweb.mail_server import MailServer
from focusweb.plugins import Plugins, chosen_plugins, offers, plugins
from focusweb.runtime.data_folder import is_nearly_full
from focusweb.runtime.wakeups import NO_QUEUE, Queue, read_queue
from topics.installation.health import WorkerHealth, worker_health
from topics.search.errors import IndexExposedError
from topics.search.store import IndexStore, known_engines

OLDEST_PYTHON = (3, 11)


class Severity(StrEnum):
    """How bad it is: an error stops something, a hint makes something better."""

    OK = "ok"
    HINT = "hint"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One line of the doctor's report."""

    check: str
    level: Severity
    text: str
    advice: str = ""


def examine() -> Iterator[CheckResult]:
    """Check this installation, one finding at a time."""
    yield python_version(sys.version_info[:2])
    yield packages(settings.BASE_DIR / "requirements.lock")
    yield data_folder(settings.DATA_DIR)
    yield free_space(settings.DATA_DIR)
    yield from database()
    yield index(settings.INDEX_DIR)
    yield worker(worker_health(settings.RUN_DIR, time.time(), _queue()))
    yield from fetching()
    yield mail(settings.MAIL_SERVER)
    yield proxy(
        settings.BASE_URL,
        https=settings.HTTPS,
        hosts=settings.ALLOWED_HOSTS,
        proxy_address=settings.PROXY,
    )
    yield time_zone(settings.TIME_ZONE)
    yield segmenter("rjieba")
    for hook in OFFERING:
        offers(hook)  # so that whatever fails has failed
    yield extensions(plugins(), chosen_plugins(), safe_mode=settings.SAFE_MODE)


def python_version(found: tuple[int, ...]) -> CheckResult:
    """The interpreter must be one we test with or newer."""
    text = "Python {}.{}".format(*found)
    if found < OLDEST_PYTHON:
        return CheckResult(
            "python", Severity.ERROR, text, "Install Python 3.11 or newer: make run PYTHON=..."
        )
    return CheckResult("python", Severity.OK, text)


def packages(lock: Path) -> CheckResult:
    """What is installed should be what the lock names: that is what was tested."""
    pins = re.findall(r"^([\w.-]+)==([^\s;\\]+)", lock.read_text("utf-8"), re.MULTILINE)
    odd = [
        f"{name} {found or 'missing'}"
        for name, version in pins
        if (found := _installed(name)) != version
    ]
    if odd:
        missing = any(entry.endswith(" missing") for entry in odd)
        level = Severity.ERROR if missing else Severity.HINT
        return CheckResult("packages", level, f"not as locked: {', '.join(odd)}", "Run: make run")
    return CheckResult("packages", Severity.OK, f"{len(pins)} packages as locked")


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def data_folder(folder: Path) -> CheckResult:
    """The data folder must be writable for us, and should not be readable for others."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder):
            mode = stat.S_IMODE(folder.stat().st_mode)
    except OSError as error:
        advice = "Free some space, mend its permissions, or set FOCUSWEB_DATA to another folder."
        return CheckResult("data folder", Severity.ERROR, f"{folder}: {error.strerror}", advice)
    if mode & 0o077:
        text = f"{folder} is open to other users of this machine (mode {mode:o})"
        return CheckResult("data folder", Severity.HINT, text, f"Run: chmod 700 {folder}")
    return CheckResult("data folder", Severity.OK, f"{folder} is writable and private")


def free_space(folder: Path) -> CheckResult:
    """A crawl should not fill the disk to the brim."""
    usage = shutil.disk_usage(folder)
    text = f"{usage.free / 1e9:.1f} GB free ({usage.free / usage.total:.0%})"
    if is_nearly_full(folder):
        advice = "Free some space: crawls pause below 5 % of the disk, or 1 GiB of a large one."
        return CheckResult("free space", Severity.ERROR, text, advice)
    return CheckResult("free space", Severity.OK, text)


def database() -> Iterator[CheckResult]:
    """Each check of the database, until one fails that the next ones need."""
    checks: tuple[tuple[str, Callable[[], CheckResult]], ...] = (
        ("database", _database_writable),
        ("write-ahead log", _journal),
        ("tables", _tables),
    )
    for name, check in checks:
        try:
            yield check()
        except Error as error:
            advice = "Check DATABASE_URL, the disk, and that no other program holds the database."
            yield CheckResult(name, Severity.ERROR, connection_advice(error) or str(error), advice)
            return


def _database_writable() -> CheckResult:
    began = time.monotonic()
    try_writing()
    took_ms = (time.monotonic() - began) * 1000
    text = f"{server_name()} answers and takes writes ({took_ms:.0f} ms)"
    return CheckResult("database", Severity.OK, text)


def _journal() -> CheckResult:
    mode = journal_mode()
    if not mode:
        return CheckResult("write-ahead log", Severity.OK, "not needed here")
    if mode not in ("wal", "memory"):
        advice = (
            "Keep the data folder on a local disk: SQLite's log does not work on network folders."
        )
        return CheckResult("write-ahead log", Severity.ERROR, f"journal mode is {mode}", advice)
    return CheckResult("write-ahead log", Severity.OK, f"journal mode is {mode}")


def _tables() -> CheckResult:
    n_missing = n_missing_migrations()
    if n_missing:
        text = f"{n_missing} changes of the tables are not made yet"
        return CheckResult("tables", Severity.ERROR, text, "Run: make run (or manage.py migrate)")
    return CheckResult("tables", Severity.OK, "up to date")


def index(folder: Path) -> CheckResult:
    """The search index can always be built again, but searching needs one."""
    engines = known_engines()
    if settings.SEARCH_ENGINE not in engines:
        advice = f"Set FOCUSWEB_SEARCH to one of {', '.join(sorted(engines))}."
        text = f"there is no search engine {settings.SEARCH_ENGINE!r}"
        return CheckResult("index", Severity.ERROR, text, advice)
    if folder.is_dir() and any(folder.iterdir()):
        try:
            done = IndexStore(folder, engines[settings.SEARCH_ENGINE]).n_rebuilt()
        except IndexExposedError as error:
            return CheckResult("index", Severity.ERROR, str(error), "Remove the folder.")
        if done is not None:
            text = f"is being rebuilt for {settings.SEARCH_ENGINE}, {done} pages so far"
            return CheckResult(
                "index", Severity.HINT, text, "The background worker goes on with it."
            )
        return CheckResult("index", Severity.OK, f"there is one in {folder}")
    return CheckResult(
        "index", Severity.HINT, "none yet", "It is made by the first crawl, or: manage.py reindex"
    )


def _queue() -> Queue:
    try:
        return read_queue()
    except Error:  # Another finding names the problem of the database.
        return NO_QUEUE


def worker(health: WorkerHealth) -> CheckResult:
    """Whether crawls are being worked on right now, and what is due by the clock is done."""
    if health.problem == "silent":
        return CheckResult("worker", Severity.HINT, "FocusWeb is not running", "Run: make run")
    if health.problem:
        advice = "It is restarted by itself; if this stays, read the log of manage.py up."
        texts = {
            "down": "the background worker is down",
            "hung": "the background worker hangs",
            "late": f"the timer has done nothing for {health.tick_age_s} s",
            "crowded": f"{health.n_queued} tasks wait, more than ever should",
        }
        return CheckResult("worker", Severity.ERROR, texts[health.problem], advice)
    ticked = "not yet" if health.tick_age_s is None else f"{health.tick_age_s} s ago"
    text = f"running; the timer was last done {ticked}, {health.n_queued} tasks in the queue"
    return CheckResult("worker", Severity.OK, text)


def mail(server: MailServer | None) -> CheckResult:
    """Digests go out by the operator's mail server."""
    if server is not None:
        return CheckResult("mail", Severity.OK, f"{server.host}, port {server.port}")
    advice = "Name your mail server by FOCUSWEB_SMTP_URL, or read digests in FocusWeb."
    return CheckResult("mail", Severity.HINT, "no server: digests are kept as files", advice)


def proxy(base: str, *, https: bool, hosts: Sequence[str], proxy_address: str) -> CheckResult:
    """What people type must be a name that the web server answers to, and HTTPS if it is public."""
    name = urlsplit(base).hostname or ""
    if not (_is_local(name) or validate_host(name, list(hosts))):
        advice = f"Add it: FOCUSWEB_ALLOWED_HOSTS={name}"
        return CheckResult("address", Severity.ERROR, f"{name} is not an allowed host", advice)
    if https and not base.startswith("https:"):
        advice = "Set FOCUSWEB_BASE_URL to the https address that people open."
        return CheckResult("address", Severity.HINT, f"links in mails begin with {base}", advice)
    if not https and not _is_local(name):
        advice = "Set FOCUSWEB_HTTPS=1 behind a proxy with a certificate."
        return CheckResult("address", Severity.HINT, f"{base} is not encrypted", advice)
    behind = f", behind the proxy {proxy_address}" if https else ""
    return CheckResult("address", Severity.OK, f"{base}{behind}")


def _is_local(name: str) -> bool:
    return name in ("localhost", "127.0.0.1", "::1")


def time_zone(name: str) -> CheckResult:
    """Days and weeks begin when people think they do."""
    if name == "UTC":
        advice = "Set FOCUSWEB_TIME_ZONE, for example to Asia/Shanghai."
        return CheckResult("time zone", Severity.HINT, "UTC, for who chose no other", advice)
    return CheckResult("time zone", Severity.OK, name)


def fetching() -> Iterator[CheckResult]:
    """What the settings of fetching mean, or why they cannot be read."""
    meanings = {
        "FOCUSWEB_CONTACT_URL": contact(settings.CONTACT_URL),
        "FOCUSWEB_UNPROVED_HOSTS": certificates(settings.UNPROVED_HOSTS),
        "FOCUSWEB_SEARXNG_URL": seed_search(settings.SEARXNG_URL),
    }
    wrong = {
        name: CheckResult(name, Severity.ERROR, problem, "Correct it, or leave it out.")
        for name, problem in wrong_settings()
    }
    yield from (meanings | wrong).values()


def contact(url: str) -> CheckResult:
    """Sites must be able to learn who crawls them."""
    if url:
        return CheckResult("contact", Severity.OK, url)
    advice = "Set FOCUSWEB_CONTACT_URL to a page about you."
    return CheckResult("contact", Severity.HINT, "none: the public web is not crawled", advice)


def certificates(unproved_hosts: str) -> CheckResult:
    """Each exception is a host that an attacker on the network can impersonate."""
    if not unproved_hosts:
        return CheckResult("certificates", Severity.OK, "every host must prove who it is")
    advice = "Take hosts out of FOCUSWEB_UNPROVED_HOSTS whose certificate is in order again."
    text = f"not verified for {unproved_hosts}"
    return CheckResult("certificates", Severity.HINT, text, advice)


def seed_search(url: str) -> CheckResult:
    """Seed queries need a search engine that answers in JSON."""
    if url:
        return CheckResult("seed search", Severity.OK, url)
    advice = "Set FOCUSWEB_SEARXNG_URL to the search address of a SearXNG of yours."
    return CheckResult("seed search", Severity.HINT, "none: seed queries find nothing", advice)


def segmenter(module: str) -> CheckResult:
    """Chinese is cut into words by rjieba, or much more slowly by jieba."""
    if importlib.util.find_spec(module):
        return CheckResult("segmenter", Severity.OK, f"{module} is there")
    text = f"{module} is missing; jieba stands in, many times slower"
    return CheckResult(
        "segmenter", Severity.HINT, text, f"Run: .venv/bin/python -m pip install {module}"
    )


def extensions(loaded: Plugins, wanted: Sequence[str], *, safe_mode: bool) -> CheckResult:
    """Plugins run with all our rights: which ones do should be seen, and which ones fail."""
    if safe_mode:
        text = f"safe mode: not loaded: {', '.join(wanted) or 'none were named'}"
        return CheckResult(
            "plugins", Severity.HINT, text, "Unset FOCUSWEB_SAFE_MODE to load them again."
        )
    if loaded.failures:
        text = "; ".join(f"{one.plugin} ({one.hook}): {one.error}" for one in loaded.failures)
        advice = (
            "Mend the plugin, or switch it off on the page Plugins "
            "(if FOCUSWEB_LOAD_PLUGINS names it: take its name out)."
        )
        return CheckResult("plugins", Severity.ERROR, text, advice)
    return CheckResult("plugins", Severity.OK, ", ".join(wanted) or "none but our own")

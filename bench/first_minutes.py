"""Measure the first minutes with FocusWeb, in a real browser: the demo, and own topics.

It starts FocusWeb in an empty data folder, signs in with the printed password, and opens the
pages as a person does. Prints one line per figure.
"""

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
#: No figure may take longer.
PATIENCE_S = 600.0


@dataclass
class Installation:
    """FocusWeb in a folder of its own, with the demo web."""

    folder: Path
    port: int
    began: float = field(default_factory=time.monotonic)
    password: str = ""

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def seconds(self) -> float:
        return time.monotonic() - self.began


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(snapshot: Path | None) -> Iterator[dict[str, str]]:
    """Serve a web snapshot, if there is one. Yields the settings with which FocusWeb finds it."""
    if snapshot is None:
        yield {}
        return
    command = [sys.executable, "manage.py", "serve_snapshot", str(snapshot)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        port = process.stdout.readline().rstrip().rpartition(":")[2]
        yield {
            "FOCUSWEB_CONNECT_TO": f"*=127.0.0.1:{port}",
            "FOCUSWEB_CONTACT_URL": "https://example.org/about",
        }
    finally:
        process.terminate()
        process.wait(60)


@contextmanager
def installed(folder: Path, command: list[str], settings: dict[str, str]) -> Iterator[Installation]:
    """Start FocusWeb and wait until it says that it is ready."""
    port = free_port()
    environment = (
        os.environ
        | settings
        | {
            "FOCUSWEB_DATA": str(folder),
            "FOCUSWEB_PORT": str(port),
            "FOCUSWEB_DEMO_PORT": str(free_port()),
        }
    )
    found = Installation(folder, port)
    log = folder.parent / "log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        while "FocusWeb is ready" not in log.read_text():
            if process.poll() is not None or found.seconds() > PATIENCE_S:
                sys.exit(log.read_text())
            time.sleep(0.2)
        match = re.search(r"password +(\S+)", log.read_text())
        if match is None:
            sys.exit(log.read_text())
        found.password = match[1]
        print(f"ready after {found.seconds():.0f} s", flush=True)
        yield found
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


@dataclass
class Stranger:
    """A person at a browser, who counts."""

    page: Page
    clicks: int = 0
    fields: int = 0

    def click(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()
        self.clicks += 1

    def fill(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=True).fill(text)
        self.fields += 1

    def reload_until(self, address: str, selector: str) -> None:
        """Open an address again and again until it shows something."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            self.page.goto(address)
            if self.page.locator(selector).count():
                return
            time.sleep(1.0)
        sys.exit(f"not within {PATIENCE_S:.0f} s: {selector} at {address}")


def sign_in(browser: Browser, found: Installation) -> Stranger:
    # A page that refreshes itself would cut off the next visit.
    page = browser.new_context(locale="en-GB", java_script_enabled=False).new_page()
    page.goto(f"{found.root}/login/")
    page.wait_for_selector("#id_password")
    print(f"sign-in page after {found.seconds():.0f} s", flush=True)
    page.fill("#id_username", "admin")
    page.fill("#id_password", found.password)
    page.click("button.main")
    page.wait_for_url(f"{found.root}/")
    return Stranger(page)


def demo(stranger: Stranger, found: Installation) -> None:
    """Wait for what the demo shows of itself, each at the place where it is shown."""
    topic = f"{found.root}/topics/computing/"
    # Known pages stand below; news stand under a heading that counts them.
    news = ".section.heading ~ ol.pages"
    waits = (
        ("news with an extract", topic, f"{news} .snippet"),
        ("new-site badge", topic, f"{news} .mark.new"),
        ("digest preview with news", f"{topic}digest/preview/mail", "td > div[lang]"),
        ("alert", f"{found.root}/alerts/", "li.alert"),
    )
    for name, address, selector in waits:
        stranger.reload_until(address, selector)
        print(f"{name} after {found.seconds():.0f} s", flush=True)


def own_topic(stranger: Stranger, found: Installation, words: str, seed: str = "") -> None:
    """Make a topic from words, and perhaps one seed, as the list of topics offers it."""
    stranger.clicks = stranger.fields = 0
    stranger.page.goto(found.root)
    began = time.monotonic()
    stranger.fill("What do you want to follow?", words)
    stranger.click("New topic")
    if seed:
        stranger.fill("Where to start", seed)
    stranger.click("Start")
    stranger.page.wait_for_url("**/topics/*/")
    stranger.reload_until(stranger.page.url, "ol.pages .snippet, .finds li")
    print(
        f"own topic{' of the snapshot' if seed else ''}: first page after "
        f"{time.monotonic() - began:.0f} s, {stranger.clicks} clicks, {stranger.fields} fields",
        flush=True,
    )


def first_seed(snapshot: Path, label: str) -> str:
    """The first seed of a topic of a snapshot."""
    topics = json.loads((snapshot / "topics.json").read_text("utf-8"))
    return str(next(one["seeds"][0] for one in topics if one["topic"] == label))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", default="smart meters, 智能电表", help="of the own topic")
    parser.add_argument("--snapshot", type=Path, help="a web snapshot for a second own topic")
    parser.add_argument("--snapshot-words", default="computers and software")
    parser.add_argument("--label", default="IT", help="its topic; it starts from the first seed")
    parser.add_argument("--make", action="store_true", help="begin with make run, not manage.py up")
    options = parser.parse_args()
    command = ["make", "run"] if options.make else [sys.executable, "manage.py", "up"]
    seed = first_seed(options.snapshot, options.label) if options.snapshot else ""
    with (
        served(options.snapshot) as settings,
        tempfile.TemporaryDirectory(prefix="focusweb-minutes-") as folder,
        sync_playwright() as playwright,
    ):
        data = Path(folder) / "data"
        data.mkdir(mode=0o700)
        with installed(data, command, settings) as found:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
            )
            stranger = sign_in(browser, found)
            demo(stranger, found)
            own_topic(stranger, found, options.words)
            if seed:
                own_topic(stranger, found, options.snapshot_words, seed)
            browser.close()


if __name__ == "__main__":
    main()

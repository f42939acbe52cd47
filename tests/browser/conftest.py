"""A real browser that opens the pages and reports what its console says."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import Condition

import pytest
from django.core.signals import request_finished, request_started
from django.utils import timezone
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.topics.factories import Scene, explanation, person, scene_of

# Playwright keeps an event loop in this thread; Django would refuse the database in it.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

# A busy machine may need a while for what is polled every two seconds.
expect.set_options(timeout=20_000)

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")
QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync",),
)
#: The longest that a request may take after its window is closed.
LONGEST_ANSWER_S = 20
PORTAL, HUB = "https://portal.test/", "https://hub.test/links"
NOTES = "https://silicon-notes.test/cache"
TEXT = (
    "A processor does not read single bytes: it asks for a whole cache line.\n"
    "When two cores write to one line, it travels between them, and both wait.\n"
    "Compilers, pipelines and branch predictors all bend to this."
)


@dataclass
class Window:
    """A browser window of one reader, with the complaints of its console."""

    page: Page
    root: str
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        """Go to a page of ours and wait until it is quiet."""
        self.page.goto(self.root + path, wait_until="load")

    def note(self, message: ConsoleMessage) -> None:
        """Note what the console complains of."""
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.text} at {message.location}")

    def sign_in(self, name: str = "ann") -> None:
        self.open("/login/")
        self.page.fill("#id_username", name)
        self.page.fill("#id_password", name)
        self.page.click("button.main")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no chromium here; on Debian: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, headless=True, args=list(QUIET)
        )
        yield browser
        browser.close()


@pytest.fixture
def answered(live_server: LiveServer) -> Iterator[Callable[[], bool]]:
    """Wait until the server has answered every request, those that the browser gave up too.

    The database of the test is emptied next, which fails while a request still reads it.
    """
    under_way, changed = 0, Condition()

    def count(change: int) -> None:
        nonlocal under_way
        with changed:
            under_way += change
            changed.notify_all()

    def began(**_: object) -> None:
        count(1)

    def ended(**_: object) -> None:
        count(-1)

    def wait() -> bool:
        with changed:
            return changed.wait_for(lambda: under_way <= 0, LONGEST_ANSWER_S)

    request_started.connect(began)
    request_finished.connect(ended)
    yield wait
    request_started.disconnect(began)
    request_finished.disconnect(ended)


@pytest.fixture
def window(
    browser: Browser, live_server: LiveServer, answered: Callable[[], bool]
) -> Iterator[Callable[..., Window]]:
    """Open windows that fail the test if the console has anything to complain of."""
    opened: list[Window] = []

    def open_window(
        locale: str = "en-GB", width: int = 1100, scheme: str = "light", *, script: bool = True
    ) -> Window:
        context = browser.new_context(
            locale=locale,
            service_workers="block",
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=script,
        )
        found = Window(context.new_page(), live_server.url)
        found.page.on("console", found.note)
        found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
        opened.append(found)
        return found

    yield open_window
    for each in opened:
        each.page.context.close()
    assert answered()
    for each in opened:
        assert each.complaints == []


@pytest.fixture
def scene(transactional_db: None, tmp_path: Path, settings: Settings) -> Scene:
    """Ann's topic with a handful of pages in both languages, fresh now."""
    settings.RUN_DIR = settings.DATA_DIR = tmp_path
    now = timezone.now()
    scene = scene_of(person("ann", password="ann", is_staff=True, is_superuser=True), now=now)
    scene.entry(PORTAL)
    scene.entry(HUB, PORTAL)
    scene.link(HUB, NOTES)
    scene.page(NOTES, "How a cache line travels through the memory hierarchy", HUB, text=TEXT)
    scene.page(
        "https://dianwang.test/tiaodu/2026/zhineng",
        "智能电网调度：从储能到特高压输电的一天",
        HUB,
        score=0.386,
        explanation=explanation(0.233, 0.153),
        published=now - timedelta(days=2),
        text="电网调度中心每天要平衡发电与用电。\n储能让这件事容易一些。",
    )
    scene.page(
        "https://portal.test/cpu-<b>bold</b>",
        "<b>CPU</b> & 电脑",
        PORTAL,
        score=0.31,
        explanation=explanation(0.28, 0.03),
    )
    scene.entry("https://portal.test/private/plan.html", PORTAL, "robots_forbidden")
    scene.entry("https://portal.test/old", PORTAL, "gone")
    return scene

"""Plugins in the processes that parse pages: whatever one does, pages are read and it is named."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from crawler.errors import ParseError
from crawler.page.parse import parse_page
from crawler.reasons import Reason
from crawler.sandbox.parse_pool import ParseLimits, ParsePool
from crawler.sandbox.wire import PageSetup
from focusweb.plugin_files import PluginSource
from focusweb.plugins import MAX_FAILURES, plugins

OWN = PluginSource("crawler.page.builtin", is_own=True)
PAGE = b'<title>Soup</title><p>Cut the onions, add the broth. <a href="/b">More</a></p>'
EVIL = """
import os
import signal
import socket
import subprocess
import time

from crawler.page.extractors import Extract
from focusweb.hookspecs import hookimpl


class SilentError(Exception):
    def __str__(self):
        raise ValueError("no text")


class Evil:
    name = "evil"

    def extract(self, document):
        if document.host == "evil.test":
            return getattr(self, document.url.rpartition("/")[2])()

    def raises(self):
        raise RuntimeError("no")

    def exits(self):
        raise SystemExit(3)

    def interrupts(self):
        raise KeyboardInterrupt

    def silent(self):
        raise SilentError

    def hangs(self):
        while True:
            pass

    def sleeps(self):
        time.sleep(60)

    def stubborn(self):
        while True:
            try:
                self.hangs()
            except BaseException:
                pass

    def gigabyte(self):
        return Extract("x" * (1 << 30))

    def long(self):
        return Extract("x" * (5 << 20))

    def ends_later(self):
        # The usual page takes less of the process's time, its extract more.
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.2)
        return Extract("<p>电网</p>" * (7 << 16))

    def wrong_type(self):
        return {"markup": "<p>text</p>"}

    def wrong_field(self):
        return Extract("<p>text</p>", title=7)

    def ends(self):
        os._exit(0)

    def connects(self):
        socket.create_connection(("127.0.0.1", 1))

    def starts(self):
        subprocess.run(["true"])

    def prints(self):
        print("x" * 100_000)
        raise RuntimeError("printed")

    def works(self):
        return Extract("<p>Only this.</p>", "Another title")


"""
DEEDS_OF_EVIL = EVIL
EVIL += """
@hookimpl
def extractors():
    return [Evil()]
"""
READER = """
class Reader:
    name = "reader"

    def language(self, text, declared):
        _, found, deed = text.partition("Then it ")
        if found:
            return getattr(Evil(), deed.strip("."))()
        return {"xx": "xx", "wrong": "English", "fails": 1 / 0 if declared == "xy" else ""}.get(
            declared, ""
        )


@hookimpl
def language_readers():
    return [Reader()]
"""


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ParsePool]:
    folder = tmp_path_factory.mktemp("plugins")
    (folder / "evil.py").write_text(EVIL)
    (folder / "reader.py").write_text(DEEDS_OF_EVIL + READER)
    setup = PageSetup(str(folder), (OWN, PluginSource("evil"), PluginSource("reader")))
    limits = ParseLimits(cpu_s=1, wall_s=120, plugin_cpu_s=0.3, plugin_wall_s=2)
    with ParsePool(1, limits, lambda: setup) as made:
        yield made


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.PLUGINS_DIR = tmp_path
    return tmp_path


ENDED = "the process ended during the call: "
DEEDS = {
    "raises": "RuntimeError: no",
    "exits": "SystemExit: 3",
    "interrupts": ENDED,
    "silent": "SilentError: its message raises ValueError",
    "hangs": "PluginTimeoutError: the call lasted too long",
    "sleeps": "PluginTimeoutError: the call lasted too long",
    "stubborn": f"{ENDED}more than 1 s of CPU",
    "gigabyte": "MemoryError",
    "long": "ValueError: an Extract of 5242880 characters is too long",
    "wrong_type": "TypeError: {'markup': '<p>text</p>'} is not an Extract",
    "wrong_field": "TypeError: title must be a string, got 7",
    "ends": ENDED,
    # Before the process ends it calls the language reader of another plugin.
    "ends_later": ENDED,
    "connects": "PermissionError: a confined child may not do this: socket.",
    "starts": "PermissionError: a confined child may not do this: subprocess.Popen",
    "prints": "RuntimeError: printed",
}


@pytest.mark.parametrize("deed", DEEDS)
def test_the_page_is_read_as_usual_and_the_plugin_is_named(pool: ParsePool, deed: str) -> None:
    url = f"http://evil.test/{deed}"

    assert pool.parse(PAGE, url) == parse_page(PAGE, url)

    state = plugins().states.of("evil")
    assert (state.error[: len(DEEDS[deed])], state.hook) == (DEEDS[deed], "extractors")


OF_LANGUAGES = ("raises", "exits", "interrupts", "silent", "hangs", "gigabyte", "ends", "connects")


@pytest.mark.parametrize("deed", [*OF_LANGUAGES, "works"])
def test_the_language_is_read_as_usual_and_the_plugin_is_named(pool: ParsePool, deed: str) -> None:
    page = f"<p>Cut the onions, add the broth. Then it {deed}.</p>".encode()

    assert pool.parse(page, "http://a.test/") == parse_page(page, "http://a.test/")

    state = plugins().states.of("reader")
    error = DEEDS.get(deed, "TypeError: Extract(")
    assert (state.error[: len(error)], state.hook) == (error, "language_readers")


def test_an_extract_is_used(pool: ParsePool) -> None:
    page = pool.parse(PAGE, "http://evil.test/works")

    assert (page.title, page.text) == ("Another title", "Only this.")
    assert [link.url for link in page.links] == ["http://evil.test/b"]
    assert plugins().failures == []


@pytest.mark.parametrize(
    ("declared", "named", "error"),
    [
        ("xx", "xx", ""),
        ("fr", "fr", ""),
        ("wrong", "", "TypeError: 'English' is not a code of ISO 639 in lower case"),
        ("xy", "xy", "ZeroDivisionError"),
    ],
)
def test_a_language_reader_comes_before_ours(
    pool: ParsePool, declared: str, named: str, error: str
) -> None:
    page = pool.parse(f'<html lang="{declared}"><p>qwrt zxcv.</p>'.encode(), "http://a.test/")

    assert page.language == page.terms.language == named
    assert plugins().states.of("reader").error.startswith(error)
    assert bool(error) == bool(plugins().failures)


def test_a_plugin_that_often_fails_is_paused_and_not_loaded_again(
    folder: Path, settings: Settings
) -> None:
    (folder / "evil.py").write_text(EVIL)
    settings.LOAD_PLUGINS = ["evil"]
    with ParsePool(1) as pool:
        for _ in range(MAX_FAILURES):
            pool.parse(PAGE, "http://evil.test/raises")
        (paused,) = pool.child_pids()

        page = pool.parse(PAGE, "http://evil.test/works")

        assert page.text == parse_page(PAGE, "http://evil.test/works").text
        assert plugins().states.of("evil").paused
        assert pool.child_pids() != [paused]
        plugins().states.try_again("evil")
        assert pool.parse(PAGE, "http://evil.test/works").text == "Only this."


CHILD_ONLY = "import sys\nif sys.argv[1:2] == ['page_handler']:\n    "


@pytest.mark.parametrize(
    ("deed", "error", "is_paused"),
    [
        ("raise RuntimeError('not here')", "RuntimeError: not here", False),
        ("sys.modules['os']._exit(3)", "the process ended during the call", True),
    ],
)
def test_a_plugin_that_cannot_be_loaded_there_costs_no_page(
    folder: Path, settings: Settings, deed: str, error: str, is_paused: bool
) -> None:
    (folder / "evil.py").write_text(f"{CHILD_ONLY}{deed}\n{EVIL}")
    settings.LOAD_PLUGINS = ["evil"]
    with ParsePool(1) as pool:
        page = pool.parse(PAGE, "http://evil.test/works")

    assert page == parse_page(PAGE, "http://evil.test/works")
    state = plugins().states.of("evil")
    assert (state.error, state.hook, state.paused) == (error, "import", is_paused)


def test_settings_of_the_installation_reach_the_process(folder: Path, settings: Settings) -> None:
    (folder / "titled.py").write_text(
        "from dataclasses import dataclass\n"
        "from crawler.page.extractors import Extract\n"
        "from focusweb.hookspecs import hookimpl\n"
        "from focusweb.plugin_settings import setting\n"
        "@dataclass\nclass Settings:\n    title: str = setting('usual', 'the title')\n"
        "class Titled:\n    name = 'titled'\n"
        "    def __init__(self, title):\n        self.title = title\n"
        "    def extract(self, document):\n        return Extract('<p>x</p>', self.title)\n"
        "@hookimpl\ndef extractors(settings):\n    return [Titled(settings.title)]\n"
    )
    settings.LOAD_PLUGINS = ["titled"]
    with ParsePool(1) as pool:
        assert pool.parse(PAGE, "http://a.test/").title == "usual"
        plugins().states.set_up("titled", {"title": "chosen"})
        assert pool.parse(PAGE, "http://a.test/").title == "chosen"


def test_what_is_taken_from_the_registry_is_gone() -> None:
    known = plugins()
    known.manager.unregister(name=OWN.name)

    with ParsePool(1) as pool, pytest.raises(ParseError) as caught:
        pool.parse(PAGE, "http://a.test/")

    assert caught.value.reason is Reason.NOT_HTML

"""Every page in a real browser: silent, accessible, as wide as the screen, text as text."""

from collections.abc import Callable
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Dialog, Request

from tests.browser.conftest import Window
from tests.browser.every_page import PAYLOADS, addresses, plant, whole_pages
from tests.topics.factories import Scene
from topics.models import PolicyReport
from topics.runs.topic_templates import CARDS

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Open = Callable[..., Window]
AXE = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
RUN_AXE = "options => axe.run(document, options).then(found => found.violations)"
SERIOUS = ("serious", "critical")
#: A mail: its policy forbids every script, that of axe-core too.
WITHOUT_SCRIPTS = "digest_preview_mail"


def faults(window: Window, rules: list[str] | None = None) -> list[str]:
    """What axe-core calls serious or critical on the page that is open."""
    # Frames hold mails, which run no script and so cannot answer axe-core.
    only: dict[str, Any] = {"resultTypes": ["violations"], "preload": False, "iframes": False}
    if rules:
        only["runOnly"] = {"type": "rule", "values": rules}
    violations = window.page.evaluate(RUN_AXE, only)
    return [
        f"{one['id']} ({len(one['nodes'])}): {one['nodes'][0]['html'][:160]}"
        for one in violations
        if one["impact"] in SERIOUS
    ]


def watch_network(window: Window, unwanted: list[str]) -> None:
    """Note dialogs, and requests to any other host."""

    def note_dialog(dialog: Dialog) -> None:
        unwanted.append(dialog.message)
        dialog.dismiss()

    def note_request(request: Request) -> None:
        if not request.url.startswith((f"{window.root}/", "data:", "blob:")):
            unwanted.append(f"request of {request.url}")

    window.page.on("dialog", note_dialog)
    window.page.on("request", note_request)


def forget_status(window: Window, path: str) -> None:
    """Drop the console's line that the page itself, not a part of it, was answered with 404."""
    own = f"status of 404 (Not Found) at {{'url': '{window.root}{path}'"
    window.complaints[:] = [one for one in window.complaints if own not in one]


def is_too_wide(window: Window) -> bool:
    root = "document.documentElement"
    return bool(window.page.evaluate(f"{root}.scrollWidth > {root}.clientWidth"))


@pytest.fixture
def pages(scene: Scene, client: Client) -> dict[str, str]:
    """Every whole page, by name."""
    plant(scene)
    client.force_login(User.objects.get(username="ann"))
    words = f"CPU, 电表, {PAYLOADS[1]}"
    states = {
        "new_topic with chips": f"/new-topic/?{urlencode({'words': words})}",
        "new_topic from a card": f"/new-topic/?card={CARDS[0].key}",
        "topic_detail unread": "/topics/chips/?show=unread",
        "rule_new of a topic": "/alerts/rules/new?topic=chips",
    }
    return whole_pages(client, addresses(scene) | states)


def test_every_page_is_accessible_and_shows_markup_as_text(
    window: Open, pages: dict[str, str]
) -> None:
    reader = window()
    unwanted: list[str] = []
    found: dict[str, list[str]] = {}
    watch_network(reader, unwanted)
    reader.sign_in()
    reader.page.add_init_script(AXE)
    for name, path in pages.items():
        reader.open(path)
        forget_status(reader, path)
        if name != WITHOUT_SCRIPTS and (serious := faults(reader)):
            found[name] = serious
    assert found == {}
    assert unwanted == []
    assert list(PolicyReport.objects.values_list("directive", "view", "blocked")) == []


def test_every_page_fits_a_phone_in_the_dark(window: Open, pages: dict[str, str]) -> None:
    reader = window("zh-CN", 390, "dark")
    found: dict[str, list[str]] = {}
    reader.sign_in()
    reader.page.add_init_script(AXE)
    for name, path in pages.items():
        reader.open(path)
        forget_status(reader, path)
        serious = [] if name == WITHOUT_SCRIPTS else faults(reader, ["color-contrast"])
        # Tables of the administration scroll within Django's own pages.
        if is_too_wide(reader) and not name.startswith("admin"):
            serious.append("wider than the screen")
        if serious:
            found[name] = serious
    assert found == {}

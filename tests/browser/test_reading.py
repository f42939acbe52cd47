"""Reading by mouse and by keyboard in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from crawler.models import Run
from tests.browser.conftest import Window
from tests.topics.factories import Scene
from topics.models import Reading, Thumb

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Open = Callable[..., Window]
CACHE = "How a cache line travels through the memory hierarchy"
#: During a run the template marks the list so.
WATCH_LIST = """() => {
    const region = document.querySelector("[data-row]").closest("div");
    Object.assign(region.dataset, {live: "/topics/chips/fresh", every: 50});
    watch(region);
}"""


@pytest.fixture
def reader(window: Open, scene: Scene) -> Window:
    """Ann at her topic's list of three pages."""
    reader = window()
    reader.sign_in()
    reader.open("/topics/chips/")
    expect(reader.page.locator("[data-row]")).to_have_count(3)
    return reader


def test_a_star_is_set_in_place(reader: Window) -> None:
    row = reader.page.locator("[data-row]").first
    row.get_by_role("button", name=f"Star: {CACHE}").click()
    expect(row.locator("[data-key=s]")).to_have_attribute("aria-pressed", "true")
    expect(row.locator("[data-key=s]")).to_be_focused()
    assert Reading.objects.get().starred


def test_the_keyboard_moves_stars_reads_rates_and_explains(reader: Window) -> None:
    keys, rows = reader.page.keyboard, reader.page.locator("[data-row]")
    keys.press("j")
    expect(rows.nth(0)).to_have_attribute("aria-current", "true")
    expect(rows.nth(0).locator("h3 a")).to_be_focused()
    keys.press("j")
    keys.press("k")
    expect(rows.nth(0)).to_have_attribute("aria-current", "true")
    keys.press("s")
    expect(rows.nth(0).locator("[data-key=s]")).to_have_attribute("aria-pressed", "true")
    expect(rows.nth(0).locator("[data-key=s]")).to_be_focused()  # the new buttons are in use
    keys.press("m")
    expect(rows.nth(0)).to_have_class("read")
    keys.press("w")
    expect(rows.nth(0).locator("details.why .parts")).to_be_visible()
    keys.press("f")
    expect(rows.nth(0).locator(".thumbs [aria-pressed=true]")).to_be_visible()
    assert Thumb.objects.get().value == 1
    keys.press("?")
    expect(reader.page.locator("details.keys dl")).to_be_visible()
    keys.press("Escape")
    expect(reader.page.locator("details.keys dl")).not_to_be_visible()
    keys.press("/")
    expect(reader.page.locator("main input[type=search]")).to_be_visible()


def test_keys_hide_a_page_with_a_reason(reader: Window) -> None:
    keys, row = reader.page.keyboard, reader.page.locator("[data-row]").first
    keys.press("j")
    keys.press("h")
    expect(row.get_by_role("button", name="not interesting")).to_be_focused()
    keys.press("Escape")
    expect(row.get_by_role("button", name="not interesting")).to_be_hidden()
    expect(row.locator("details.hide > summary")).to_be_focused()
    keys.press("h")
    keys.press("Enter")
    expect(row.locator("[data-hidden]")).to_be_focused()
    assert Reading.objects.get().hidden == "dull"
    keys.press("Enter")
    expect(row.locator("details.hide > summary")).to_be_focused()
    keys.press("h")
    keys.press("Enter")
    expect(row.locator("[data-hidden]")).to_be_visible()
    reader.open("/topics/chips/")
    expect(reader.page.locator("[data-row]")).to_have_count(2)


def test_letters_typed_into_a_field_are_no_keys(reader: Window) -> None:
    row = reader.page.locator("[data-row]").first
    row.locator("details.note > summary").click()
    row.get_by_label("Note", exact=True).type("smdh?")
    row.get_by_role("button", name="Save").click()
    expect(row.locator("details.note > summary")).to_contain_text("✎")
    expect(row.locator("details.note > summary")).to_be_focused()
    assert (Reading.objects.get().note, Reading.objects.get().starred) == ("smdh?", None)


def test_the_list_works_without_script(window: Open, scene: Scene) -> None:
    reader = window(script=False)
    reader.sign_in()
    reader.open("/topics/chips/")
    reader.page.get_by_role("button", name=f"Star: {CACHE}").click()
    reader.page.get_by_role("link", name="Starred").click()
    expect(reader.page.locator("[data-row]")).to_have_count(1)


@pytest.mark.parametrize(("locale", "more"), [("en-GB", "More filters"), ("zh-CN", "更多筛选")])
def test_filters_fit_a_narrow_screen(window: Open, scene: Scene, locale: str, more: str) -> None:
    reader = window(locale, 360, "dark")
    reader.sign_in()
    reader.open("/topics/chips/")
    reader.page.get_by_text(more).click()
    reader.page.locator("details.why > summary").first.click()
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not reader.page.evaluate(wide)


def test_a_list_that_updates_leaves_alone_what_was_just_opened(reader: Window) -> None:
    page = reader.page
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/topics/chips/fresh", hold)
    why = page.locator("[data-row] details.why").first
    with page.expect_request("**/topics/chips/fresh"):
        page.evaluate(WATCH_LIST)
    why.locator("summary").click()  # while the answer is on its way
    expect(why.locator(".parts")).to_be_visible()
    with page.expect_response("**/topics/chips/fresh"):
        held[0].fulfill(body="<p>another list</p>", content_type="text/html")
    page.wait_for_timeout(300)
    expect(why.locator(".parts")).to_be_visible()


def test_a_star_is_set_in_place_in_a_list_that_has_updated(reader: Window) -> None:
    page = reader.page
    with page.expect_response("**/topics/chips/fresh"):
        page.evaluate(WATCH_LIST)
    row = page.locator("[data-row]").first
    expect(row.locator("input[name=next]").first).to_have_value("/topics/chips/")
    row.get_by_role("button", name=f"Star: {CACHE}").click()
    expect(row.locator("[data-key=s]")).to_have_attribute("aria-pressed", "true")
    expect(row.locator("[data-key=s]")).to_be_focused()
    assert page.url.endswith("/topics/chips/")


def test_what_is_typed_while_a_run_ends_is_kept(window: Open, scene: Scene) -> None:
    Run.objects.update(ended=None, stop_reason="")
    reader = window()
    reader.sign_in()
    reader.open("/topics/chips/")
    row = reader.page.locator("[data-row]").first
    row.locator("details.note summary").click()
    row.locator("textarea").fill("A long note")
    Run.objects.update(ended=scene.now, stop_reason="budget")
    expect(reader.page.locator(".strip")).to_contain_text("The crawl has ended")
    reader.page.wait_for_timeout(500)
    expect(row.locator("textarea")).to_have_value("A long note")
    row.locator("button[value=note]").click()
    expect(reader.page.get_by_role("button", name="Crawl now")).to_be_visible()
    assert Reading.objects.get().note == "A long note"


def test_a_form_of_a_reader_who_is_signed_out_says_so_and_keeps_what_was_typed(
    reader: Window,
) -> None:
    row = reader.page.locator("[data-row]").first
    row.locator("details.note summary").click()
    row.locator("textarea").fill("A long note")
    reader.page.context.clear_cookies(name="sessionid")
    row.locator("button[value=note]").click()
    message = row.locator(".signed-out")
    expect(message).to_contain_text("You are signed out.")
    expect(row.locator("textarea")).to_have_value("A long note")
    expect(reader.page.locator("#id_password")).to_have_count(0)
    row.locator("button[value=note]").click()
    expect(message.locator("visible=true")).to_have_count(1)
    message.get_by_role("link").first.click()
    expect(reader.page.locator("#id_password")).to_be_visible()


def test_a_form_that_the_server_refuses_leads_to_a_page_that_says_why(reader: Window) -> None:
    row = reader.page.locator("[data-row]").first
    reader.page.context.clear_cookies(name="csrftoken")  # as after a sign-in in another window
    row.get_by_role("button", name=f"Star: {CACHE}").click()
    expect(reader.page.get_by_role("heading", level=1)).to_have_text("The form is out of date")
    reader.complaints.clear()  # the console names each answer with status 403
    assert not Reading.objects.exists()

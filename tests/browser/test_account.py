"""The account page in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Window
from tests.topics.factories import Scene

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Open = Callable[..., Window]


@pytest.mark.parametrize(("locale", "end"), [("en-GB", "End"), ("zh-CN", "退出")])
def test_one_browser_ends_the_session_of_another(
    window: Open, scene: Scene, locale: str, end: str
) -> None:
    here, there = window(locale), window(locale)
    for each in (here, there):
        each.sign_in()
        expect(each.page.locator("h1")).to_be_visible()
    here.open("/account/")
    others = here.page.locator("tbody form button")
    expect(others).to_contain_text(end)
    others.click()
    expect(others).to_have_count(0)
    there.open("/account/")
    assert "/login/" in there.page.url
    here.open("/account/")
    assert here.page.url.endswith("/account/")

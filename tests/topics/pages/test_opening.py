"""Where a page opens in a browser, which cannot resolve the names of the demo web."""

import pytest
from pytest_django import Settings

from topics.pages.opening import open_address, open_address_outside


@pytest.mark.parametrize(
    ("url", "inside", "outside"),
    [
        ("https://a.test/x?y#z", "https://a.test/x?y#z", "https://a.test/x?y#z"),
        ("https://demo.test.evil.test/", *["https://demo.test.evil.test/"] * 2),
        ("http://chips.demo.test/a/b", "/demo/chips.demo.test/a/b", None),
        ("http://chips.demo.test/", "/demo/chips.demo.test/", None),
    ],
)
def test_only_pages_of_the_demo_web_open_within_focusweb(
    settings: Settings, url: str, inside: str, outside: str | None
) -> None:
    settings.BASE_URL = "http://localhost:8000/"
    assert open_address(url) == inside
    assert open_address_outside(url) == (outside or f"http://localhost:8000{inside}")

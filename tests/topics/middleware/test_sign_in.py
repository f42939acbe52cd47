"""Whoever is not signed in is led to the sign-in page, from a part of a page by a link."""

import pytest
from django.test import Client

from tests.topics.factories import Scene

PAGE = "/topics/chips/"
FROM_SCRIPT = {"HX-Request": "true", "HX-Current-URL": f"http://testserver{PAGE}?show=unread"}
LINK = 'href="/login/?next=/topics/chips/%3Fshow%3Dunread"'


def test_a_page_leads_to_the_sign_in_page(client: Client, scene: Scene) -> None:
    answer = client.get(PAGE)
    assert (answer.status_code, answer["Location"]) == (302, f"/login/?next={PAGE}")


def test_a_part_of_a_page_says_so_and_keeps_the_form(client: Client, scene: Scene) -> None:
    answer = client.post(f"{PAGE}pages/1/thumb", {"value": "up"}, headers=FROM_SCRIPT)
    html = answer.content.decode()
    assert answer.status_code == 200
    assert "You are signed out." in html
    assert LINK in html
    assert "<form" not in html
    assert (answer["HX-Retarget"], answer["HX-Reswap"]) == ("this", "beforeend")


def test_a_part_that_is_only_shown_is_replaced(client: Client, scene: Scene) -> None:
    answer = client.get(f"{PAGE}pages/1/path", headers=FROM_SCRIPT)
    assert LINK in answer.content.decode()
    assert "HX-Retarget" not in answer.headers


@pytest.mark.parametrize("address", ["", "http://[", "https://evil.test/x"])
def test_an_address_of_elsewhere_is_not_led_back_to(client: Client, address: str) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": address}
    answer = client.get(f"{PAGE}pages/1/path", headers=headers)
    assert 'href="/login/?next="' in answer.content.decode()

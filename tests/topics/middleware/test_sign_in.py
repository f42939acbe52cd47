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


def test_a_form_that_was_not_saved_says_so_and_leads_back_to_its_page(
    client: Client, scene: Scene
) -> None:
    sources = f"{PAGE}sources/"
    referer = {"Referer": f"http://testserver{sources}?page=2"}
    answer = client.post(f"{sources}add", {"places": "a.test"}, headers=referer, follow=True)
    assert answer.redirect_chain == [(f"/login/?next={sources}%3Fpage%3D2", 302)]
    assert "You are signed out, so nothing was saved." in answer.content.decode()


@pytest.mark.parametrize(
    "referer", ["", "http://[", "https://evil.test/x", "http://testserver//evil.test/"]
)
def test_a_form_of_elsewhere_does_not_lead_there(
    client: Client, scene: Scene, referer: str
) -> None:
    answer = client.post(f"{PAGE}digest/", headers={"Referer": referer})
    assert "evil.test/x" not in answer["Location"]
    keys = {"username": "ann", "password": "ann"}
    scene.topic.owner.set_password("ann")
    scene.topic.owner.save()
    signed_in = client.post(answer["Location"], keys)
    assert signed_in["Location"] in ("/", f"{PAGE}digest/")


def test_who_signs_out_twice_meets_the_sign_in_page(client: Client, db: None) -> None:
    answer = client.post("/logout/", headers={"Referer": f"http://testserver{PAGE}"})
    assert answer["Location"] == "/login/"


@pytest.mark.parametrize("address", ["", "http://[", "https://evil.test/x"])
def test_an_address_of_elsewhere_is_not_led_back_to(client: Client, address: str) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": address}
    answer = client.get(f"{PAGE}pages/1/path", headers=headers)
    assert 'href="/login/?next="' in answer.content.decode()


def test_the_language_is_switched_on_the_page_that_a_form_was_sent_from(
    as_ann: Client, scene: Scene
) -> None:
    sources = f"{PAGE}sources/"
    referer = {"Referer": f"http://testserver{sources}"}
    answer = as_ann.post(f"{sources}add", {"places": "a.test"}, headers=referer)
    assert f'name="next" value="{sources}"' in answer.content.decode()

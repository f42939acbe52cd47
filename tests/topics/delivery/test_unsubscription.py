"""A digest stops for whoever has its mail: by one click where that can work, never by a GET."""

from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP

import pytest
from django.test import Client
from pytest_django import Settings

from tests.topics.delivery.issues import digest_of, news, work
from tests.topics.factories import NOON, Scene, person, scene_of
from topics.delivery import unsubscription
from topics.delivery.mail_preview import mail_parts
from topics.models import Digest

ONE_CLICK = "List-Unsubscribe=One-Click"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def digest(scene: Scene) -> Digest:
    news(scene)
    return digest_of(scene)


def sent(digest: Digest) -> bytes:
    issue = work(digest, NOON)
    assert issue is not None
    return bytes(issue.message)


def stranger() -> Client:
    """A mail provider: no cookies, no token of a form."""
    return Client(enforce_csrf_checks=True)


def test_a_mail_from_a_public_address_stops_by_one_click(
    digest: Digest, settings: Settings
) -> None:
    settings.BASE_URL = "https://watch.example.org/"
    data = sent(digest)
    mail = message_from_bytes(data, _class=EmailMessage, policy=SMTP)
    address = str(mail["List-Unsubscribe"])

    assert address == f"<https://watch.example.org{unsubscription.STOP.path(digest)}>"
    assert mail["List-Unsubscribe-Post"] == ONE_CLICK
    # As it travels, too: programs that read it decode nothing.
    assert b"<https://watch.example.org/unsubscribe/" in data.partition(b"\r\n\r\n")[0]
    path = address.strip("<>").removeprefix("https://watch.example.org")
    answer = stranger().post(path, ONE_CLICK, content_type=FORM)
    digest.refresh_from_db()
    assert (answer.status_code, digest.active) == (200, False)


def test_to_look_at_the_address_stops_nothing(digest: Digest) -> None:
    path = unsubscription.STOP.path(digest)

    for answer in (stranger().get(path), stranger().head(path)):
        assert answer.status_code == 200
    digest.refresh_from_db()
    assert digest.active
    assert "Unsubscribe from this digest" in stranger().get(path).content.decode()


@pytest.mark.parametrize("form", [{}, {"scope": "all"}, {"every": "1"}])
def test_the_address_of_one_digest_stops_that_one_only(
    scene: Scene, digest: Digest, form: dict[str, str]
) -> None:
    second = digest_of(scene_of(scene.topic.owner, "second"))

    for _ in range(2):  # the second time there is nothing left to stop
        stranger().post(unsubscription.STOP.path(digest), form)

    assert list(Digest.objects.filter(active=True)) == [second]


def test_the_address_of_a_digest_that_is_off_says_so(digest: Digest) -> None:
    path = unsubscription.STOP.path(digest)
    unsubscription.stop_digest(digest)

    html = stranger().get(path).content.decode()

    assert "You no longer receive the digest of" in html
    assert "<h1>Unsubscribed</h1>" in html
    assert "<button" not in html.partition("<main")[2]


def test_a_person_without_a_digest_that_is_on_has_nothing_to_stop(
    scene: Scene, digest: Digest
) -> None:
    client = Client()
    client.force_login(scene.topic.owner)
    assert "This switches all your digests off." in client.get("/digests/stop").content.decode()
    unsubscription.stop_digest(digest)

    html = client.get("/digests/stop").content.decode()

    assert "You receive no digests." in html
    assert "<button" not in html.partition("<main")[2]


def test_all_digests_of_a_person_stop_only_after_signing_in(scene: Scene, digest: Digest) -> None:
    digest_of(scene_of(scene.topic.owner, "second"))
    others = digest_of(scene_of(person("bob"), "bobs"))
    assert Client().post("/digests/stop").headers["Location"].startswith("/login/")
    client = Client()
    client.force_login(scene.topic.owner)
    assert "/digests/stop" in client.get(unsubscription.STOP.path(digest)).content.decode()
    assert client.get("/digests/stop").status_code == 200
    assert Digest.objects.filter(active=True).count() == 3

    html = client.post("/digests/stop", follow=True).content.decode()

    assert "You unsubscribed from 2 digests." in html
    assert list(Digest.objects.filter(active=True)) == [others]


def test_a_mail_from_before_a_change_of_the_key_still_stops(
    digest: Digest, settings: Settings
) -> None:
    path, old = unsubscription.STOP.path(digest), settings.SECRET_KEY
    settings.SECRET_KEY = "another key, long enough for the checks, made for this test"
    assert stranger().get(path).status_code == 404

    settings.SECRET_KEY_FALLBACKS = [old]

    assert unsubscription.STOP.path(digest) != path  # made with the new key
    assert stranger().post(path).status_code == 200
    digest.refresh_from_db()
    assert not digest.active


def test_a_change_of_the_key_ends_no_session_while_the_old_one_is_named(
    scene: Scene, settings: Settings
) -> None:
    client, old = Client(), settings.SECRET_KEY
    client.force_login(scene.topic.owner)
    settings.SECRET_KEY = "another key, long enough for the checks, made for this test"
    settings.SECRET_KEY_FALLBACKS = [old]
    assert client.get("/").status_code == 200
    settings.SECRET_KEY_FALLBACKS = []
    assert client.get("/").status_code == 200  # it was signed anew with the new key

    other = Client()
    settings.SECRET_KEY = "a third key, long enough for the checks, made for this test"
    other.cookies = client.cookies
    assert other.get("/").headers["Location"].startswith("/login/")


@pytest.mark.parametrize("token", ["1", "1:", "1:forged", "x:forged", ":", "é"])
def test_an_address_that_nobody_made_is_not_there(digest: Digest, token: str) -> None:
    assert stranger().post(f"/unsubscribe/{token}/").status_code == 404
    digest.refresh_from_db()
    assert digest.active


def test_the_address_of_a_digest_that_was_deleted_is_not_there(digest: Digest) -> None:
    path = unsubscription.STOP.path(digest)
    digest.delete()

    assert stranger().get(path).status_code == 404


# what links begin with, and whether a mail provider could call them
@pytest.mark.parametrize(
    ("base_url", "is_reachable"),
    [
        ("https://watch.example.org", True),
        ("https://watch.example.org:8443/", True),
        ("https://8.8.8.8/", True),
        ("http://watch.example.org", False),
        ("http://127.0.0.1:8000", False),
        ("https://127.0.0.1", False),
        ("https://192.168.1.5", False),
        ("https://[::1]:8000", False),
        ("https://localhost", False),
        ("https://nas", False),
        ("https://nas.local", False),
        ("https://nas.lan.", False),
        ("https://例子.example", False),
    ],
)
def test_one_click_is_promised_only_where_it_works(
    settings: Settings, base_url: str, *, is_reachable: bool
) -> None:
    settings.BASE_URL = base_url

    assert unsubscription.is_reachable(base_url) is is_reachable
    assert bool(unsubscription.one_click_headers(f"{base_url}/x")) is is_reachable


def test_both_parts_lead_to_it_wherever_the_server_is(digest: Digest, settings: Settings) -> None:
    settings.BASE_URL = "http://127.0.0.1:8000"
    mail = mail_parts(sent(digest))

    for part in (mail.text, mail.html):
        assert f"http://127.0.0.1:8000{unsubscription.STOP.path(digest)}" in part

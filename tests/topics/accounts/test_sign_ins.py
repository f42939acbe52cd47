"""Where somebody is signed in: noted, listed, and ended from another browser."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from topics.accounts.sign_ins import browser_name, end_sign_in, open_sign_ins
from topics.models import SignIn

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
CHROME = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/130.0 Safari/537.36"
EDGE = f"{CHROME} Edg/130.0"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18 like Mac OS X) Version/18 Safari/604.1"


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox, Linux"),
        (CHROME, "Chrome, Windows"),
        (EDGE, "Edge, Windows"),
        (PHONE, "Safari, iPhone"),
        ("curl/8.0", "curl"),
        ("", ""),
    ],
)
def test_a_browser_is_named_in_words(agent: str, name: str) -> None:
    assert browser_name(agent) == name


@pytest.fixture
def eve(db: None) -> User:
    return User.objects.create_user("eve", password="a long word")


def sign_in(user: User, agent: str) -> Client:
    client = Client(headers={"user-agent": agent})
    client.post("/login/", {"username": user.username, "password": "a long word"})
    assert client.get("/account/").status_code == 200
    return client


def test_both_browsers_are_listed_and_one_ends_the_other(eve: User) -> None:
    first, second = sign_in(eve, FIREFOX), sign_in(eve, CHROME)
    html = first.get("/account/").content.decode()
    assert "Firefox, Linux" in html and "Chrome, Windows" in html
    assert html.count("this browser") == 1
    other = SignIn.objects.get(browser="Chrome, Windows")
    assert first.post(f"/account/sign-ins/{other.pk}/end").status_code == 302
    assert second.get("/account/").headers["Location"].startswith("/login/")
    assert "Chrome, Windows" not in first.get("/account/").content.decode()


def test_nobody_ends_anothers_sign_in(eve: User, bob: User) -> None:
    sign_in(eve, FIREFOX)
    theirs = SignIn.objects.get(user=eve)
    assert end_sign_in(bob, theirs.pk) is False
    client = Client()
    client.force_login(bob)
    assert client.post(f"/account/sign-ins/{theirs.pk}/end").status_code == 404
    assert SignIn.objects.filter(pk=theirs.pk).exists()


def test_all_others_end_at_once(eve: User) -> None:
    first, second, third = sign_in(eve, FIREFOX), sign_in(eve, CHROME), sign_in(eve, PHONE)
    assert first.post("/account/sign-ins/end").status_code == 302
    for client in (second, third):
        assert client.get("/account/").status_code == 302
    assert first.get("/account/").status_code == 200


def test_a_changed_password_ends_all_other_sign_ins(eve: User) -> None:
    first, second = sign_in(eve, FIREFOX), sign_in(eve, CHROME)
    form = {"old_password": "a long word", "new_password1": "quiet heron 7"}
    form["new_password2"] = form["new_password1"]
    assert first.post("/account/password", form | {"old_password": "wrong"}).status_code == 422
    assert second.get("/account/").status_code == 200
    assert first.post("/account/password", form).status_code == 302
    assert first.get("/account/").status_code == 200
    assert second.get("/account/").status_code == 302


@pytest.mark.parametrize("path", ["/account/password", "/admin/password_change/"])
def test_the_browser_in_which_the_password_was_changed_stays_in_the_list(
    eve: User, path: str
) -> None:
    User.objects.update(is_staff=True)
    browser = sign_in(eve, FIREFOX)
    began = timezone.now() - timedelta(days=3)
    SignIn.objects.update(began=began)
    form = {"old_password": "a long word", "new_password1": "quiet heron 7"}

    assert browser.post(path, form | {"new_password2": "quiet heron 7"}).status_code == 302

    assert browser.get("/account/").content.decode().count("this browser") == 1
    assert [row.began for row in SignIn.objects.all()] == [began]


def test_sessions_that_ended_leave_the_list(eve: User) -> None:
    sign_in(eve, FIREFOX).post("/logout/")
    assert open_sign_ins(eve, timezone.now()) == []
    sign_in(eve, CHROME)
    assert open_sign_ins(eve, timezone.now() + timedelta(days=60)) == []

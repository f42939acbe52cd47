"""Signing in while somebody guesses, on both forms there are."""

import contextlib
import itertools
import threading
import time
from collections.abc import Iterator
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.test import Client
from pytest_django import Settings

from focusweb.login import browser_mark, limits
from focusweb.web.password_hashing import LIMITER, PasswordsBusyError

FORMS = ["/login/", "/admin/login/"]
#: Failures are kept by the process, so each test is in a network of its own.
_networks = itertools.count()


@pytest.fixture
def network() -> str:
    return f"10.0.{next(_networks)}"


@pytest.fixture
def quick_hasher(settings: Settings) -> None:
    """Passwords cost nothing, so that there can be many."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def owner(db: None, network: str) -> User:
    return User.objects.create_superuser(f"owner of {network}", password="right")


def sign_in(
    client: Client, address: str, name: str, password: str, form: str = "/login/", **headers: str
) -> Any:
    """The answer to the form, sent from an address."""
    data = {"username": name, "password": password, "next": "/alerts/"}
    return client.post(form, data, REMOTE_ADDR=address, headers=headers)


def hold(address: str, name: str) -> None:
    """Let an address have failed so often that it has to wait."""
    for _ in range(5):
        limits.attempt(name, address, time.monotonic() + 600)


@pytest.mark.parametrize("form", FORMS)
def test_u5_guesses_are_slowed_down_and_the_owner_gets_in(
    quick_hasher: None, owner: User, network: str, form: str
) -> None:
    guesser = Client()
    statuses = [
        sign_in(guesser, f"{network}.{n % 20}", owner.username, f"guess {n}", form).status_code
        for n in range(400)
    ]

    # Each address has one free try from the twentieth failure on, and a second more for each.
    assert statuses.count(200) < 100
    assert statuses.count(429) == 400 - statuses.count(200)
    # From a place without failures, and with the name in other letters.
    assert sign_in(Client(), f"{network}.99", owner.username, "right", form).status_code == 302


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Too many wrong passwords. Wait"),
        ("zh-hans", "密码错误次数过多"),
    ],
)
def test_the_form_says_why_and_for_how_long(
    db: None, network: str, form: str, language: str, sentence: str
) -> None:
    hold(f"{network}.1", "unknown")

    answer = sign_in(Client(), f"{network}.1", "unknown", "x", form, accept_language=language)

    assert answer.status_code == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 900
    text = answer.content.decode()
    assert sentence in text
    assert answer.headers["Retry-After"] in text
    assert 'value="/alerts/"' in text  # the way on is kept


def test_a_browser_that_signed_in_before_is_let_in_from_an_address_that_guesses(
    owner: User, network: str
) -> None:
    browser, address = Client(), f"{network}.1"
    assert sign_in(browser, address, owner.username, "right").status_code == 302
    cookie = browser.cookies["browser"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Strict")
    browser.post("/logout/")
    hold(address, owner.username)

    assert sign_in(Client(), address, owner.username, "right").status_code == 429
    assert sign_in(browser, address, owner.username, "right").status_code == 302


@pytest.mark.parametrize(
    "mark",
    ["", "x", "x:y:z", browser_mark("somebody else")],
    ids=["empty", "no mark", "forged", "of another account"],
)
def test_the_mark_of_another_account_is_none(owner: User, network: str, mark: str) -> None:
    browser, address = Client(), f"{network}.1"
    browser.cookies = SimpleCookie({"browser": mark})
    hold(address, owner.username)

    assert sign_in(browser, address, owner.username, "right").status_code == 429


def test_a_wrong_password_says_that_pauses_grow(owner: User, network: str) -> None:
    answer = sign_in(Client(), f"{network}.1", owner.username, "wrong")

    assert answer.status_code == 200
    assert "you have to wait longer before each attempt" in answer.content.decode()


def test_names_that_look_alike_are_one_account(
    quick_hasher: None, owner: User, network: str
) -> None:
    names = (owner.username, owner.username.upper(), "ｏ" + owner.username[1:])
    statuses = [sign_in(Client(), f"{network}.1", name, "wrong").status_code for name in names * 4]
    assert statuses[:5] == [200] * 5
    assert 429 in statuses[5:]


@pytest.fixture
def crowd() -> Iterator[threading.Event]:
    """As many people are signing in as there is room for."""
    leave = threading.Event()

    def wait() -> None:
        with contextlib.suppress(PasswordsBusyError), LIMITER.place():
            leave.wait(10)

    threads = [threading.Thread(target=wait) for _ in range(3)]
    for thread in threads:
        thread.start()
    yield leave
    leave.set()
    for thread in threads:
        thread.join(10)


def test_too_many_at_once_are_asked_to_wait(db: None, network: str, crowd: threading.Event) -> None:
    for _ in range(8):  # these are not failures
        answer = sign_in(Client(), f"{network}.1", "ann", "right")
    assert answer.status_code == 503
    assert "Several people are signing in" in answer.content.decode()
    assert answer.headers["Retry-After"] == "5"


def test_the_crowd_does_not_keep_out_a_browser_that_signed_in_before(
    owner: User, network: str, crowd: threading.Event
) -> None:
    browser = Client()
    browser.cookies = SimpleCookie({"browser": browser_mark(owner.username)})
    threading.Timer(0.2, crowd.set).start()

    assert sign_in(browser, f"{network}.1", owner.username, "right").status_code == 302


def test_without_a_request_there_is_no_pause(owner: User) -> None:
    assert authenticate(None, username=owner.username, password="right") == owner
    assert authenticate(HttpRequest(), username=owner.username, password="right") == owner

"""New passwords by mail: one answer for all addresses, limits, a link that works once."""

import re
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from focusweb.mail_server import MailServer
from tests.topics.delivery.post_office import PostOffice
from tests.topics.factories import prove
from topics.accounts.password_reset import (
    PER_ADDRESS,
    PER_PLACE,
    WINDOW,
    request_reset,
    send_waiting,
)
from topics.models import ResetRequest

NEW = {"new_password1": "quiet heron 7", "new_password2": "quiet heron 7"}


@pytest.fixture
def eve(db: None) -> User:
    user = User.objects.create_user("eve", password="a long word")
    prove(user, "Eve@Reader.test")
    return user


@pytest.fixture
def server(post: PostOffice, settings: Settings) -> MailServer:
    assert isinstance(settings.MAIL_SERVER, MailServer)
    return settings.MAIL_SERVER


def link_in(post: PostOffice) -> str:
    content = message_from_bytes(post.letters()[-1].content, _class=EmailMessage, policy=SMTP)
    found = re.search(r"https://watch.focus.test(/password/\S+/)", content.get_content())
    assert found
    return found[1]


def test_the_mailed_link_sets_a_password_once(
    client: Client, eve: User, post: PostOffice, server: MailServer
) -> None:
    signed_in = Client()
    signed_in.post("/login/", {"username": "eve", "password": "a long word"})
    client.post("/password/", {"email": "eve@reader.TEST"})
    assert send_waiting(server, timezone.now()) == 1
    assert post.letters()[0].recipients == ("Eve@Reader.test",)
    link = link_in(post)
    form = client.get(link).headers["Location"]
    assert client.post(form, NEW).headers["Location"] == "/login/"
    eve.refresh_from_db()
    assert eve.check_password("quiet heron 7")
    assert signed_in.get("/account/").status_code == 302
    assert "was used or has expired" in Client().get(link).content.decode()


def test_the_answer_does_not_say_who_has_an_account(
    client: Client, eve: User, post: PostOffice, server: MailServer
) -> None:
    known = client.post("/password/", {"email": "eve@reader.test"}).content
    unknown = client.post("/password/", {"email": "none@reader.test"}).content
    assert re.sub(rb'value="[^"]+"', b"", known) == re.sub(rb'value="[^"]+"', b"", unknown)
    assert ResetRequest.objects.count() == 2
    assert send_waiting(server, timezone.now()) == 1
    stored = {
        name: str(value) for row in ResetRequest.objects.values() for name, value in row.items()
    }
    assert not any("reader.test" in value for value in stored.values())


def test_an_address_that_was_not_confirmed_gets_no_link(
    eve: User, post: PostOffice, server: MailServer
) -> None:
    eve.email = "other@reader.test"
    eve.save()
    for address in ("other@reader.test", "eve@reader.test"):
        request_reset(address, "here", timezone.now())
    assert send_waiting(server, timezone.now()) == 0
    assert post.letters() == []


def test_an_address_gets_few_links_in_an_hour(
    eve: User, post: PostOffice, server: MailServer
) -> None:
    now = timezone.now()
    for number in range(PER_ADDRESS + 3):
        request_reset("eve@reader.test", f"place {number}", now)
    assert send_waiting(server, now) == PER_ADDRESS
    request_reset("eve@reader.test", "here", now + WINDOW)
    assert send_waiting(server, now + WINDOW) == 1


def test_a_place_has_few_requests_in_an_hour(
    eve: User, post: PostOffice, server: MailServer
) -> None:
    now = timezone.now()
    for number in range(PER_PLACE):
        request_reset(f"guess{number}@reader.test", "here", now)
    request_reset("eve@reader.test", "here", now)
    assert send_waiting(server, now) == 0
    request_reset("eve@reader.test", "elsewhere", now)
    assert send_waiting(server, now) == 1


def test_what_the_server_refuses_for_now_is_sent_later(
    eve: User, post: PostOffice, server: MailServer
) -> None:
    prove(eve, "later@reader.test")
    now = timezone.now()
    request_reset("later@reader.test", "here", now)
    assert send_waiting(server, now) == 0
    row = ResetRequest.objects.get()
    assert row.sent is None and "450" in row.problem
    assert send_waiting(server, now + timedelta(hours=1)) == 0
    row.refresh_from_db()
    assert row.sent is not None


def test_without_a_mail_server_the_page_says_whom_to_ask(client: Client, db: None) -> None:
    assert "manage.py changepassword" in client.get("/password/").content.decode()

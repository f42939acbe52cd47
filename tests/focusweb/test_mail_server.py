"""The settings of mail: read as they are meant, refused when they make no sense."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from focusweb.mail_server import MailServer, base_url, mail_sender, read_mail_server

SERVERS = [
    ("smtp://localhost", MailServer("localhost", 25)),
    ("smtp://mail.test:2525", MailServer("mail.test", 2525)),
    ("smtps://mail.test", MailServer("mail.test", 465, tls=True)),
    ("smtp+starttls://mail.test/", MailServer("mail.test", 587, starttls=True)),
    ("smtp://ann:pw@127.0.0.1", MailServer("127.0.0.1", 25, "ann", "pw")),
    (
        "smtps://ann%40mail.test:p%2Fw%3A@mail.test",
        MailServer("mail.test", 465, "ann@mail.test", "p/w:", tls=True),
    ),
    ("smtp://[::1]:25", MailServer("::1", 25)),
]


@pytest.mark.parametrize(("url", "server"), SERVERS)
def test_a_mail_server_is_read(url: str, server: MailServer) -> None:
    assert read_mail_server("X", url) == server


def test_none_is_none() -> None:
    assert read_mail_server("X", "") is None


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mail.test", "must be smtps://"),
        ("http://mail.test", "must be smtps://"),
        ("smtps://", "must be smtps://"),
        ("smtps://mail.test/inbox", "must be smtps://"),
        ("smtps://mail.test:port", "is not the address of a mail server"),
        ("smtps://ann@mail.test", "both a user and a password"),
        ("smtp://ann:hush@mail.test", "unencrypted"),
    ],
)
def test_what_makes_no_sense_is_refused_without_the_password(url: str, message: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=message) as caught:
        read_mail_server("FOCUSWEB_SMTP_URL", url)
    assert "FOCUSWEB_SMTP_URL" in str(caught.value)
    assert "hush" not in str(caught.value)


def test_a_password_is_never_shown() -> None:
    assert "hush" not in repr(read_mail_server("X", "smtps://ann:hush@mail.test"))


@pytest.mark.parametrize(
    ("text", "sender"),
    [
        ("watch@focus.test", "FocusWeb <watch@focus.test>"),
        ("Ann B. <watch@focus.test>", '"Ann B." <watch@focus.test>'),
        ("观察者 <watch@focus.test>", "观察者 <watch@focus.test>"),
    ],
)
def test_a_sender_is_read(text: str, sender: str) -> None:
    assert mail_sender("X", text, True) == sender


@pytest.mark.parametrize("text", ["", "unknown", "a@b@c", "Ann <>"])
def test_a_mail_server_needs_a_sender(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="X must say whom mails are from"):
        mail_sender("X", text, True)


def test_without_a_mail_server_no_sender_is_needed() -> None:
    assert mail_sender("X", "", False) == "FocusWeb <focusweb@localhost>"


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("", "http://localhost:8000/"),
        ("https://watch.test", "https://watch.test/"),
        ("https://watch.test/focus/", "https://watch.test/focus/"),
    ],
)
def test_the_address_of_the_site_ends_in_a_slash(text: str, url: str) -> None:
    assert base_url("X", text, "0.0.0.0", 8000) == url


@pytest.mark.parametrize("text", ["watch.test", "ftp://watch.test/", "https://", "https://a/?b"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="X must be an http or https address"):
        base_url("X", text, "localhost", 8000)

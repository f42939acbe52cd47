"""Each way in which a mail server fails is named at its step, with what to do."""

import socket

import pytest

from focusweb.mail_server import MailServer
from tests.topics.delivery.post_office import PostOffice
from topics.delivery.smtp_check import LATER, NEVER_SENT, UNKNOWN, CheckStep, StepState, check_mail

SENDER = "FocusWeb <watch@focus.test>"
ORDER = ("name", "connection", "encryption", "login", "sender", "recipient", "message")


def check(
    server: MailServer,
    recipient: str = "ann@reader.test",
    *,
    sender: str = SENDER,
    send: bool = True,
    timeout_s: float = 5.0,
) -> list[CheckStep]:
    mail = b"Subject: a\r\n\r\nLine.\r\n"
    return list(check_mail(server, sender, recipient, mail, send=send, timeout_s=timeout_s))


def plain(post: PostOffice, port: str = "plain", *, password: str = "") -> MailServer:
    user = "ann" if password else ""
    is_starttls = "starttls" in port
    return MailServer("127.0.0.1", post.ports[port], user, password, starttls=is_starttls)


def test_every_step_is_named_and_the_mail_arrives(post: PostOffice) -> None:
    steps = check(plain(post, password="right"))
    assert tuple(step.name for step in steps) == ORDER
    assert {step.name for step in steps if step.state is not StepState.OK} == {"encryption"}
    assert steps[3].answer.startswith("235")
    [letter] = post.letters()
    assert (letter.sender, letter.recipients) == ("watch@focus.test", ("ann@reader.test",))


def test_without_sending_both_addresses_are_checked(post: PostOffice) -> None:
    steps = check(plain(post), send=False)
    assert [step.state for step in steps[4:]] == [StepState.OK, StepState.OK, StepState.NOT_DONE]
    assert post.letters() == []
    assert check(plain(post), "unknown@reader.test", send=False)[-1].state is StepState.ERROR


@pytest.mark.parametrize(
    ("recipient", "step", "answer", "advice"),
    [
        ("unknown", "recipient", "550 5.1.1 no such mailbox here", "Check the address"),
        ("later", "recipient", "450", LATER),
        ("gone", "recipient", "421", LATER),
        ("full", "message", "552 5.2.2 the mailbox is full", "server's answer"),
        ("shut", "message", "421", LATER),
        ("cut", "message", "closed", NEVER_SENT),
        ("lost", "message", "closed", UNKNOWN),
    ],
)
def test_a_refusal_is_named_at_its_step(
    post: PostOffice, recipient: str, step: str, answer: str, advice: str
) -> None:
    last = check(plain(post), f"{recipient}@reader.test")[-1]
    assert (last.name, last.state) == (step, StepState.ERROR)
    assert answer in last.answer
    assert advice in last.advice


def test_a_sender_that_is_refused_is_named(post: PostOffice) -> None:
    last = check(plain(post), sender="forged@focus.test")[-1]
    assert (last.name, last.state) == ("sender", StepState.ERROR)
    assert "FOCUSWEB_MAIL_FROM" in last.advice


def test_a_wrong_password_is_named_and_never_shown(post: PostOffice) -> None:
    steps = check(plain(post, password="wrong-secret"))
    assert (steps[-1].name, steps[-1].state) == ("login", StepState.ERROR)
    assert steps[-1].answer.startswith("535")
    assert "wrong-secret" not in str(steps)


@pytest.mark.parametrize(
    ("port", "step"),
    [
        ("busy", "greeting"),
        ("silent", "greeting"),
        ("web", "greeting"),
        ("no_starttls", "encryption"),
        ("cut_starttls", "encryption"),
    ],
)
def test_a_server_that_fails_early_is_named(post: PostOffice, port: str, step: str) -> None:
    last = check(plain(post, port), timeout_s=0.5)[-1]
    assert (last.name, last.state) == (step, StepState.ERROR)
    assert last.answer and last.advice


def test_a_server_without_starttls_is_never_used_unencrypted(post: PostOffice) -> None:
    last = check(MailServer("127.0.0.1", post.port, starttls=True))[-1]
    assert (last.name, last.state) == ("encryption", StepState.ERROR)
    assert "smtps://" in last.advice
    assert post.letters() == []


def test_tls_on_a_port_without_it_is_named(post: PostOffice) -> None:
    last = check(MailServer("127.0.0.1", post.port, tls=True))[-1]
    assert (last.name, last.state) == ("greeting", StepState.ERROR)
    assert "smtp+starttls://" in last.advice


def test_a_refused_connection_and_an_unknown_name_are_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: no other process gets the port
        last = check(MailServer("127.0.0.1", taken.getsockname()[1]))[-1]
    assert (last.name, last.state) == ("connection", StepState.ERROR)
    [only] = check(MailServer("mail server.invalid", 25))
    assert (only.name, only.state) == ("name", StepState.ERROR)


def test_an_address_with_a_line_break_adds_no_command(post: PostOffice) -> None:
    last = check(plain(post), "ann@reader.test>\r\nRCPT TO:<eve@reader.test")[-1]
    assert (last.name, last.state) == ("recipient", StepState.ERROR)
    assert post.letters() == []

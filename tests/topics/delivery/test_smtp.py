"""What became of a mail: sent, certainly not sent, or unknown."""

import socket

import pytest

from focusweb.mail_server import MailServer
from tests.topics.delivery.post_office import PostOffice
from topics.delivery import smtp
from topics.delivery.handover import SendResult

SENDER = "FocusWeb <watch@focus.test>"
MAIL = b"Subject: a\r\n\r\nLine.\r\n.\r\n..dots and \xe5\xad\x97\r\n"


def send(office: PostOffice, recipient: str) -> SendResult:
    return smtp.send(MailServer("127.0.0.1", office.port), MAIL, SENDER, recipient)


def test_the_very_bytes_arrive_for_one_recipient(post: PostOffice) -> None:
    assert send(post, "ann@reader.test") == SendResult(sent=True)
    [letter] = post.letters()
    assert letter.content == MAIL
    assert letter.sender == "watch@focus.test"
    assert letter.recipients == ("ann@reader.test",)


@pytest.mark.parametrize(
    ("recipient", "problem"),
    [
        ("unknown@reader.test", "550 5.1.1 no such mailbox here"),
        ("later@reader.test", "450 4.2.1 come back later"),
        ("gone@reader.test", "421 4.3.2 shutting down"),
        ("full@reader.test", "552 5.2.2 the mailbox is full"),
        ("shut@reader.test", "421 4.3.2 shutting down"),
    ],
)
def test_a_refusal_is_certain_and_reported(post: PostOffice, recipient: str, problem: str) -> None:
    assert send(post, recipient) == SendResult(sent=False, certain=True, problem=problem)
    assert post.letters() == []


@pytest.mark.parametrize(("recipient", "n_kept"), [("lost", 0), ("taken", 1), ("odd", 1)])
def test_a_missing_answer_leaves_the_outcome_unknown(
    post: PostOffice, recipient: str, n_kept: int
) -> None:
    outcome = send(post, f"{recipient}@reader.test")
    assert (outcome.sent, outcome.certain) == (False, False)
    assert outcome.problem
    assert len(post.letters()) == n_kept


def test_an_answer_that_takes_too_long_leaves_the_outcome_unknown(post: PostOffice) -> None:
    outcome = smtp.send(
        MailServer("127.0.0.1", post.port), MAIL, SENDER, "slow@reader.test", timeout_s=1
    )
    assert (outcome.sent, outcome.certain) == (False, False)
    assert len(post.letters()) == 1


def test_a_server_that_is_not_there_is_certain() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: no other process gets the port
        server = MailServer("127.0.0.1", taken.getsockname()[1])
        outcome = smtp.send(server, MAIL, SENDER, "ann@reader.test")
    assert (outcome.sent, outcome.certain) == (False, True)
    assert "refused" in outcome.problem


@pytest.mark.parametrize(("starttls", "tls"), [(True, False), (False, True)])
def test_nothing_goes_unencrypted_when_encryption_is_required(
    post: PostOffice, starttls: bool, tls: bool
) -> None:
    server = MailServer("127.0.0.1", post.port, starttls=starttls, tls=tls)
    outcome = smtp.send(server, MAIL, SENDER, "ann@reader.test")
    assert (outcome.sent, outcome.certain) == (False, True)
    assert post.letters() == []


@pytest.mark.parametrize("port", ["starttls", "tls"])
def test_a_server_with_a_certificate_of_no_authority_gets_nothing(
    encrypted: PostOffice, port: str
) -> None:
    encrypted.forget()
    is_starttls = port == "starttls"
    server = MailServer(
        "127.0.0.1",
        encrypted.ports[port],
        "ann",
        "right",
        starttls=is_starttls,
        tls=not is_starttls,
    )
    outcome = smtp.send(server, MAIL, SENDER, "ann@reader.test")
    assert (outcome.sent, outcome.certain) == (False, True)
    assert "certificate verify failed" in outcome.problem
    assert encrypted.letters() == []


def test_a_connection_cut_at_data_certainly_carried_no_mail(post: PostOffice) -> None:
    outcome = send(post, "cut@reader.test")
    assert (outcome.sent, outcome.certain) == (False, True)
    assert outcome.problem
    assert post.letters() == []


@pytest.mark.parametrize(
    ("port", "problem"),
    [
        ("busy", "421"),
        ("silent", "timed out"),
        ("web", "not an answer of SMTP: /1.1 400 Bad Request"),
        ("no_starttls", "454 4.7.0 TLS not available now"),
        ("cut_starttls", ""),
    ],
)
def test_a_server_that_fails_before_the_mail_certainly_did_not_take_it(
    post: PostOffice, port: str, problem: str
) -> None:
    server = MailServer("127.0.0.1", post.ports[port], starttls="starttls" in port)
    outcome = smtp.send(server, MAIL, SENDER, "ann@reader.test", timeout_s=0.5)
    assert (outcome.sent, outcome.certain) == (False, True)
    assert problem in outcome.problem and outcome.problem
    assert post.letters() == []

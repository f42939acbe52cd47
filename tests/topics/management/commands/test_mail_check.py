"""The command prints each step of a real conversation, in words or as JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from tests import databases
from tests.topics.delivery.post_office import PostOffice

ROOT = Path(__file__).resolve().parents[4]


def test_the_steps_are_printed_with_what_to_do(
    post: PostOffice, capsys: pytest.CaptureFixture[str], settings: Settings
) -> None:
    settings.BASE_URL = "http://127.0.0.1:8000/"
    call_command("mail_check", "ann@reader.test")
    printed = capsys.readouterr().out
    assert "ok       recipient: 250 OK" in printed
    assert "hint     links: links in mails begin with http://127.0.0.1:8000/" in printed
    [letter] = post.letters()
    assert b"Subject: Test of the mail server" in letter.content

    with pytest.raises(SystemExit) as failed:
        call_command("mail_check", "unknown@reader.test")
    assert failed.value.code == 1
    assert "error    recipient: 550 5.1.1 no such mailbox here" in capsys.readouterr().out


def test_json_without_sending(post: PostOffice, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("mail_check", "ann@reader.test", "--no-send", "--json")
    data = json.loads(capsys.readouterr().out)
    assert data["ok"] is True
    message = next(step for step in data["steps"] if step["name"] == "message")
    assert message["state"] == "not done"
    assert post.letters() == []


@pytest.mark.parametrize(
    "address", ["", "x", "a@b.test\r\nRCPT TO:<c@d.test>", "a@b.test, c@d.test"]
)
def test_a_wrong_address_is_refused(post: PostOffice, address: str) -> None:
    with pytest.raises(CommandError, match="is not an e-mail address"):
        call_command("mail_check", address)


def test_without_a_server_the_settings_are_named(settings: Settings) -> None:
    settings.MAIL_SERVER = None
    with pytest.raises(CommandError, match="FOCUSWEB_SMTP_URL"):
        call_command("mail_check", "ann@reader.test")


@pytest.mark.parametrize(
    ("scheme", "port", "trusted", "last"),
    [
        ("smtp+starttls", "starttls", True, ("message", "ok")),
        ("smtps", "tls", True, ("message", "ok")),
        ("smtp+starttls", "starttls", False, ("certificate", "error")),
    ],
)
def test_tls_and_its_certificate(
    encrypted: PostOffice,
    certificate: Path,
    tmp_path: Path,
    scheme: str,
    port: str,
    trusted: bool,
    last: tuple[str, str],
) -> None:
    encrypted.forget()
    tmp_path.chmod(0o700)
    url = f"{scheme}://ann:right@127.0.0.1:{encrypted.ports[port]}"
    own = {"FOCUSWEB_SMTP_URL": url, "FOCUSWEB_MAIL_FROM": "watch@focus.test"}
    own |= {"FOCUSWEB_DATA": str(tmp_path), "FOCUSWEB_BASE_URL": "https://watch.example.org/"}
    if trusted:
        own["SSL_CERT_FILE"] = str(certificate)
    done = subprocess.run(
        [sys.executable, "manage.py", "mail_check", "ann@reader.test", "--json"],
        cwd=ROOT,
        env=os.environ | own | databases.environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=120,
    )
    steps = json.loads(done.stdout)["steps"]
    assert (steps[-1]["name"], steps[-1]["state"]) == last, done.stderr
    assert len(encrypted.letters()) == trusted
    assert "right" not in done.stdout

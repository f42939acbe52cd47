"""manage.py mail_check: hand one mail to the mail server, step by step."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from email.policy import SMTP
from email.utils import make_msgid
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from django.utils import timezone

from focusweb.mail_server import MailServer
from topics.delivery import mime
from topics.delivery.smtp_check import CheckStep, StepState, check_mail
from topics.delivery.unsubscription import is_reachable

TEXT = """This is a test of the mail server, sent by `manage.py mail_check`.
If you can read it, FocusWeb at {site} can send mail.
"""


class Command(BaseCommand):
    help = "Hand a test mail to the mail server; print each step, its answer, and what to do."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("address", help="whom the test mail is for")
        parser.add_argument(
            "--no-send", action="store_true", help="end before DATA: nothing is sent"
        )
        parser.add_argument("--timeout", type=float, default=10.0, help="seconds for each answer")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the steps; exit with 1 if one failed."""
        address, server = options["address"], settings.MAIL_SERVER
        try:
            validate_email(address)
        except ValidationError as error:
            raise CommandError(f"{address!r} is not an e-mail address") from error
        if server is None:
            raise CommandError(
                "no mail server is set: set FOCUSWEB_SMTP_URL and FOCUSWEB_MAIL_FROM, see"
                " docs/delivery.md"
            )
        if not options["timeout"] > 0:
            raise CommandError(f"--timeout must be more than 0, got {options['timeout']}")
        steps = []
        for step in _steps(server, address, send=not options["no_send"], options=options):
            steps.append(step)
            if not options["json"]:
                self._print(step)
        ok = all(step.state is not StepState.ERROR for step in steps)
        if options["json"]:
            data = {"ok": ok, "steps": [asdict(step) for step in steps]}
            self.stdout.write(json.dumps(data, ensure_ascii=False))
        if not ok:
            raise SystemExit(1)

    def _print(self, step: CheckStep) -> None:
        self.stdout.write(f"{step.state.value:9}{step.name}: {step.answer}")
        if step.advice:
            self.stdout.write(f"{'':9}{step.advice}")


def _steps(
    server: MailServer, address: str, *, send: bool, options: dict[str, Any]
) -> Iterator[CheckStep]:
    message = _message(address)
    timeout_s = options["timeout"]
    yield from check_mail(
        server, settings.MAIL_FROM, address, message, send=send, timeout_s=timeout_s
    )
    if not is_reachable(settings.BASE_URL):
        yield CheckStep(
            "links",
            StepState.HINT,
            f"links in mails begin with {settings.BASE_URL}",
            "Set FOCUSWEB_BASE_URL to a public https address, or readers elsewhere cannot open"
            " them, and mails have no one-click unsubscribe button.",
        )


def _message(address: str) -> bytes:
    envelope = mime.Envelope(make_msgid("check", mime.sender_domain()), address)
    message = mime.new_message("Test of the mail server", envelope, timezone.now())
    message.set_content(TEXT.format(site=settings.BASE_URL), cte="quoted-printable")
    return message.as_bytes(policy=SMTP)

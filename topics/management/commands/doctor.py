"""`manage.py doctor`: what is wrong here, and what to do about it."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from topics.installation.checkup import Severity, examine


class Command(BaseCommand):
    help = "Check this installation and say how to repair what is wrong."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the findings; exit code 1 if one is an error."""
        findings = list(examine())
        is_well = all(finding.level != Severity.ERROR for finding in findings)
        if options["json"]:
            report = {"ok": is_well, "findings": [asdict(finding) for finding in findings]}
            self.stdout.write(json.dumps(report, ensure_ascii=False))
        else:
            for finding in findings:
                advice = f"  -> {finding.advice}" if finding.advice else ""
                self.stdout.write(f"{finding.level:5}  {finding.check}: {finding.text}{advice}")
        if not is_well:
            sys.exit(1)

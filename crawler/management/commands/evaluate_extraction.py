"""Measure how well the article is found on real pages with gold standard text."""

from argparse import ArgumentParser
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from crawler.errors import CrawlError
from crawler.lab.extraction import (
    Extraction,
    Extractor,
    GoldPage,
    evaluate_extractor,
    own_extract,
    read_gold,
)
from crawler.lab.extraction_references import reference_extractors
from crawler.management.commands.evaluate import require_at_least, require_writable, write_json

HALVES = ("both", "first", "second")


class Command(BaseCommand):
    help = "Say how well the article is found on real pages whose article people marked."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="folder with gold.jsonl and pages/")
        parser.add_argument(
            "--half", choices=HALVES, default="both", help="develop on one half, check on the other"
        )
        parser.add_argument("--own", action="store_true", help="leave the references out")
        parser.add_argument("--seed", type=int, default=0, help="of the pages drawn again")
        parser.add_argument("--json", type=Path, dest="json_file", help="write the figures here")

    def handle(self, *args: Any, **options: Any) -> None:
        require_at_least(0, options, "seed")
        require_writable(options)
        try:
            pages = [page for page in read_gold(options["folder"]) if is_in(page, options["half"])]
        except CrawlError as error:
            raise CommandError(str(error)) from error
        if not pages:
            raise CommandError(f"{options['folder']}: no pages")
        extractors: dict[str, Extractor] = {"article": own_extract}
        if not options["own"]:
            extractors |= reference_extractors()
        figures: dict[str, Extraction] = {}
        with tqdm(total=len(extractors) * len(pages), desc="extracting", unit="page") as bar:
            for name, extract in extractors.items():
                figures[name] = evaluate_extractor(
                    extract, pages, seed=options["seed"], progress=bar.update
                )
        self._print(figures, len(pages))
        if options["json_file"]:
            data = {name: asdict(found) for name, found in figures.items()}
            write_json(options["json_file"], {"half": options["half"], "extractors": data})

    def _print(self, figures: dict[str, Extraction], n_pages: int) -> None:
        self.stdout.write(f"{n_pages} pages; ms are of CPU, of a page")
        self.stdout.write(
            f"{'extractor':12} {'prec.':>6} {'recall':>6} {'F1':>6} {'95 % of F1':>13}"
            f" {'wanted':>6} {'frame':>6} {'titles':>6} {'dates':>6} {'/said':>6}"
            f" {'mean ms':>8} {'median':>7}"
        )
        for name, found in figures.items():
            self.stdout.write(
                f"{name:12} {column(found.precision)} {column(found.recall)} {column(found.f1)}"
                f" {column(found.f1_low)}-{column(found.f1_high)} {column(found.wanted)}"
                f" {column(found.unwanted)} {column(found.titles)} {column(found.dates)}"
                f" {column(found.dates_said)} {found.ms_mean:8.2f} {found.ms_median:7.2f}"
            )


def is_in(page: GoldPage, half: str) -> bool:
    """True if a page belongs to a half of the folder; which one its id says."""
    number = sha256(page.id.encode()).digest()[-1] % 2
    return half == "both" or HALVES.index(half) == number + 1


def column(share: float | None) -> str:
    """A share in six columns, blank if there is none."""
    return f"{'' if share is None else f'{share:.3f}':>6}"

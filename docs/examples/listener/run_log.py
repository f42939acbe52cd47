"""Writes a line to a file when a run has ended."""

from django.conf import settings

from crawler.models import Run
from focusweb.hookspecs import hookimpl

FILE = "run-log.tsv"


@hookimpl
def run_ended(run_id):
    run = Run.objects.filter(pk=run_id).first()
    if run is not None:
        with (settings.DATA_DIR / FILE).open("a", encoding="utf-8") as file:
            file.write(f"{run.ended:%Y-%m-%d %H:%M}\t{run.crawl.profile.name}\t{run.kept}\n")

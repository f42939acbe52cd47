"""Writes search results as a BibTeX file."""

import re

from focusweb.hookspecs import hookimpl
from topics.pages.search_export import TextFile


def as_bibtex(query, pages):
    """One @online entry a page."""
    return "\n".join(_entry(page.harvest) for page in pages)


def _entry(harvest):
    title = re.sub(r"[{}\\]", "", harvest.page.title or harvest.url.url)
    date = harvest.published or harvest.first_seen
    return (
        f"@online{{page{harvest.pk},\n  title = {{{title}}},\n"
        f"  url = {{{harvest.url.url}}},\n  date = {{{date:%Y-%m-%d}}},\n}}\n"
    )


@hookimpl
def exporters():
    return [TextFile("bib", "BibTeX", "application/x-bibtex", as_bibtex)]

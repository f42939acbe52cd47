"""Reads the abstract pages of arXiv: the abstract alone, with authors and day."""

from dataclasses import dataclass
from html import escape

from lxml import html

from crawler.page.extractors import Extract
from focusweb.hookspecs import hookimpl
from focusweb.plugin_settings import setting


@dataclass(frozen=True)
class Settings:
    host: str = setting("arxiv.org", "the host whose pages are read")


class ArxivAbstract:
    name = "arxiv_abstract"

    def __init__(self, host):
        self._host = host

    def extract(self, document):
        if document.host != self._host:
            return None
        page = html.document_fromstring(document.markup())
        abstract = page.find_class("abstract")
        if not abstract:
            return None
        text = abstract[0].text_content().strip().removeprefix("Abstract:")
        return Extract(
            f"<p>{escape(text)}</p>",
            title="".join(_said(page, "citation_title")),
            byline="; ".join(_said(page, "citation_author")),
            published="".join(_said(page, "citation_date")),
        )


def _said(page, name):
    return [meta.get("content", "") for meta in page.iterfind(f'.//meta[@name="{name}"]')]


@hookimpl
def extractors(settings):
    return [ArxivAbstract(settings.host)]

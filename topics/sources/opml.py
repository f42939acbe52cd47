"""A topic's sources as OPML 2.0, the file with which feed readers exchange what they follow."""

from collections.abc import Sequence
from datetime import datetime
from xml.etree import ElementTree

from django.utils.http import http_date

from crawler.api.pages import clean_line
from crawler.api.sources import registry
from topics.sources.lines import SourceLine

MAX_TEXT = 300


def write_opml(name: str, lines: Sequence[SourceLine], now: datetime) -> bytes:
    """Write the sources that have an address: feeds as subscriptions, all others as links."""
    root = ElementTree.Element("opml", version="2.0")
    head = ElementTree.SubElement(root, "head")
    ElementTree.SubElement(head, "title").text = clean_line(name, MAX_TEXT)
    ElementTree.SubElement(head, "dateCreated").text = http_date(now.timestamp())
    body = ElementTree.SubElement(root, "body")
    for line in lines:
        if not line.url.startswith(("http://", "https://")):
            continue
        text = {"text": clean_line(line.url, MAX_TEXT)}
        address = clean_line(line.url, len(line.url))
        if line.kind == registry.FEEDS:
            ElementTree.SubElement(body, "outline", text, type="rss", xmlUrl=address)
        else:
            ElementTree.SubElement(body, "outline", text, type="link", url=address)
    found: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return found

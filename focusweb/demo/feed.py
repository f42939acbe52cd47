"""An Atom feed of the demo web (RFC 4287)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One article in a feed."""

    url: str
    title: str
    summary: str
    published: datetime


def render_atom(title: str, home: str, path: str, entries: Sequence[FeedEntry]) -> str:
    """Render a feed of at least one entry, newest first; `path` is where it is served."""
    updated = entries[0].published
    items = "".join(
        f"<entry><id>{escape(entry.url)}</id><title>{escape(entry.title)}</title>"
        f'<link rel="alternate" type="text/html" href="{escape(entry.url)}"/>'
        f"<published>{entry.published.isoformat()}</published>"
        f"<updated>{entry.published.isoformat()}</updated>"
        f"<summary>{escape(entry.summary)}</summary></entry>\n"
        for entry in entries
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>{escape(home)}</id><title>{escape(title)}</title>"
        f"<updated>{updated.isoformat()}</updated>"
        f"<author><name>{escape(title)}</name></author>"
        f'<link rel="self" href="{escape(home.rstrip("/") + path)}"/>\n{items}</feed>\n'
    )

"""Pages as a WARC file, the format of web archives (ISO 28500)."""

import io
import json
from collections.abc import Sequence
from datetime import UTC, datetime

from warcio.recordloader import ArcWarcRecord
from warcio.warcwriter import WARCWriter

from focusweb import __version__
from topics.pages.search_results import FoundPage

#: What readers of the archive must know of its records.
NOTE = (
    "FocusWeb stores the article of a page as text, not the bytes of the response. So each page is "
    "a conversion record without the response that it was made from, with a metadata record."
)

_TYPES = {"conversion": "text/plain; charset=utf-8", "metadata": "application/json"}


def as_warc(query: str, pages: Sequence[FoundPage]) -> bytes:
    """A conversion record with the article of each page, and a metadata record with the rest."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=False)
    # One line: a further one would be a field of its own.
    described = " ".join(query.split())
    about = {"software": f"FocusWeb {__version__}", "description": described, "note": NOTE}
    writer.write_record(writer.create_warcinfo_record("pages.warc", about))
    for page in pages:
        _write_page(writer, page)
    return out.getvalue()


def _write_page(writer: WARCWriter, found: FoundPage) -> None:
    harvest, page = found.harvest, found.harvest.page
    url, fetched = harvest.url.url, _shown(page.fetched)
    article = _record(writer, url, "conversion", page.text.encode(), {"WARC-Date": fetched})
    writer.write_record(article)
    values = {
        "title": page.title,
        "byline": page.byline or "",
        "language": page.language,
        "published": _shown(harvest.published) if harvest.published else "",
        "first_seen": _shown(harvest.first_seen),
        "topic": found.topic.name if found.topic else "",
        "relevance": round(harvest.relevance, 4),
        "score": round(harvest.score, 4),
    }
    text = json.dumps(values, ensure_ascii=False).encode()
    named = {
        "WARC-Date": fetched,
        "WARC-Concurrent-To": article.rec_headers.get_header("WARC-Record-ID"),
    }
    writer.write_record(_record(writer, url, "metadata", text, named))


def _record(
    writer: WARCWriter, url: str, kind: str, payload: bytes, headers: dict[str, str]
) -> ArcWarcRecord:
    return writer.create_warc_record(
        url,
        kind,
        payload=io.BytesIO(payload),
        length=len(payload),
        warc_content_type=_TYPES[kind],
        warc_headers_dict=headers,
    )


def _shown(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

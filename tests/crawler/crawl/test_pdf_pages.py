"""PDF files in a crawl: kept like pages; those that give nothing say why."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pytest_django import Settings

from crawler.checks import invariants
from crawler.models import Crawl, FrontierEntry, Harvest, Page, Run
from crawler.reasons import Reason
from focusweb.clock import utc_now
from focusweb.demo.loopback_server import LoopbackServer, Request, Response
from tests.crawler.hostile_web import finish
from tests.crawler.page.pdf.test_pdf_pages import LOCK, SCANNED
from tests.crawler.page.pdf_files import Link, Text, text_pdf
from tests.crawler.web import PROFILE, SETTINGS
from tests.limits.hostile_pdfs import FILES

pytestmark = pytest.mark.django_db(transaction=True)

PAPER = text_pdf(
    [
        [
            Text(60, 740, "Solar cells of the north", 20),
            Text(60, 700, "A solar cell turns sunlight into electricity, and solar panels hold"),
            Text(60, 688, "many solar cells. More is on a page of its own."),
        ]
    ],
    links=[Link("http://open.test/more", (60, 685, 400, 696))],
    info={"CreationDate": "D:20260303120000Z"},
)
FILE = "application/pdf"
HUB = b"""<title>Solar cells</title><p>Solar cells make electricity.
    <a href="/papers/cells.pdf">a paper on solar cells</a>
    <a href="/papers/hostile.pdf">solar cells</a> <a href="/papers/scanned.pdf">solar cells</a>
    <a href="/papers/locked.pdf">solar cells</a> <a href="/papers/large.pdf">solar cells</a>
    <a href="/papers/half.pdf">solar cells</a> <a href="/papers/picture.pdf">solar cells</a>"""
ANSWERS = {
    "/": Response(200, HUB),
    "/more": Response(200, b"<title>More</title><p>More on solar cells and solar panels."),
    "/papers/cells.pdf": Response(200, PAPER + b" " * 6_000_000, FILE),
    "/papers/hostile.pdf": Response(200, FILES["a form that shows itself"](), FILE),
    "/papers/scanned.pdf": Response(200, SCANNED, FILE),
    "/papers/locked.pdf": Response(
        200, text_pdf([[Text(60, 700, "Solar")]], trailer=LOCK), "application/octet-stream"
    ),
    "/papers/large.pdf": Response(200, PAPER + b" " * 21_000_000, FILE),
    "/papers/half.pdf": Response(200, PAPER[: len(PAPER) // 2], FILE),
    "/papers/picture.pdf": Response(200, b"\x89PNG\r\n\x1a\n" + bytes(100), FILE),
}


def answer(request: Request) -> Response:
    return ANSWERS.get(request.target, Response(404))


@pytest.fixture
def run(settings: Settings) -> Iterator[Run]:
    """A run over a site whose front page links to PDF files."""
    settings.MAPPED_SITE_DELAY_S = 0.0
    with LoopbackServer(answer) as server:
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        crawl = Crawl(key="solar", first_seen=utc_now())
        crawl.describe(replace(PROFILE, seeds=("http://open.test/",)), SETTINGS)
        crawl.save()
        run = Run.objects.create(crawl=crawl, started=utc_now(), n_pages=50)
        yield finish(run)


def test_a_linked_pdf_file_is_kept_and_its_links_are_followed(run: Run) -> None:
    page = Page.objects.get(url__url="http://open.test/papers/cells.pdf")

    assert page.title == "Solar cells of the north"
    assert page.is_pdf
    assert page.language == "en"
    assert page.published is not None and page.published.date().isoformat() == "2026-03-03"
    assert page.text.endswith("many solar cells. More is on a page of its own.")
    assert Harvest.objects.get(url=page.url).kept
    parent = FrontierEntry.objects.get(url__url="http://open.test/more").parent
    assert parent is not None and parent.url == page.url.url
    assert not Page.objects.get(url__url="http://open.test/").is_pdf


def test_each_pdf_file_that_gives_nothing_has_its_reason_and_the_rest_is_fetched(run: Run) -> None:
    ends = {
        entry.url.url.rpartition("/")[2]: entry.reason
        for entry in FrontierEntry.objects.select_related("url")
    }

    assert ends["hostile.pdf"] in (Reason.PARSER_CRASHED, Reason.PARSER_LIMIT)
    assert ends["scanned.pdf"] == Reason.PDF_WITHOUT_TEXT
    assert ends["locked.pdf"] == Reason.PDF_ENCRYPTED
    assert ends["large.pdf"] == Reason.TOO_LARGE
    assert ends["half.pdf"] == Reason.PDF_UNREADABLE
    assert ends["picture.pdf"] == Reason.NOT_HTML
    assert ends["more"] == Reason.FETCHED
    assert list(invariants.silent_ends()) == []

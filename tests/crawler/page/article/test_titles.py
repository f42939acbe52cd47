"""A page's title is the article's, without the name of the site."""

import pytest

from crawler.page.parse import parse_page


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>Tidal power grows</title>", "", "Tidal power grows"),
        (
            "<title>Tidal power grows - Coast Courier</title>",
            "<h1>Tidal power grows</h1>",
            "Tidal power grows",
        ),
        ("<title>Tidal power grows | courier.test</title>", "", "Tidal power grows"),
        ("<title>Tidal power grows · The Courier</title>", "", "Tidal power grows"),
        (
            "<title>Courier » News » Tidal power grows</title>",
            "<h1>Tidal power grows</h1>",
            "Tidal power grows",
        ),
        (
            "<title>Grid - Tidal power grows | Coast News</title>"
            "<meta property=og:site_name content='Coast News'>",
            "",
            "Grid - Tidal power grows",
        ),
        (
            "<title>Start</title><meta property=og:title content='Tidal power grows — Courier'>",
            "",
            "Tidal power grows",
        ),
        (
            "<title>Tidal power grows | Coast Courier</title>",
            "<h1>Coast Courier</h1><h1>Tidal power grows</h1>",
            "Tidal power grows",
        ),
        (
            "<title>Tidal power grows | Coast of Words</title>",
            "<h1>Coast of Words</h1>",
            "Tidal power grows | Coast of Words",
        ),
        (
            "<title>潮汐发电增长_海岸网</title><meta property=og:site_name content=海岸网>",
            "",
            "潮汐发电增长",
        ),
        ("<title>潮汐发电增长-海岸新闻</title>", "<h1>潮汐发电增长</h1>", "潮汐发电增长"),
        ("<title>Courier</title>", "", "Courier"),
        ("", "<h1>Tidal power grows</h1>", "Tidal power grows"),
        ("", "<p>No title</p>", ""),
    ],
)
def test_the_title_is_without_the_site(head: str, body: str, title: str) -> None:
    page = f"<html><head>{head}</head><body>{body}<p>Some words of text.</p></body></html>"

    assert parse_page(page.encode(), "http://www.courier.test/7").title == title

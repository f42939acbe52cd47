"""The search page: what a user sees, and what must stay private."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from crawler.models import Page
from tests.topics.search.conftest import Library
from topics.search.outbox import drain_all
from topics.search.query import parse_query
from topics.search.store import IndexStore


def search(client: Client, **parameters: str | int) -> str:
    response = client.get(reverse("search"), parameters)
    assert response.status_code == 200
    return response.content.decode()


def test_a_found_page_shows_title_site_score_and_marked_snippet(
    client: Client, library: Library, store: IndexStore, ada: User
) -> None:
    library.page(library.crawl("power", ada), "a", "电网调度", "新能源并网有新规定。", score=0.62)
    drain_all(60, store)
    client.force_login(ada)

    html = search(client, q="新能源")

    assert "<mark>新能源</mark>并网有新规定。" in html
    for text in ("电网调度", "pages.test", "https://pages.test/a", "0.62", "1 page in"):
        assert text in html


def test_a_found_pdf_file_is_marked(
    client: Client, library: Library, store: IndexStore, ada: User
) -> None:
    library.page(library.crawl("power", ada), "a", "电网调度", "新能源并网有新规定。")
    drain_all(60, store)
    client.force_login(ada)
    before = search(client, q="新能源")
    Page.objects.update(flags="pdf")

    mark = '<span class="mark">PDF</span>'
    assert mark not in before
    assert mark in search(client, q="新能源")


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
def test_each_example_of_what_can_be_typed_is_a_search(
    client: Client, library: Library, ada: User, language: str
) -> None:
    library.crawl("power", ada)
    client.force_login(ada)

    page = client.get(reverse("search"), headers={"accept-language": language})

    examples = re.findall("<td><code>(.+?)</code></td>", page.content.decode())
    assert len(examples) > 10
    for example in examples:
        parse_query(unescape(example))


def test_a_stuffed_page_comes_last(
    client: Client, library: Library, store: IndexStore, ada: User
) -> None:
    power = library.crawl("power", ada)
    library.page(power, "stuffed", "Grid grid grid", "grid " * 50)
    library.page(power, "report", "Report", "What the operator said of the grid this spring.")
    drain_all(60, store)
    client.force_login(ada)
    before = search(client, q="grid")
    power.harvests.filter(url__url__endswith="stuffed").update(trust=0.05)
    after = search(client, q="grid")

    stuffed, report = "https://pages.test/stuffed", "https://pages.test/report"
    assert before.index(stuffed) < before.index(report)
    assert after.index(report) < after.index(stuffed)


def test_page_text_is_escaped(
    client: Client, library: Library, store: IndexStore, ada: User
) -> None:
    evil = '<script>alert(1)</script> "><img src=x onerror=alert(2)> grid'
    library.page(library.crawl("power", ada), "a", evil, evil)
    drain_all(60, store)
    client.force_login(ada)

    html = search(client, q="grid alert script")

    assert "<mark>grid</mark>" in html
    assert "alert(1)</script>" not in html.replace("<mark>", "").replace("</mark>", "")
    assert "<img" not in html


def test_the_query_is_escaped_and_stays_in_the_field(
    client: Client, store: IndexStore, ada: User
) -> None:
    client.force_login(ada)

    html = search(client, q='"><b>x</b>')

    assert "<b>x" not in html
    assert "&quot;&gt;&lt;b&gt;x" in html


def test_people_find_pages_of_their_own_topics_only(
    client: Client, library: Library, store: IndexStore, ada: User, bob: User
) -> None:
    library.page(library.crawl("power", ada), "a", "Grid of Ada")
    library.page(library.crawl("secret", bob), "b", "Grid of Bob")
    library.page(library.crawl("nobody"), "c", "Grid of nobody")
    drain_all(60, store)
    client.force_login(ada)

    html = search(client, q="grid")

    assert "of Ada" in html
    assert "of Bob" not in html
    assert "of nobody" not in html
    assert "Secret" not in html
    assert "1 page in" in html


def test_a_shared_page_is_shown_as_the_own_topic_sees_it(
    client: Client, library: Library, store: IndexStore, ada: User, bob: User
) -> None:
    library.page(library.crawl("power", ada), "a", "Grid", score=0.11)
    library.page(library.crawl("secret", bob), "a", "Grid", score=0.99)
    drain_all(60, store)
    client.force_login(ada)

    html = search(client, q="grid")

    assert "0.11" in html
    assert "0.99" not in html


def test_the_topic_filter_narrows(
    client: Client, library: Library, store: IndexStore, ada: User
) -> None:
    library.page(library.crawl("power", ada), "a", "Grid one")
    library.page(library.crawl("chips", ada), "b", "Grid two")
    drain_all(60, store)
    client.force_login(ada)

    html = search(client, q="grid", topic="chips")

    assert "two" in html
    assert "one</a>" not in html
    assert '<option value="chips" selected>' in html


def test_the_topic_of_somebody_else_is_not_found(
    client: Client, library: Library, store: IndexStore, ada: User, bob: User
) -> None:
    library.crawl("secret", bob)
    client.force_login(ada)

    assert client.get(reverse("search"), {"q": "grid", "topic": "secret"}).status_code == 404


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, "All words must occur"),
        ({"q": "  "}, "All words must occur"),
        ({"q": "absent"}, "fits this search"),
        ({"q": "is:starred"}, "fits this search"),
        ({"q": "a OR"}, "At character 3"),
        ({"q": "x" * 300}, "256 characters"),
    ],
)
def test_the_page_says_what_holds(
    client: Client,
    library: Library,
    store: IndexStore,
    ada: User,
    parameters: dict[str, str],
    expected: str,
) -> None:
    library.page(library.crawl("power", ada), "a", "Grid")
    drain_all(60, store)
    client.force_login(ada)

    assert expected in search(client, **parameters)


def test_a_missing_index_is_said_to_be_under_way(
    client: Client, library: Library, store: IndexStore, ada: User
) -> None:
    library.crawl("power", ada)
    client.force_login(ada)

    assert "is being built" in search(client, q="grid")


def test_a_search_before_the_first_index_is_one_sentence_in_the_log(
    client: Client, store: IndexStore, ada: User, caplog: pytest.LogCaptureFixture
) -> None:
    client.force_login(ada)

    with caplog.at_level("INFO", logger="topics.pages"):
        search(client, q="grid")

    logged = [one for one in caplog.records if one.name.startswith("topics.pages")]
    assert [(one.getMessage(), one.exc_info) for one in logged] == [
        ("search: there is no search index yet; it has to be built", None)
    ]


def index_grids(library: Library, store: IndexStore, owner: User, n_pages: int) -> None:
    """Index so many pages with the word grid."""
    crawl = library.crawl("power", owner)
    for number in range(n_pages):
        library.page(crawl, str(number), f"Grid n{number:02}")
    drain_all(60, store)


def test_screens_follow_one_another_and_keep_the_query(
    client: Client, library: Library, store: IndexStore, ada: User
) -> None:
    index_grids(library, store, ada, 45)
    client.force_login(ada)

    screens = [search(client, q="grid", page=number) for number in (1, 2, 3)]

    shown = [f"n{n:02}" for html in screens for n in range(45) if f" n{n:02}" in html]
    assert len(shown) == len(set(shown)) == 45
    assert "45 pages in" in screens[1]
    assert "?q=grid&amp;page=3" in screens[1]
    assert "?q=grid&amp;page=1" in screens[1]


def test_a_screen_after_the_last_is_the_last(
    client: Client, library: Library, store: IndexStore, ada: User
) -> None:
    index_grids(library, store, ada, 25)
    client.force_login(ada)

    html = search(client, q="grid", page=40)

    assert "page 2 of 2" in html and "?q=grid&amp;page=1" in html
    assert len({n for n in range(25) if f" n{n:02}" in html}) == 5


@pytest.mark.parametrize("number", ["0", "-1", "x", "٣", "99999999999999999999", "51"])
def test_a_strange_screen_number_does_no_harm(
    client: Client, library: Library, store: IndexStore, ada: User, number: str
) -> None:
    library.page(library.crawl("power", ada), "a", "Grid")
    drain_all(60, store)
    client.force_login(ada)

    search(client, q="grid", page=number)


def test_a_stranger_is_sent_to_the_login(client: Client, db: None) -> None:
    assert client.get(reverse("search")).status_code == 302

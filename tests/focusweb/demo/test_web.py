"""Sources of a demo web are read strictly, and their markup is rendered safely."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from crawler.errors import ConfigurationError
from focusweb.demo.markup import plain_text, render_markup
from focusweb.demo.web import read_demo_web

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
SITE = "name: A & B\nlanguage: en\ntagline: All of it\n"
PAGE = "title: One <1>\nage_days: 2\n\nHello **there**.\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "a.demo.test"
    folder.mkdir()
    (folder / "site.txt").write_text(SITE, encoding="utf-8")
    (folder / "template.html").write_text(
        "$language|$title|$site|$tagline|$head|$byline|$body", encoding="utf-8"
    )
    (folder / "index.page").write_text(PAGE, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("markup", "html"),
    [
        ("", ""),
        ("one\ntwo", "<p>one two</p>"),
        ("## A\n\n### B", "<h2>A</h2>\n<h3>B</h3>"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>"),
        ("| a | b |", "<table>\n<tr><td>a</td><td>b</td></tr>\n</table>"),
        ("> said", "<blockquote><p>said</p></blockquote>"),
        ("see [it](/x?a=1&b=2)", '<p>see <a href="/x?a=1&amp;b=2">it</a></p>'),
        ("<b>&", "<p>&lt;b&gt;&amp;</p>"),
    ],
)
def test_markup_becomes_html(markup: str, html: str) -> None:
    assert render_markup(markup) == html


def test_plain_text_has_no_signs_and_no_addresses() -> None:
    text = plain_text("## A\n\n- see [the **page**](http://x.test/)\n\n| b | c |")

    assert text.split() == ["A", "see", "the", "page", "b", "c"]


def test_an_index_page_is_served_as_its_folder(site: Path) -> None:
    (site / "deep").mkdir()
    (site / "deep" / "index.page").write_text(PAGE, encoding="utf-8")
    (site / "deep" / "leaf.page").write_text(PAGE, encoding="utf-8")

    web = read_demo_web(site.parent, NOON)

    assert sorted(path for _, path in web.pages) == ["/", "/deep/", "/deep/leaf.html"]


def test_names_and_titles_are_escaped(site: Path) -> None:
    page = read_demo_web(site.parent, NOON).pages["a.demo.test", "/"]

    assert page.html.startswith(b"en|One &lt;1&gt;|A &amp; B|")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("index.page", "age_days: 2\n\nx", r"index.page, field title: is missing"),
        ("index.page", "title: x\n\nx", r"index.page, field age_days: is missing"),
        ("index.page", "title: x\nage_days: -1\n\nx", r"field age_days: .* got '-1'"),
        ("index.page", PAGE.replace("\n\n", "\ndate_in: moon\n\n"), r"field date_in: .*'moon'"),
        ("index.page", "title: x\nhello\n\nx", r"index.page line 2: .*'hello'"),
        ("site.txt", "name: x\ntagline: y\n", r"site.txt, field language: is missing"),
        ("site.txt", SITE + "feed: /feed.xml\n", r"field feed: the site has no articles"),
    ],
)
def test_a_wrong_source_is_named_by_file_and_field(
    site: Path, name: str, text: str, said: str
) -> None:
    (site / name).write_text(text, encoding="utf-8")

    with pytest.raises(ConfigurationError, match=said):
        read_demo_web(site.parent, NOON)


def test_a_folder_without_sites_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no demo web here"):
        read_demo_web(tmp_path, NOON)

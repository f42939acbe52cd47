"""Snapshots are read whole, and refused in one line that says what is wrong."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from crawler.page.parse import parse_page
from crawler.replay.parsed_snapshot import parse_snapshot
from crawler.replay.snapshot import (
    LabelRow,
    SnapshotLink,
    read_snapshot,
    snapshot_key,
)
from crawler.replay.snapshot_files import SnapshotError
from tests.crawler.page.article.test_site_frame import NOTICE
from tests.crawler.page.article.test_site_frame import page as report_page
from tests.crawler.small_snapshot import PAGES, TOPIC, write_pages, write_topics


def test_a_sound_snapshot_is_read_whole(snapshot_folder: Path) -> None:
    snapshot = read_snapshot(snapshot_folder)

    assert [page.html for page in snapshot.pages.values()] == ["<p>first</p>", "<p>第二</p>"]
    assert snapshot.links[0] == SnapshotLink("a.test/", "b.test/x%20y?q=1", "乙")
    assert snapshot.labels == {"a.test/": frozenset({"T", "T.U"})}
    assert snapshot.ontology[1] == LabelRow("T.U", "T", "U")
    assert snapshot.pages_with("T.U") == {"a.test/"}


def test_links_to_pages_that_are_not_held_are_kept(snapshot_folder: Path) -> None:
    targets = [link.target for link in read_snapshot(snapshot_folder).links]

    assert targets == ["b.test/x%20y?q=1", "elsewhere.test/", "mailto:nobody@a.test"]


@pytest.mark.parametrize(
    "url",
    ["http://b.test/x%20y?q=1", "https://B.test/x y?q=1#part", "https://b.test:443/x%20y?q=1"],
)
def test_a_page_is_found_under_every_spelling_of_its_url(snapshot_folder: Path, url: str) -> None:
    page = read_snapshot(snapshot_folder).pages.get(snapshot_key(url))

    assert page is not None
    assert page.title == "乙"


@pytest.mark.parametrize("url", ["http://b.test/", "http://a.test/?", "http://c.test/"])
def test_other_urls_are_not_held(snapshot_folder: Path, url: str) -> None:
    snapshot, key = read_snapshot(snapshot_folder), snapshot_key(url)

    assert key not in snapshot.pages
    assert key not in snapshot.labels


def test_http_and_https_are_one_here() -> None:
    assert snapshot_key("https://a.test") == snapshot_key("http://a.test/") == "a.test/"


def test_a_topic_keeps_its_seeds_as_keys_and_its_numbers(snapshot_folder: Path) -> None:
    topic = read_snapshot(snapshot_folder).get_topic("T")

    assert topic.seeds == ("a.test/",)
    assert topic.figures == {"pages": 1, "reachable": 1, "base_rate": 0.5}


def test_an_unknown_topic_is_answered_with_the_known_ones(snapshot_folder: Path) -> None:
    snapshot = read_snapshot(snapshot_folder)

    with pytest.raises(SnapshotError, match=r"no topic 'X'; it has T"):
        snapshot.get_topic("X")


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ({"html": None}, r"line 3: .*html"),
        ({"url": ...}, r"line 3: .*url"),
        ({"title": 7}, r"line 3: .*title"),
        ({"url": "https://a.test/"}, r"line 3, field url: 'https://a.test/' occurs twice"),
        ({"host": "other.test"}, r"line 3, field host: 'other.test'"),
    ],
)
def test_a_bad_page_is_named_by_line_and_field(
    snapshot_folder: Path, page: dict[str, Any], said: str
) -> None:
    bad = {"url": "http://c.test/", "host": "c.test", "title": "", "html": ""} | page
    if bad["url"] == "https://a.test/":
        bad["host"] = "a.test"
    kept = {name: value for name, value in bad.items() if value is not ...}
    write_pages(snapshot_folder, [json.dumps(entry) for entry in (*PAGES, kept)])

    _refuses(snapshot_folder, rf"pages.jsonl.gz {said}")


@pytest.mark.parametrize(
    "url", ["http://a.test:25/", "http://a.test./", "http://[::1/", "ftp://a.test/", "hello"]
)
def test_what_cannot_be_fetched_is_skipped_and_counted(snapshot_folder: Path, url: str) -> None:
    row = {"url": url, "host": "a.test", "title": "", "html": "<p>never</p>"}
    write_pages(snapshot_folder, [json.dumps(page) for page in (row, *PAGES)])
    for name in ("links", "labels"):
        with (snapshot_folder / f"{name}.tsv").open("a", encoding="utf-8") as file:
            file.write(f"{url}\thttp://a.test/\tx\n" if name == "links" else f"{url}\tT\n")
    topics = [TOPIC | {"seeds": [*TOPIC["seeds"], url]}, TOPIC | {"topic": "U", "seeds": [url]}]
    write_topics(snapshot_folder, topics)

    snapshot = read_snapshot(snapshot_folder)

    assert snapshot.skipped == {"pages": 1, "links": 1, "labels": 1, "seeds": 2, "topics": 1}
    assert list(snapshot.pages) == ["a.test/", "b.test/x%20y?q=1"]
    assert [(topic.name, topic.seeds) for topic in snapshot.topics] == [("T", ("a.test/",))]


def test_of_a_sound_snapshot_nothing_is_skipped(snapshot_folder: Path) -> None:
    assert read_snapshot(snapshot_folder).skipped == {}


def test_a_line_that_is_no_json_is_named(snapshot_folder: Path) -> None:
    write_pages(snapshot_folder, [json.dumps(PAGES[0]), '{"url": "http://b.te'])

    _refuses(snapshot_folder, r"pages.jsonl.gz line 2: not valid JSON")


@pytest.mark.parametrize("damage", ["truncated", "flipped", "not gzip", "missing", "empty"])
def test_damaged_pages_are_one_line(snapshot_folder: Path, damage: str) -> None:
    path = snapshot_folder / "pages.jsonl.gz"
    data = path.read_bytes()
    match damage:
        case "truncated":
            path.write_bytes(data[:-12])
        case "flipped":
            path.write_bytes(data[:40] + bytes([data[40] ^ 0xFF]) + data[41:])
        case "not gzip":
            path.write_bytes(b"hello")
        case "missing":
            path.unlink()
        case "empty":
            write_pages(snapshot_folder, [])

    _refuses(snapshot_folder, r"pages.jsonl.gz: (damaged gzip data|cannot be read|holds no pages)")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("links.tsv", "a\tb\tc\n", r"line 1: the header must be src_url, dst_url, anchor"),
        ("links.tsv", "src_url\tdst_url\tanchor\nx\ty\n", r"line 2, field anchor: 2 columns"),
        (
            "links.tsv",
            "src_url\tdst_url\tanchor\nhttp://c.test/\thttp://a.test/\t\n",
            r"line 2, field src_url: 'http://c.test/' is not a page",
        ),
        ("labels.tsv", "url\tlabel\n\nhttp://c.test/\tT\n", r"line 3, field url: 'http://c.test/'"),
        ("labels.tsv", "url\tlabel\nhttp://a.test/\tT\tU\n", r"line 2, field after label: 3"),
        ("ontology.tsv", "label\tparent\tname\nT\n", r"line 2, field parent: 1 columns"),
        ("topics.json", "[{]", r": not valid JSON"),
        ("topics.json", "{}", r": Expected `array`"),
    ],
)
def test_a_bad_row_is_named_by_line_and_field(
    snapshot_folder: Path, name: str, text: str, said: str
) -> None:
    (snapshot_folder / name).write_text(text, encoding="utf-8")

    _refuses(snapshot_folder, rf"{name}:? ?{said}")


@pytest.mark.parametrize("name", ["links.tsv", "labels.tsv", "ontology.tsv", "topics.json"])
def test_a_missing_file_is_named(snapshot_folder: Path, name: str) -> None:
    (snapshot_folder / name).unlink()

    _refuses(snapshot_folder, rf"{name}: cannot be read")


def test_a_file_in_another_encoding_is_named(snapshot_folder: Path) -> None:
    (snapshot_folder / "links.tsv").write_bytes("src_url\t电网".encode("gb18030"))

    _refuses(snapshot_folder, r"links.tsv: not UTF-8 at byte 8")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seeds": []}, r"topic 2, field seeds: 'U' has none"),
        ({"seeds": ["http://c.test/"]}, r"topic 2, field seeds: 'http://c.test/' is not a page"),
        ({"seeds": None}, r"topic 2: Expected `array`"),
        ({"topic": "T"}, r"topic 2, field topic: 'T' occurs twice"),
        ({"pages": 0, "reachable": 0}, r"topic 2, field reachable: 0 of 0 pages; a topic has at"),
        ({"pages": 3, "reachable": 4}, r"topic 2, field reachable: 4 of 3 pages"),
        ({"reachable": -1}, r"topic 2, field reachable: -1 of 1 pages"),
        ({"reachable": "many"}, r"topic 2: Expected `int`, got `str` - at `\$.reachable`"),
    ],
)
def test_a_bad_topic_is_named(snapshot_folder: Path, change: dict[str, Any], said: str) -> None:
    write_topics(snapshot_folder, [TOPIC, TOPIC | {"topic": "U"} | change])

    _refuses(snapshot_folder, rf"topics.json {said}")


def test_a_seed_that_is_named_twice_counts_once(snapshot_folder: Path) -> None:
    write_topics(snapshot_folder, [TOPIC | {"seeds": ["http://a.test/", "https://a.test/#top"]}])

    assert read_snapshot(snapshot_folder).get_topic("T").seeds == ("a.test/",)


def test_a_page_that_is_not_utf8_is_named(snapshot_folder: Path) -> None:
    with gzip.open(snapshot_folder / "pages.jsonl.gz", "wb") as stream:
        stream.write(json.dumps(PAGES[0]).encode() + b"\n")
        stream.write(
            b'{"url": "http://b.test/", "host": "b.test", "title": "\xb5\xe7", "html": ""}'
        )

    _refuses(snapshot_folder, r"pages.jsonl.gz line 2: not valid JSON")


BROKEN = {
    "an open tag": "<p>solar <a href='http://a.test/'",
    "no end": "<html><body><div><p><b>solar <i>cell<a href=//a.test/>first",
    "ends of nothing": "</p></div>solar</table></html></html>",
    "nested deep": "<div>" * 3000 + "solar",
    "controls": "solar \x00\x01\x1f cell",
    "a meta of another charset": "<meta charset=gb18030><p>太阳能电池</p>",
}


@pytest.mark.parametrize("html", BROKEN.values(), ids=BROKEN)
def test_broken_html_is_read_as_far_as_it_goes(snapshot_folder: Path, html: str) -> None:
    page = {"url": "http://c.test/", "host": "c.test", "title": "", "html": html}
    write_pages(snapshot_folder, [json.dumps(entry) for entry in (*PAGES, page)])

    pages = parse_snapshot(read_snapshot(snapshot_folder), n_processes=1)

    assert {"solar", "太阳能"} & set(pages["c.test/"].terms.vocabulary)


def test_a_page_without_anything_on_it_is_left_out(snapshot_folder: Path) -> None:
    page = {"url": "http://c.test/", "host": "c.test", "title": "", "html": " \n "}
    write_pages(snapshot_folder, [json.dumps(entry) for entry in (*PAGES, page)])

    pages = parse_snapshot(read_snapshot(snapshot_folder), n_processes=1)

    assert pages.keys() == {"a.test/", "b.test/x%20y?q=1"}


def test_links_and_canonical_urls_are_http_throughout(snapshot_folder: Path) -> None:
    html = "<link rel=canonical href=https://c.test/one><p>solar <a href=https://a.test/>a</a></p>"
    page = {"url": "https://c.test/", "host": "c.test", "title": "", "html": html}
    write_pages(snapshot_folder, [json.dumps(entry) for entry in (*PAGES, page)])

    parsed = parse_snapshot(read_snapshot(snapshot_folder), n_processes=1)["c.test/"]

    assert parsed.canonical == "http://c.test/one"
    assert [link.url for link in parsed.links] == ["http://a.test/"]


def _refuses(folder: Path, said: str) -> None:
    with pytest.raises(SnapshotError, match=said) as caught:
        read_snapshot(folder)
    assert "\n" not in str(caught.value)


def test_pages_of_a_snapshot_are_without_the_frame_of_their_site(snapshot_folder: Path) -> None:
    pages = [site_page(number, f"<p>{NOTICE}</p>") for number in range(6)]
    write_pages(snapshot_folder, [json.dumps(page) for page in (*PAGES, *pages)])

    parsed = parse_snapshot(read_snapshot(snapshot_folder), n_processes=1)

    for number in range(6):
        bare = parse_page(str(site_page(number)["html"]).encode(), "http://a.test/", "text/html")
        assert parsed[f"a.test/{number}"].terms == bare.terms


def site_page(number: int, before: str = "") -> dict[str, str]:
    """A row of a snapshot: one of many pages of a site."""
    url, markup = f"http://a.test/{number}", report_page(number, before=before)
    return {"url": url, "host": "a.test", "title": "", "html": markup}

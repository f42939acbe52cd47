"""A crawl's own pages become a snapshot that says what they said."""

import errno
from collections import Counter
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

from crawler.models import Crawl, Harvest, Page, Url
from crawler.page.parse import parse_page
from crawler.page.parsed import ParsedPage
from crawler.replay.export import CannotExport, export_snapshot, topic_label
from crawler.replay.parsed_snapshot import parse_snapshot
from crawler.replay.snapshot import read_snapshot
from crawler.replay.stored_crawl import (
    StoredCrawl,
    TooLittleStored,
    other_pages,
    read_stored_crawl,
)
from crawler.replay.stored_markup import page_markup
from crawler.store.labels import LabelledPage, save_labels
from tests.crawler.solar_web import SHAPES, crawl_shapes
from tests.crawler.web import NOON, PROFILE, SEED, SETTINGS


@pytest.fixture
def crawl(db: None) -> Crawl:
    """A crawl for solar cells that has fetched every page of its web."""
    crawl = Crawl(key="solar", first_seen=NOON)
    crawl.describe(PROFILE, SETTINGS)
    crawl.save()
    crawl_shapes(crawl)
    return crawl


@pytest.fixture
def stored(crawl: Crawl) -> StoredCrawl:
    return read_stored_crawl(crawl)


def parsed(url: str) -> ParsedPage:
    return parse_page(SHAPES[url].encode(), url, "text/html; charset=utf-8")


def words_around(page: ParsedPage) -> list[tuple[str, str, list[str], list[str]]]:
    """Each link's target and anchor, with the tokens of its anchor and its block."""
    return [
        (
            link.url,
            link.anchor,
            link.tokens,
            list(page.blocks[link.block]) if link.block >= 0 else [],
        )
        for link in page.links
    ]


@pytest.mark.parametrize("url", SHAPES)
def test_markup_of_a_parsed_page_is_parsed_to_the_same(url: str) -> None:
    page = parsed(url)

    again = parse_page(page_markup(page, page.text).encode(), url, "text/html; charset=utf-8")

    assert (again.title, again.text, again.language) == (page.title, page.text, page.language)
    assert Counter(again.terms.tokens()) == Counter(page.terms.tokens())
    # Links whose words are not of the article come last again.
    assert sorted(words_around(again)) == sorted(words_around(page))
    assert again.terms.n_title == page.terms.n_title


def test_markup_keeps_what_the_head_says() -> None:
    body = b"<title>t</title><link rel=canonical href=/one><meta name=robots content=noindex><p>x y"
    page = parse_page(body, "http://a.test/two")

    again = parse_page(page_markup(page, page.text, NOON).encode(), "http://a.test/two")

    assert (again.canonical, again.noindex) == ("http://a.test/one", True)
    assert [hint.text for hint in again.date_hints] == [NOON.isoformat()]


@pytest.mark.parametrize("text", ["<b>&amp;</b>", '"><script>alert(1)</script>', "a]]>b"])
def test_markup_in_a_text_stays_text(text: str) -> None:
    page = ParsedPage("http://a.test/", title=text)

    again = parse_page(page_markup(page, text).encode(), "http://a.test/")

    assert (again.title, again.text) == (text, text)


def test_a_stored_page_is_read_back_as_it_was_parsed(stored: StoredCrawl) -> None:
    for url in SHAPES:
        page, again = parsed(url), stored.pages[url.partition("://")[2]]
        assert (again.title, again.terms, again.language) == (page.title, page.terms, page.language)
        moved = {"http://hub.test/moved": "http://solar.test/panels"}
        assert words_around(again) == [
            (moved.get(link, link), *rest) for link, *rest in words_around(page)
        ]


def test_a_snapshot_reads_back_as_the_pages_that_were_fetched(
    stored: StoredCrawl, tmp_path: Path
) -> None:
    done = export_snapshot(stored, tmp_path / "solar")

    snapshot = read_snapshot(tmp_path / "solar")
    pages = parse_snapshot(snapshot, n_processes=1)
    assert pages.keys() == {url.partition("://")[2] for url in SHAPES}
    for key, page in pages.items():
        assert Counter(page.terms.tokens()) == Counter(stored.pages[key].terms.tokens())
        # By target: a link that was read twice because its old address moved stands once.
        assert sorted(words_around(page)) == sorted(words_around(stored.pages[key]))
    assert len(snapshot.links) == done.n_links
    (topic,) = snapshot.topics
    assert topic.name == "solar_cells"
    assert topic.seeds == ("hub.test/",)
    assert snapshot.pages_with("solar_cells") == stored.truth.relevant
    assert (topic.pages, topic.reachable) == (done.n_relevant, done.n_reachable)
    assert topic.figures["crawlable_pages"] == len(SHAPES)


def test_the_same_crawl_makes_the_same_bytes(stored: StoredCrawl, tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        export_snapshot(stored, folder)

    one, two = ({file.name: file.read_bytes() for file in f.iterdir()} for f in folders)

    assert one == two


def test_a_persons_word_stands_before_the_judges(crawl: Crawl) -> None:
    soup, cells = (
        Url.objects.get(url=url).pk
        for url in ("http://kitchen.test/soup", "http://solar.test/cells")
    )
    save_labels(
        crawl,
        [
            LabelledPage(True, 2.0, soup, decided=True),
            LabelledPage(False, 2.0, cells, decided=True),
        ],
    )

    relevant = read_stored_crawl(crawl).truth.relevant

    assert "kitchen.test/soup" in relevant
    assert "solar.test/cells" not in relevant
    assert "solar.test/roof/1" in relevant


def test_only_the_newest_pages_are_read_and_always_the_seeds(crawl: Crawl) -> None:
    stored = read_stored_crawl(crawl, max_pages=4)

    assert len(stored.pages) == 4
    assert "hub.test/" in stored.pages


def test_links_to_removed_sites_are_left_out(crawl: Crawl) -> None:
    Url.objects.filter(url="http://kitchen.test/soup").delete()

    page = read_stored_crawl(crawl).pages["solar.test/panels"]

    assert "http://kitchen.test/soup" not in [link.url for link in page.links]


def test_a_crawl_without_pages_says_what_is_missing(crawl: Crawl) -> None:
    Harvest.objects.update(kept=False)
    with pytest.raises(TooLittleStored, match="none of the fetched pages is kept"):
        read_stored_crawl(crawl)

    Page.objects.all().delete()
    with pytest.raises(TooLittleStored, match="no page of a seed has been fetched"):
        read_stored_crawl(crawl)


def test_pages_of_other_crawls_are_other_pages(crawl: Crawl) -> None:
    other = Crawl.objects.create(key="other", first_seen=NOON)

    assert other_pages(crawl) == []
    assert len(other_pages(other)) == len(SHAPES)


def test_a_folder_that_holds_something_is_not_written_to(
    stored: StoredCrawl, tmp_path: Path
) -> None:
    (tmp_path / "letter.txt").write_text("dear", "utf-8")

    with pytest.raises(CannotExport, match="holds something already; --overwrite"):
        export_snapshot(stored, tmp_path)
    export_snapshot(stored, tmp_path, overwrite=True)

    assert (tmp_path / "letter.txt").read_text("utf-8") == "dear"
    assert len(read_snapshot(tmp_path).pages) == len(SHAPES)


def test_a_full_disk_leaves_nothing_behind(stored: StoredCrawl, tmp_path: Path) -> None:
    def fill(n_pages: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(CannotExport, match=r"solar: cannot be written \(No space left"):
        export_snapshot(stored, tmp_path / "solar", progress=fill)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "label"),
    [("solar cells", "solar_cells"), ("Node.js / Deno", "Node_js_Deno"), ("光伏", "光伏")],
)
def test_a_name_becomes_a_label(name: str, label: str) -> None:
    assert topic_label(name) == label


def test_orders_are_evaluated_on_an_export(
    stored: StoredCrawl, tmp_path: Path, capsys: pytest.CaptureFixture[str], settings: Settings
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    export_snapshot(stored, tmp_path / "solar")

    call_command(
        "evaluate",
        str(tmp_path / "solar"),
        "--strategies",
        "best_first",
        "--judge",
        "cosine",
        "--processes",
        "1",
    )

    assert f"1 topics, {len(SHAPES)} pages" in capsys.readouterr().out


def test_the_seed_is_held(stored: StoredCrawl) -> None:
    assert stored.profile.seeds == (SEED,)

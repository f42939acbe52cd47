"""Measuring extractors on pages with gold."""

import gzip
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from crawler.lab.extraction import (
    ExtractionError,
    ExtractorOutput,
    GoldPage,
    evaluate_extractor,
    own_extract,
    precision_and_recall,
    read_gold,
)
from crawler.lab.extraction_references import all_text

TEXT = (
    "The ferry to the island sails every hour, and in summer every half an hour, says the harbour."
    " On board there is room for forty cars, a small shop, and a deck with a view of the seals.\n"
    "Tickets are sold at the pier, or on board if the pier is closed; dogs travel free of charge."
)
PAGE = (
    "<html><head><title>Ferry to the island | Port News</title>"
    '<meta property="article:published_time" content="2024-05-01T10:00:00+02:00"></head><body>'
    "<nav><a href='/a'>Home</a> <a href='/b'>Cars</a></nav><h1>Ferry to the island</h1><div>"
    + "".join(f"<p>{line}</p>" for line in TEXT.split("\n"))
    + "</div><footer>Port News reserves all rights, as ever.</footer></body></html>"
)
GOLD: list[dict[str, Any]] = [
    {"id": "a-1", "url": "http://port.test/ferry", "text": TEXT},
    {
        "id": "s-1",
        "url": "port::ferry.html",
        "title": "Ferry to the island",
        "date": "2024-05-01",
        "with": ["dogs travel  free", "room for forty cars"],
        "without": ["reserves all rights"],
    },
    # As people write an address, without its path.
    {"id": "z-1", "language": "en", "url": "http://port.test"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pages").mkdir()
    for gold in GOLD:
        (tmp_path / "pages" / f"{gold['id']}.html.gz").write_bytes(gzip.compress(PAGE.encode()))
    lines = "\n".join(map(json.dumps, GOLD))
    (tmp_path / "gold.jsonl").write_text(lines + "\n", encoding="utf-8")
    return tmp_path


def test_overlap_counts_runs_of_up_to_four_words() -> None:
    # Runs of "a b": a, b, "a b". Of "a c": a, c, "a c". One is shared.
    assert precision_and_recall("a b", "A c") == (1 / 3, 1 / 3)
    assert precision_and_recall("a b c d e", "a b c d e") == (1.0, 1.0)
    assert precision_and_recall("a a", "a") == (1 / 3, 1.0)
    assert precision_and_recall("", "a") == (0.0, 0.0)
    # The five words differ in the middle: of 14 runs only those without it agree.
    assert precision_and_recall("a b x d e", "a b c d e")[0] == pytest.approx(6 / 14)


def test_our_own_extractor_finds_what_the_gold_says(folder: Path) -> None:
    found = evaluate_extractor(own_extract, read_gold(folder))

    assert (found.n_pages, found.wanted, found.unwanted) == (3, 1.0, 0.0)
    assert (found.titles, found.dates, found.dates_said) == (1.0, 1.0, 1.0)
    assert found.recall == 1.0
    assert found.precision is not None and found.precision > 0.9  # The heading stays.


def test_all_text_keeps_the_frame(folder: Path) -> None:
    found = evaluate_extractor(all_text, read_gold(folder))

    assert (found.wanted, found.unwanted, found.titles) == (1.0, 1.0, 0.0)
    assert found.dates is None


def test_what_an_extractor_does_not_look_for_is_not_counted(folder: Path) -> None:
    found = evaluate_extractor(lambda page: ExtractorOutput(date=""), read_gold(folder))

    assert (found.f1, found.f1_low, found.wanted, found.titles) == (None, None, None, None)
    assert (found.dates, found.dates_said) == (0.0, None)


def test_the_interval_holds_the_mean_and_comes_from_the_seed() -> None:
    pages = [GoldPage(str(n), b"", text="one two three") for n in range(20)]
    texts = iter(["one two three", "one two", "four"] * 20)

    found = evaluate_extractor(lambda page: ExtractorOutput(next(texts)), pages, seed=3)

    assert found.f1 is not None and found.f1_low is not None and found.f1_high is not None
    assert found.f1_low < found.f1 < found.f1_high


def test_a_page_without_text_is_measured_as_empty() -> None:
    found = evaluate_extractor(own_extract, [GoldPage("1", b"<p>", text="one two")])

    assert (found.precision, found.recall, found.f1) == (0.0, 0.0, 0.0)


def test_the_command_prints_and_writes_the_figures(folder: Path, tmp_path: Path) -> None:
    out, file = StringIO(), tmp_path / "out" / "figures.json"

    call_command("evaluate_extraction", str(folder), "--own", "--json", str(file), stdout=out)

    data: dict[str, Any] = json.loads(file.read_text())
    assert data["half"] == "both"
    assert data["extractors"]["article"]["wanted"] == 1.0
    assert "article" in out.getvalue() and "trafilatura" not in out.getvalue()


def test_the_halves_share_no_page(folder: Path, tmp_path: Path) -> None:
    counts = []
    for half in ("first", "second"):
        file = tmp_path / f"{half}.json"
        try:
            call_command(
                "evaluate_extraction",
                str(folder),
                "--own",
                "--half",
                half,
                "--json",
                str(file),
                stdout=StringIO(),
            )
        except CommandError:
            counts.append(0)  # Of three pages all may be in one half.
        else:
            counts.append(json.loads(file.read_text())["extractors"]["article"]["n_pages"])

    assert sum(counts) == len(GOLD)


@pytest.mark.parametrize(
    "body",
    [b"no gzip", gzip.compress(b"cut")[:-9], b"\x1f\x8b\x08" + 30 * b"x"],
    # Compressed data hold the time, and each process that runs tests must name them alike.
    ids=["another format", "a file that was cut", "a head alone"],
)
def test_a_page_whose_file_is_damaged_is_named(folder: Path, body: bytes) -> None:
    (folder / "gold.jsonl").write_text('{"id": "one"}')
    (folder / "pages" / "one.html.gz").write_bytes(body)

    with pytest.raises(ExtractionError, match=r"one\.html\.gz: damaged gzip data"):
        read_gold(folder)


@pytest.mark.parametrize("line", ["{}", "[]", "nothing", '{"id": "gone"}'])
def test_a_folder_that_cannot_be_read_is_named(folder: Path, line: str) -> None:
    (folder / "gold.jsonl").write_text(line)

    with pytest.raises(ExtractionError):
        read_gold(folder)
    with pytest.raises(CommandError):
        call_command("evaluate_extraction", str(folder))

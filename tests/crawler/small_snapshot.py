"""A sound web snapshot of two pages on two hosts, written to a folder."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PAGES: tuple[dict[str, Any], ...] = (
    {"url": "http://a.test/", "host": "a.test", "title": "A", "html": "<p>first</p>"},
    {"url": "https://b.test/x%20y?q=1", "host": "b.test", "title": "乙", "html": "<p>第二</p>"},
)
TOPIC: dict[str, Any] = {
    "topic": "T",
    "seeds": ["https://a.test/"],
    "pages": 1,
    "reachable": 1,
    "base_rate": 0.5,
    "set": "dev",
}
LINKS = (
    "src_url\tdst_url\tanchor\n"
    "http://a.test/\thttp://b.test/x%20y?q=1\t乙\n"
    "http://a.test/\thttp://elsewhere.test/\t\n"
    "http://a.test/\tmailto:nobody@a.test\tpost\n"
)


def write_snapshot(folder: Path) -> None:
    """Write all five files."""
    write_pages(folder, [json.dumps(page) for page in PAGES])
    (folder / "links.tsv").write_text(LINKS, encoding="utf-8")
    (folder / "labels.tsv").write_text(
        "url\tlabel\nhttp://a.test/\tT\nhttp://a.test/\tT.U\n", encoding="utf-8"
    )
    (folder / "ontology.tsv").write_text(
        "label\tparent\tname\nT\t\tT\nT.U\tT\tU\n", encoding="utf-8"
    )
    write_topics(folder, [TOPIC])


def write_pages(folder: Path, lines: Sequence[str]) -> None:
    """Write lines as the snapshot's pages."""
    with gzip.open(folder / "pages.jsonl.gz", "wt", encoding="utf-8") as stream:
        stream.write("\n".join(lines) + "\n")


def write_topics(folder: Path, topics: Sequence[dict[str, Any]]) -> None:
    """Write the snapshot's topics."""
    (folder / "topics.json").write_text(json.dumps(topics), encoding="utf-8")

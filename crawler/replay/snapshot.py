"""Reading a web snapshot: linked pages with labels, to crawl without a network.

The format is documented in `docs/demo.md`: `pages.jsonl.gz`, `links.tsv`,
`labels.tsv`, `ontology.tsv` and `topics.json` in one folder.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

from crawler.errors import FetchError
from crawler.page.url import canonical_url, host_of
from crawler.replay.snapshot_files import (
    SnapshotError,
    decode_json,
    file_bytes,
    gzip_lines,
    tab_separated,
)

PAGES_FILE: Final = "pages.jsonl.gz"
LINKS_FILE: Final = "links.tsv"
LABELS_FILE: Final = "labels.tsv"
ONTOLOGY_FILE: Final = "ontology.tsv"
TOPICS_FILE: Final = "topics.json"


@dataclass(frozen=True, slots=True)
class SnapshotPage:
    """A page held by the snapshot. `body` is its HTML as UTF-8 bytes."""

    url: str
    host: str
    title: str
    body: bytes

    @property
    def html(self) -> str:
        """The HTML, decoded on each access."""
        return self.body.decode("utf-8")


@dataclass(frozen=True, slots=True)
class SnapshotLink:
    """A link from a held page; `target` may be a key that is not held."""

    source: str
    target: str
    anchor: str


@dataclass(frozen=True, slots=True)
class SnapshotTopic:
    """A topic to be found again: its label, seeds (keys) and figures.

    `reachable` is the denominator of recall: how many of the topic's `pages`
    can be reached from the seeds at all.
    """

    name: str
    seeds: tuple[str, ...]
    pages: int
    reachable: int
    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A label of the label tree; `parent` is empty at the top."""

    label: str
    parent: str
    name: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A whole web snapshot. Pages are known by their `snapshot_key`."""

    folder: Path
    pages: Mapping[str, SnapshotPage]
    links: tuple[SnapshotLink, ...]
    labels: Mapping[str, frozenset[str]]
    topics: tuple[SnapshotTopic, ...]
    ontology: tuple[LabelRow, ...]
    #: How many pages, links, labels, seeds and topics were skipped: no address of theirs is one
    #: that a crawl may fetch.
    skipped: Mapping[str, int] = field(default_factory=dict)

    def pages_with(self, label: str) -> frozenset[str]:
        """Return the keys of all pages that carry a label."""
        return frozenset(key for key, labels in self.labels.items() if label in labels)

    def get_topic(self, name: str) -> SnapshotTopic:
        """Return a topic by its label, SnapshotError if there is none."""
        for topic in self.topics:
            if topic.name == name:
                return topic
        known = ", ".join(topic.name for topic in self.topics[:5])
        raise SnapshotError(f"{self.folder / TOPICS_FILE}: no topic {name!r}; it has {known} ...")


def snapshot_key(url: str) -> str:
    """Return the canonical URL without its scheme, as http and https are one here.

    Raises
    ------
    FetchError
        If it is not an http(s) URL.
    """
    return canonical_url(url).partition("://")[2]


def read_snapshot(folder: Path) -> Snapshot:
    """Read a web snapshot from its folder.

    Raises
    ------
    SnapshotError
        On the first error, naming file, line and field: a file is missing, gzip data is damaged, or
        JSON or a row lacks a field. Also if a URL occurs twice, or a row names a page that is not
        held. Links *to* pages that are not held are part of the web, and kept.

    Notes
    -----
    Some URLs may not be fetched by any crawl: they do not parse, name a forbidden port, or their
    host ends in a dot. Such a page is skipped and counted, with its links and labels, as a seed,
    and a topic without other seeds.
    """
    skipped: Counter[str] = Counter()
    pages = _read_pages(folder / PAGES_FILE, skipped)
    return Snapshot(
        folder=folder,
        pages=pages,
        links=_read_links(folder / LINKS_FILE, pages, skipped),
        labels=_read_labels(folder / LABELS_FILE, pages, skipped),
        topics=_read_topics(folder / TOPICS_FILE, pages, skipped),
        ontology=_read_ontology(folder / ONTOLOGY_FILE),
        skipped={name: n for name, n in skipped.items() if n},
    )


class _PageRow(msgspec.Struct):
    url: str
    host: str
    title: str
    html: str


class _TopicRow(msgspec.Struct):
    topic: str
    seeds: list[str]
    pages: int
    reachable: int


def _read_pages(path: Path, skipped: Counter[str]) -> dict[str, SnapshotPage]:
    decoder = msgspec.json.Decoder(_PageRow)
    pages: dict[str, SnapshotPage] = {}
    for number, line in gzip_lines(path):
        where = f"{path} line {number}"
        row = decode_json(decoder, line, where)
        if not _is_readable(row.url):
            skipped["pages"] += 1
            continue
        key, host = snapshot_key(row.url), host_of(canonical_url(row.url))
        if row.host != host:
            raise SnapshotError(f"{where}, field host: {row.host!r}, but the URL says {host!r}")
        if key in pages:
            raise SnapshotError(f"{where}, field url: {row.url!r} occurs twice")
        pages[key] = SnapshotPage(row.url, host, row.title, row.html.encode("utf-8"))
    if not pages:
        raise SnapshotError(f"{path}: holds no pages")
    return pages


def _read_links(
    path: Path, pages: Mapping[str, SnapshotPage], skipped: Counter[str]
) -> tuple[SnapshotLink, ...]:
    # Most URLs occur many times, and parsing a URL again is the cost here.
    key = lru_cache(maxsize=65536)(_link_target)
    links = []
    for number, (source, target, anchor) in tab_separated(path, ("src_url", "dst_url", "anchor")):
        source_key = key(source)
        if source_key not in pages:
            if not _is_readable(source):
                skipped["links"] += 1
                continue
            raise _not_held(f"{path} line {number}", "src_url", source)
        links.append(SnapshotLink(source_key, key(target), anchor))
    return tuple(links)


def _read_labels(
    path: Path, pages: Mapping[str, SnapshotPage], skipped: Counter[str]
) -> dict[str, frozenset[str]]:
    labels: dict[str, set[str]] = {}
    for number, (url, label, *_) in tab_separated(path, ("url", "label")):
        if not _is_readable(url):
            skipped["labels"] += 1
            continue
        key = snapshot_key(url)
        if key not in pages:
            raise _not_held(f"{path} line {number}", "url", url)
        labels.setdefault(key, set()).add(label)
    return {key: frozenset(found) for key, found in labels.items()}


def _read_ontology(path: Path) -> tuple[LabelRow, ...]:
    return tuple(LabelRow(*row) for _, row in tab_separated(path, ("label", "parent", "name")))


def _read_topics(
    path: Path, pages: Mapping[str, SnapshotPage], skipped: Counter[str]
) -> tuple[SnapshotTopic, ...]:
    entries = decode_json(msgspec.json.Decoder(list[msgspec.Raw]), file_bytes(path), str(path))
    decoder = msgspec.json.Decoder(_TopicRow)
    topics: dict[str, SnapshotTopic] = {}
    for number, raw in enumerate(entries, start=1):
        where = f"{path} topic {number}"
        row = decode_json(decoder, raw, where)
        if row.topic in topics:
            raise SnapshotError(f"{where}, field topic: {row.topic!r} occurs twice")
        if not row.seeds:
            raise SnapshotError(f"{where}, field seeds: {row.topic!r} has none; give at least one")
        if not 0 <= row.reachable <= row.pages or not row.pages:
            raise SnapshotError(
                f"{where}, field reachable: {row.reachable} of {row.pages} pages; a topic has at"
                " least 1 page, and at most those can be reached"
            )
        seeds = [url for url in row.seeds if _is_readable(url)]
        skipped["seeds"] += len(row.seeds) - len(seeds)
        if not seeds:
            skipped["topics"] += 1
            continue
        topics[row.topic] = SnapshotTopic(
            name=row.topic,
            seeds=tuple(dict.fromkeys(_held_key(url, pages, where) for url in seeds)),
            pages=row.pages,
            reachable=row.reachable,
            figures=_figures(raw),
        )
    return tuple(topics.values())


def _figures(raw: msgspec.Raw) -> dict[str, float]:
    """Keep every number a topic states about itself (base rate, hops ...)."""
    fields = msgspec.json.decode(raw, type=dict[str, object])
    return {name: float(value) for name, value in fields.items() if isinstance(value, int | float)}


def _held_key(url: str, pages: Mapping[str, SnapshotPage], where: str) -> str:
    key = snapshot_key(url)
    if key not in pages:
        raise _not_held(where, "seeds", url)
    return key


def _not_held(where: str, name: str, url: str) -> SnapshotError:
    return SnapshotError(f"{where}, field {name}: {url!r} is not a page of {PAGES_FILE}")


def _is_readable(url: str) -> bool:
    """True if a crawl may fetch the URL under this very host."""
    try:
        return not (urlsplit(url).hostname or "").endswith(".") and bool(canonical_url(url))
    except (FetchError, ValueError):
        return False


def _link_target(url: str) -> str:
    """Return the key of a link's end; a text that is not a URL stays as it is, never held."""
    try:
        return snapshot_key(url)
    except FetchError:
        return url

"""Write a crawl's own pages as a web snapshot, so that strategies can be tried on it."""

import gzip
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import mkdtemp
from typing import Any

from crawler.errors import CrawlError
from crawler.models import Page
from crawler.models.bulk import chunks
from crawler.replay.metrics import host_of_key
from crawler.replay.oracle import followable_links
from crawler.replay.snapshot import (
    LABELS_FILE,
    LINKS_FILE,
    ONTOLOGY_FILE,
    PAGES_FILE,
    TOPICS_FILE,
)
from crawler.replay.stored_crawl import PAGES_AT_ONCE, StoredCrawl
from crawler.replay.stored_markup import page_markup

FILES = (PAGES_FILE, LINKS_FILE, LABELS_FILE, ONTOLOGY_FILE, TOPICS_FILE)


class CannotExport(CrawlError):
    """A snapshot cannot be written; its text says where and why."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written."""

    n_pages: int
    n_links: int
    n_relevant: int
    n_reachable: int


def export_snapshot(
    stored: StoredCrawl,
    folder: Path,
    *,
    overwrite: bool = False,
    progress: Callable[[int], object] = lambda n: None,
) -> Exported:
    """Write the five files of a snapshot; they are in place together, or none is.

    Parameters
    ----------
    folder : Path
        Made if it is not there. One that holds anything is only written to with
        `overwrite`, and what else lies in it stays.
    progress : callable, optional
        Called with the number of pages written since the last call.

    Raises
    ------
    CannotExport
        If the folder holds something, or cannot be written.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise CannotExport(f"{folder}: is a file; name a folder")
        if not overwrite and folder.exists() and any(folder.iterdir()):
            raise CannotExport(f"{folder}: holds something already; --overwrite replaces it")
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(mkdtemp(prefix=f".{folder.name}.unfinished-", dir=folder.parent))
        try:
            exported = _write_all(stored, beside, progress)
            _put_in_place(beside, folder)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise CannotExport(f"{folder}: cannot be written ({error.strerror})") from error
    return exported


def topic_label(name: str) -> str:
    """A topic's name as a label that reads as the same name: dots and slashes part labels."""
    return "_".join(name.replace("/", " ").replace(".", " ").split()) or "topic"


def _put_in_place(beside: Path, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name in FILES:
        os.replace(beside / name, folder / name)


def _write_all(stored: StoredCrawl, beside: Path, progress: Callable[[int], object]) -> Exported:
    label = topic_label(stored.profile.name)
    _write_pages(stored, beside / PAGES_FILE, progress)
    links = [
        (f"http://{key}", link.url, link.anchor)
        for key, page in stored.pages.items()
        for link in page.links
    ]
    labels = [(f"http://{key}", label) for key in stored.pages if key in stored.truth.relevant]
    _write_rows(beside / LINKS_FILE, ("src_url", "dst_url", "anchor"), links)
    _write_rows(beside / LABELS_FILE, ("url", "label"), labels)
    _write_rows(beside / ONTOLOGY_FILE, ("label", "parent", "name"), _label_tree(stored, label))
    topic = {"topic": label, "seeds": list(stored.profile.seeds), **figures(stored)}
    text = json.dumps([topic], ensure_ascii=False, indent=1)
    (beside / TOPICS_FILE).write_text(text, encoding="utf-8")
    truth = stored.truth
    return Exported(len(stored.pages), len(links), len(truth.relevant), truth.reachable)


def _write_pages(stored: StoredCrawl, path: Path, progress: Callable[[int], object]) -> None:
    # Without a date in its head, the same pages make the same bytes.
    with path.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as stream:
        for keys in chunks(list(stored.pages), PAGES_AT_ONCE):
            numbers = [stored.numbers[key] for key in keys]
            rows = {page.pk: page for page in Page.objects.filter(pk__in=numbers)}
            if len(rows) < len(keys):
                raise CannotExport("a site was removed while its pages were written; export again")
            for key in keys:
                stream.write(_page_line(key, stored, rows[stored.numbers[key]]))
            progress(len(keys))


def _page_line(key: str, stored: StoredCrawl, row: Page) -> bytes:
    page = stored.pages[key]
    entry = {
        "url": f"http://{key}",
        "host": host_of_key(key).partition(":")[0],
        "title": page.title,
        "html": page_markup(page, row.text, row.published),
    }
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"


def _write_rows(path: Path, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for row in (header, *rows):
            stream.write("\t".join(" ".join(cell.split()) for cell in row) + "\n")


def _label_tree(stored: StoredCrawl, label: str) -> Iterator[tuple[str, str, str]]:
    """The topic, and below it its concepts: what its ontologies add."""
    yield label, "", stored.profile.name
    for number, concept in enumerate(stored.profile.concepts, start=1):
        yield f"{label}.{number}", label, concept.text


def figures(stored: StoredCrawl) -> Mapping[str, Any]:
    """Return the description of a topic.

    `pages` and `reachable` are the topic's pages, and those of them to which links lead
    from the seeds; `crawlable_pages` are all pages to which they lead. `tunnel_share` is
    the share of the reachable that only links through other pages lead to,
    `median_hops` how many links it takes.
    """
    truth, graph = stored.truth, followable_links(stored.pages)
    hops = _hops(graph, truth.seeds)
    found = truth.relevant & hops.keys()
    inside = {key: [t for t in graph[key] if t in truth.relevant] for key in truth.relevant}
    direct = found & _hops(inside, truth.seeds & truth.relevant).keys()
    way = [hops[key] for key in found if hops[key]]
    return {
        "pages": truth.size,
        "reachable": truth.reachable,
        "crawlable_pages": len(hops),
        "tunnel_share": round(1 - len(direct) / len(found), 3) if found else 0.0,
        "median_hops": median(way) if way else 0,
        "hosts": len({host_of_key(key) for key in truth.relevant}),
        "base_rate": round(truth.size / len(stored.pages), 4),
    }


def _hops(graph: Mapping[str, Iterable[str]], seeds: Iterable[str]) -> dict[str, int]:
    """How many links lead from the seeds to each page that they lead to."""
    hops = dict.fromkeys(seeds, 0)
    waiting = list(hops)
    for key in waiting:
        for target in graph.get(key, ()):
            if target not in hops:
                hops[target] = hops[key] + 1
                waiting.append(target)  # the loop goes on over it
    return hops

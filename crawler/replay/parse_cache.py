"""Parsed snapshots on disk, so that the second evaluation of a snapshot starts in seconds."""

import hashlib
import logging
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec

import crawler.page
import crawler.text
from crawler.page.parsed import ParsedPage
from crawler.replay.snapshot import PAGES_FILE, Snapshot

logger = logging.getLogger(__name__)

#: Libraries that decide what a page's tokens and links are.
_LIBRARIES = (
    *("ada-url", "charset-normalizer", "lxml", "opencc", "pypdfium2", "pystemmer"),
    *("rjieba", "stopwordsiso", "tldextract"),
)


def cache_file(snapshot: Snapshot, folder: Path) -> Path:
    """Where a snapshot's parsed pages are kept.

    The name holds a digest of the pages and of everything that parses them, our own
    code included, so that a changed tokenizer never meets old tokens.
    """
    digest = hashlib.sha256()
    with (snapshot.folder / PAGES_FILE).open("rb") as stream:
        digest.update(hashlib.file_digest(stream, "sha256").digest())
    for path in parsing_code():
        digest.update(path.read_bytes())
    digest.update(" ".join(f"{name} {version(name)}" for name in _LIBRARIES).encode())
    return folder / f"snapshot-{digest.hexdigest()[:32]}.msgpack"


def parsing_code() -> list[Path]:
    """Return our own modules that decide what is parsed from a page."""
    folders = [Path(package.__path__[0]) for package in (crawler.page, crawler.text)]
    return [path for folder in folders for path in sorted(folder.rglob("*.py"))]


def load_pages(path: Path) -> dict[str, ParsedPage] | None:
    """Read parsed pages, or None if there are none or they are damaged."""
    try:
        return msgspec.msgpack.decode(path.read_bytes(), type=dict[str, ParsedPage])
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        logger.warning("%s is damaged (%s); the snapshot is parsed again", path, error)
        return None


def save_pages(path: Path, pages: Mapping[str, ParsedPage]) -> None:
    """Keep parsed pages; a reader sees all of them or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix="unfinished-", delete=False) as file:
        file.write(msgspec.msgpack.encode(pages))
    Path(file.name).replace(path)

"""Any file of the index may be cut, changed or gone: searches answer right or say so (F13)."""

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.topics.search.conftest import Library
from tests.topics.search.test_golden_queries import TEXTS
from topics.pages.search_results import find_pages
from topics.search import checksums
from topics.search.errors import IndexUnusableError
from topics.search.outbox import drain_all, rebuild
from topics.search.store import IndexStore

QUERIES = (
    "农业银行",
    "深度学习",
    "电网 调度",
    "crawler",
    "power flow",
    '"its own cache"',
    "the",
    "王",
)
Damage = Callable[[random.Random, Path], None]


def flip(rng: random.Random, file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    file.write_bytes(data)


def cut(rng: random.Random, file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: rng.randrange(len(data))])


def delete(rng: random.Random, file: Path) -> None:
    file.unlink()


def overwrite(rng: random.Random, file: Path) -> None:
    file.write_bytes(rng.randbytes(rng.randrange(1, 5_000)))


def answers(store: IndexStore) -> list[list[int]]:
    """The pages each query finds, and their order."""
    return [
        [found.harvest.url_id for found in find_pages(text, None, store=store).pages]
        for text in QUERIES
    ]


def answers_or_refusal(store: IndexStore) -> list[list[int]] | None:
    try:
        return answers(store)
    except IndexUnusableError:
        return None


def fill(library: Library, store: IndexStore) -> list[list[int]]:
    """An index of several segments with some deleted rows; what it finds."""
    crawl = library.crawl("power")
    for number, (title, text) in TEXTS.items():
        page = library.page(crawl, str(number), title, text)
        if number % 7 == 0:
            drain_all(60, store)
            library.queue(page)
    drain_all(60, store)
    return answers(store)


def damage_again_and_again(library: Library, store: IndexStore, *, n: int, seed: int) -> int:
    """Spoil a random file `n` times; each time searches stay right or refuse, and it heals."""
    rng, wanted = random.Random(seed), fill(library, store)
    assert all(wanted)
    n_noticed = 0
    for number in range(n):
        damage: Damage = rng.choice((flip, flip, flip, cut, delete, overwrite))
        folder = (store.root / "current").resolve()
        victim = rng.choice([file for file in sorted(folder.iterdir()) if file.stat().st_size])
        damage(rng, victim)
        progress = f"{number}: {damage.__name__} {victim.name}"

        found = answers_or_refusal(store)
        n_noticed += found is None
        # The order of equal pages is by segment: compared are the pages.
        assert found is None or _sets(found) == _sets(wanted), progress

        drain_all(60, store)
        assert _sets(answers(store)) == _sets(wanted), progress
        assert store.trouble() == "", progress
    return n_noticed


def _sets(found: list[list[int]]) -> list[set[int]]:
    return [set(some) for some in found]


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # Whoosh leaves a damaged file open.
def test_f13_damage_is_noticed_at_once_or_harmless_and_healed(
    library: Library, store: IndexStore
) -> None:
    assert damage_again_and_again(library, store, n=16, seed=13) > 8


@pytest.mark.torture
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_f13_a_thousand_damages_are_noticed_at_once_or_harmless_and_healed(
    library: Library, store: IndexStore
) -> None:
    assert damage_again_and_again(library, store, n=1000, seed=1000) > 500


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_changed_byte_is_noticed_whatever_the_clock_says(
    library: Library, store: IndexStore
) -> None:
    """A disk that rots changes no times: the check before each commit reads every byte."""
    fill(library, store)
    folder = (store.root / "current").resolve()
    victim = max(folder.glob("*.pst"), key=lambda file: file.stat().st_size)
    times = victim.stat().st_atime_ns, victim.stat().st_mtime_ns
    flip(random.Random(1), victim)
    os.utime(victim, ns=times)

    assert "was changed from outside" in store.trouble()


def test_searches_are_answered_while_an_index_is_built_beside(
    library: Library, store: IndexStore
) -> None:
    wanted, seen = fill(library, store), []

    rebuild(store, progress=lambda n_pages: seen.append(answers(store)))

    assert seen
    assert all(_sets(found) == _sets(wanted) for found in seen)


def test_a_copy_of_the_index_is_still_good(library: Library, store: IndexStore) -> None:
    """Restored files have other times, and the same bytes."""
    wanted = fill(library, store)
    folder = (store.root / "current").resolve()
    for file in folder.iterdir():
        data = file.read_bytes()
        file.unlink()
        file.write_bytes(data)

    assert _sets(answers(store)) == _sets(wanted)
    assert store.trouble() == ""


def test_files_without_a_sum_are_taken_as_they_are(tmp_path: Path) -> None:
    """A process may die after its commit and before the sums are written."""
    (tmp_path / "a").write_bytes(b"one")
    checksums.record(tmp_path, ["a"])
    (tmp_path / "b").write_bytes(b"two")
    (tmp_path / "gone").write_bytes(b"three")

    assert checksums.altered(tmp_path, thorough=True) == ""

    (tmp_path / "a").write_bytes(b"0ne")
    checksums.record(tmp_path, ["a", "b"])
    assert checksums.altered(tmp_path) == "a", "a known sum is not written again"


@pytest.mark.parametrize(
    "text", ["", "[]", '{"sums": {"a": 1}}', '{"sums": {"a": [1, 2]}}', "{}", "\0"]
)
def test_sums_that_cannot_be_read_are_damage(tmp_path: Path, text: str) -> None:
    (tmp_path / checksums.NAME).write_text(text)

    assert checksums.altered(tmp_path) == checksums.NAME

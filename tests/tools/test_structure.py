"""The structure tool counts lines, imports and rings of a small checkout made here."""

from pathlib import Path

import pytest

from tools import structure


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two packages that import each other, one that neither imports, and a migration."""
    files = {
        "crawler/__init__.py": "",
        "crawler/errors.py": "class CrawlError(Exception): ...\n",
        "crawler/page/__init__.py": "",
        "crawler/page/url.py": "from crawler.errors import CrawlError\nimport re\n",
        "crawler/store/__init__.py": "",
        "crawler/store/rows.py": "from crawler.page import url\nfrom topics.pages import news\n",
        "crawler/migrations/__init__.py": "",
        "crawler/migrations/0001_initial.py": "from topics.pages import news\n" * 50,
        "crawler/lab/__init__.py": "",
        "crawler/lab/replay.py": "import crawler.store.rows\n",
        "topics/__init__.py": "",
        "topics/pages/__init__.py": "",
        "topics/pages/news.py": "def f():\n    from crawler.store.rows import x\n",
        "bench/run.py": "\n\n\n",
        "tests/test_x.py": "\n",
    }
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def test_lines_are_counted_apart_and_without_migrations(root: Path) -> None:
    measured = structure.measure(root)

    assert (measured.product_lines, measured.lab_lines) == (7, 1)
    assert (measured.bench_lines, measured.test_lines) == (3, 1)
    assert (measured.modules, measured.packages) == (11, 4)


def test_lines_are_counted_by_package(root: Path) -> None:
    counted = structure.lines_by_package(root)

    assert counted["crawler.page"] == counted["crawler.store"] == counted["topics.pages"] == 2
    assert counted["crawler"] == 1 and "crawler.migrations" not in counted


def test_imports_inside_functions_count_and_foreign_ones_do_not(root: Path) -> None:
    measured = structure.measure(root)

    assert measured.module_arrows == 5
    assert measured.package_arrows == 5


def test_packages_that_import_each_other_are_named(root: Path) -> None:
    measured = structure.measure(root)

    assert measured.mutual == ["crawler.store <-> topics.pages"]
    assert measured.largest_ring == ["crawler.store", "topics.pages"]


def test_a_long_ring_is_found_and_a_chain_is_none() -> None:
    chain = {("a", "b"), ("b", "c")}

    assert structure.largest_ring(chain) == []
    assert structure.mutual_pairs(chain) == []
    assert structure.largest_ring(chain | {("c", "a")}) == ["a", "b", "c"]


def test_the_figures_are_printed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert structure.main([str(root)]) == 0

    printed = capsys.readouterr().out
    assert "crawler.store <-> topics.pages" in printed
    assert "product lines" in printed

"""The rules of the house, read from the code itself."""

import re
import subprocess
from pathlib import Path

import pytest

from tests import import_rules

ROOT = Path(__file__).resolve().parent.parent
MODULES = import_rules.modules_of(ROOT)

# The brackets keep these lines from finding themselves.
MACHINE_PATHS = r"(?<![\w.~/-])/(?:[w]ork|[f]arm|[r]oot|[h]ome/\w+|[U]sers/\w+)/"
REGISTRIES = r"deb[.]debian|python[h]osted|registry[.]npmjs|pypi[.]org"


def test_every_module_is_in_a_row_and_imports_point_down() -> None:
    assert list(import_rules.row_violations(MODULES)) == []


def test_the_crawler_never_imports_topics_and_imports_are_absolute() -> None:
    assert list(import_rules.side_violations(MODULES)) == []


def test_topics_imports_the_public_interface_of_the_crawler_only() -> None:
    assert list(import_rules.api_violations(MODULES)) == []


def test_no_modules_import_each_other_in_a_ring() -> None:
    assert import_rules.rings(MODULES) == []


def test_no_packages_import_each_other() -> None:
    assert import_rules.package_rings(MODULES) == []


def test_only_commands_import_the_lab() -> None:
    assert list(import_rules.lab_violations(MODULES)) == []


def test_n13_only_the_fetch_door_talks_to_the_network() -> None:
    assert list(import_rules.network_violations(MODULES)) == []


def test_statements_of_one_database_have_one_home() -> None:
    assert list(import_rules.database_violations(MODULES)) == []


@pytest.mark.parametrize("package", sorted(import_rules.PURE))
def test_the_core_is_pure(package: str) -> None:
    modules = {name: text for name, text in MODULES.items() if f"{name}.".startswith(f"{package}.")}
    assert modules, f"{package} is not there; has it moved?"

    found = [
        text for name in modules for text in import_rules.purity_violations(name, modules[name])
    ]

    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "import os",
        "import os.path as p",
        "import time",
        "from pathlib import Path",
        "import socket",
        "from urllib import request",
        "import urllib.request",
        "import secrets",
        "from django.db import models",
        "import requests",
        "def f():\n    import os",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import os",
        "open('x')",
        "print('x')",
        "from datetime import datetime\nx = datetime.now()",
        "import datetime as d\nx = d.datetime.now(d.UTC)",
        "from datetime import date\nx = date.today",
        "import random\nrandom.shuffle([])",
        "from random import choice\nchoice([1])",
        "import random\nrandom.Random()",
        "import numpy as np\nnp.random.rand(3)",
        "import numpy as np\nnp.random.default_rng()",
        "from numpy.random import default_rng\ndefault_rng()",
        "import numpy as np\nnp.load('x')",
        "import numpy as np\nnp.savez_compressed('x')",
        "import random\nfrom dataclasses import field\nrng = field(default_factory=random.random)",
    ],
)
def test_impure_code_is_found(source: str) -> None:
    assert list(import_rules.purity_violations("crawler.ranking.made_up", source))


@pytest.mark.parametrize(
    "source",
    [
        "from urllib.parse import urlsplit",
        "import json\nfrom html import unescape",
        "import random\ndef f(rng: random.Random) -> float:\n    return rng.random()",
        "import random\nrng = random.Random(7)",
        "import numpy as np\nrng = np.random.default_rng(7)",
        "import numpy as np\ndef f(rng: np.random.Generator) -> float:\n    return rng.random()",
        "from datetime import datetime\ndef f(now: datetime) -> str:\n    return now.isoformat()",
        "from crawler.errors import ConvergenceError",
    ],
)
def test_pure_code_passes(source: str) -> None:
    assert list(import_rules.purity_violations("crawler.ranking.made_up", source)) == []


def test_packages_outside_the_core_may_be_impure() -> None:
    assert list(import_rules.purity_violations("crawler.crawl.made_up", "import os")) == []


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("crawler.page.made_up", "from crawler.models import Page"),
        ("crawler.models.made_up", "from crawler.crawl import manager"),
        ("crawler.errors", "import crawler.page.url"),
        ("topics.views.made_up", "from focusweb import settings"),
        ("topics.models", "def f():\n    from topics.views import topic"),
        ("crawler.tasks", "from topics.views.topic import x"),
        ("topics.a_new_thing", ""),
        ("topics.views.utils", ""),
        ("crawler.crawl.helpers", ""),
    ],
)
def test_a_module_out_of_place_is_found(name: str, source: str) -> None:
    assert list(import_rules.row_violations({**MODULES, name: source}))


@pytest.mark.parametrize(
    "source", ["import topics", "from topics.models import Topic", "from . import x"]
)
def test_a_forbidden_direction_is_found(source: str) -> None:
    assert list(import_rules.side_violations({"crawler.crawl.made_up": source}))


@pytest.mark.parametrize("source", ["import crawler", "from crawler.models import Page"])
def test_an_import_of_the_inside_of_the_crawler_is_found(source: str) -> None:
    assert list(import_rules.api_violations({"topics.made_up": source}))
    assert list(import_rules.api_violations({"crawler.crawl.made_up": source})) == []


def test_a_ring_is_found() -> None:
    modules = {
        "crawler.page.a": "from crawler.page import b",
        "crawler.page.b": "from crawler.page.c import x",
        "crawler.page.c": "import crawler.page.a",
    }

    assert set(import_rules.rings(modules)) == set(modules)


def test_packages_that_import_each_other_are_found() -> None:
    modules = {
        "crawler.page.a": "from crawler.text import b",
        "crawler.text.b": "from crawler.fetch.c import x",
        "crawler.fetch.c": "import crawler.page.d",
        "crawler.page.d": "",
    }

    assert set(import_rules.package_rings(modules)) == {
        "crawler.page",
        "crawler.text",
        "crawler.fetch",
    }


@pytest.mark.parametrize(
    "source", ["from crawler import lab", "import crawler.lab.x", "from crawler.lab.x import y"]
)
def test_an_import_of_the_lab_is_found(source: str) -> None:
    assert list(import_rules.lab_violations({"topics.made_up": source}))
    assert list(import_rules.lab_violations({"crawler.management.commands.x": source})) == []


@pytest.mark.parametrize(
    "source",
    [
        "import socket",
        "from http import client",
        "import urllib.request",
        "import requests.adapters",
    ],
)
def test_network_use_outside_the_door_is_found(source: str) -> None:
    assert list(import_rules.network_violations({"topics.alerts": source}))
    assert list(import_rules.network_violations({"crawler.fetch.made_up": source})) == []


@pytest.mark.parametrize(
    "source",
    [
        "import sqlite3",
        "import psycopg",
        "from django.db.backends.sqlite3.base import DatabaseWrapper",
        "from django.db import connection\nwith connection.cursor() as cursor:\n    pass",
        "from django.db import connection as c\nif c.vendor == 'sqlite':\n    pass",
        "from django.db import transaction\n@transaction.atomic\ndef f():\n    pass",
        "from topics.models import Topic\nTopic.objects.raw('SELECT 1')",
        "from django.db.models import expressions\nx = expressions.RawSQL('1', [])",
    ],
)
def test_a_statement_of_one_database_elsewhere_is_found(source: str) -> None:
    assert list(import_rules.database_violations({"topics.made_up": source}))
    assert list(import_rules.database_violations({"focusweb.database": source})) == []


def project_files() -> list[Path]:
    """Files that are committed, or would be."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git work tree")
    names = listed.stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def machine_traces(text: str) -> list[str]:
    """Paths of somebody's machine and hosts of package registries in a text."""
    return re.findall(f"{MACHINE_PATHS}|(?:{REGISTRIES})", text)


def test_no_file_names_a_machine_path_or_a_package_registry() -> None:
    found = {
        str(file.relative_to(ROOT)): traces
        for file in project_files()
        if (traces := machine_traces(file.read_bytes().decode("utf-8", "replace")))
    }

    assert found == {}


@pytest.mark.parametrize(
    ("text", "word", "is_trace"),
    [
        ("cd /{}/project", "root", True),
        ('open("/home/{}/x")', "ann", True),
        ("https://{}.org/simple/", "pypi", True),
        ("http://garden.demo.test/{}/tools", "work", False),
        ("docs/{}/x", "root", False),
    ],
)
def test_machine_traces_are_distinguished_from_addresses(
    text: str, word: str, is_trace: bool
) -> None:
    assert bool(machine_traces(text.format(word))) is is_trace


def test_no_two_classes_of_one_name_mean_different_things() -> None:
    assert list(import_rules.twin_classes(MODULES)) == []


def test_two_classes_of_one_name_are_found() -> None:
    source = "class Step:\n    pass"

    found = list(import_rules.twin_classes({"topics.runs.a": source, "topics.pages.b": source}))

    assert found == ["Step is a class of topics.runs.a and topics.pages.b"]


def test_modules_stay_short_enough_to_read() -> None:
    too_long = {name: n for name, text in MODULES.items() if (n := text.count("\n")) > 500}

    assert too_long == {}


def test_no_line_switches_the_formatter_off() -> None:
    found = [name for name, text in MODULES.items() if re.search(r"# fmt: (?:off|skip)", text)]

    assert found == []

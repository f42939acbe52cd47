"""The table of nouns: what the two packages say, and its file."""

import subprocess
import sys

import pytest

from crawler.text.hypernyms import senses_of
from crawler.text.noun_table import (
    MAKE_NOUN_TABLE,
    MAX_SENSES,
    NounTable,
    as_arrays,
    must_make_noun_table,
    noun_arrays,
    noun_table,
)
from crawler.text.wordnet import Synset

TREE = {7: Synset("thing", -1), 8: Synset("bird", 7), 9: Synset("owl", 8)}


def small_table() -> NounTable:
    return NounTable(**as_arrays({"bird": [8], "owl": [9, 8, 7, 9], "thing": [7]}, TREE, {8: "鸟"}))


def is_a(name: str, kind: str) -> bool:
    """The first sense of a noun is a kind of another's first sense."""
    table = noun_table()
    return table.senses(kind)[0] in table.path(table.senses(name)[0])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("owl", "bird"),
        ("mice", "rodent"),
        ("mozart", "composer"),
        ("battle of hastings", "event"),
        ("企鹅", "bird"),
        ("作曲家", "composer"),
    ],
)
def test_a_noun_is_a_kind_of_something(name: str, kind: str) -> None:
    assert is_a(name, kind)


def test_a_noun_is_no_kind_of_something_else() -> None:
    assert not is_a("owl", "fish")
    assert not is_a("企鹅", "fish")


def test_a_sense_is_called_what_most_people_call_it() -> None:
    table = noun_table()

    for name, labels in {
        "企鹅": ("penguin", "企鹅"),
        "birds": ("bird", "鸟"),
        "software": ("software", "软件"),
        "mammals": ("mammal", "哺乳动物"),
    }.items():
        assert table.labels(senses_of(name)[0].number) == labels


@pytest.mark.parametrize("name", ["", "qwertzuiop", "企鹅企鹅"])
def test_an_unknown_name_has_no_sense(name: str) -> None:
    assert noun_table().senses(name) == []


def test_senses_are_numbered_and_limited() -> None:
    table = small_table()

    assert table.senses("bird") == [1]
    assert table.senses("owl") == [2, 1, 0][:MAX_SENSES]
    assert table.path(2) == [0, 1, 2]
    assert table.labels(1) == ("bird", "鸟")
    assert table.labels(2) == ("owl", "")
    assert table.share(0) == 1.0
    assert table.share(2) == pytest.approx(1 / 3)


def test_the_file_of_the_environment_holds_what_the_packages_say() -> None:
    built, loaded = NounTable(**noun_arrays()), noun_table()

    for name in ("owl", "mice", "企鹅", "united states"):
        assert loaded.senses(name) == built.senses(name)
        assert loaded.path(loaded.senses(name)[0]) == built.path(built.senses(name)[0])


def test_the_table_can_be_made_before_the_first_crawl() -> None:
    done = subprocess.run([sys.executable, *MAKE_NOUN_TABLE], capture_output=True, check=False)

    assert (done.returncode, done.stdout) == (0, b"")
    assert not must_make_noun_table()

"""WordNet's files: nouns, senses, and how nouns are looked up."""

from crawler.text.wordnet import NONE, name_of, noun_senses, synsets


def test_names_are_folded_words() -> None:
    assert name_of("  Emperor-Penguin, (the) BIRD! ") == "emperor-penguin the bird"
    assert name_of("企鵝") == "企鹅"
    assert name_of("U.S.") == "u.s"
    assert name_of("...") == ""


def test_a_noun_has_its_senses_the_most_frequent_first() -> None:
    tree, nouns = synsets(), noun_senses()

    assert [tree[sense].label for sense in nouns["mercury"][:2]] == ["mercury", "Mercury"]
    assert nouns["mice"] == nouns["mouse"]


def test_a_sense_is_a_kind_of_another() -> None:
    tree, nouns = synsets(), noun_senses()

    assert tree[nouns["owl"][0]].parent == nouns["bird of prey"][0]


def test_the_most_general_sense_is_a_kind_of_nothing() -> None:
    tree, nouns = synsets(), noun_senses()

    assert tree[nouns["entity"][0]].parent == NONE

"""Titles as vectors of the kinds of things they name."""

import pytest

from crawler.knowledge.title_vectors import inner_product, mean_vector, title_vector


def product(one: str, other: str) -> float:
    return inner_product(one, title_vector(other))


def test_titles_of_one_kind_are_alike() -> None:
    assert product("Owl", "Owl") == pytest.approx(1.0)
    assert product("Owl", "Penguin") > product("Owl", "Mouse") > product("Owl", "France")
    assert product("Owl", "企鹅") > product("Owl", "France")


@pytest.mark.parametrize("title", ["", "qwertzuiop", "的", "qwertz uiop owl"])
def test_a_title_that_names_nothing_has_no_kinds(title: str) -> None:
    assert title_vector(title) == {}
    assert product(title, "Owl") == 0


def test_the_mean_is_of_the_titles_that_name_something() -> None:
    mean = mean_vector(["Owl", "", "France", "qwertzuiop"])

    expected = (product("Sparrow", "Owl") + product("Sparrow", "France")) / 2
    assert inner_product("Sparrow", mean) == pytest.approx(expected)
    assert mean_vector([]) == {}

"""Copies are recognised, and no site can take another page's place (rows T4 and T8)."""

from dataclasses import replace

import pytest

from crawler.page.duplicates.copies import (
    StoredPage,
    content_hash,
    find_original,
    honoured_canonical,
    is_near,
    is_repeat,
    is_version_of,
    stored_copy,
)
from crawler.page.duplicates.fingerprint import simhash
from crawler.page.parsed import ParsedPage

TEXT = "Solar cells turn sunlight into electricity; panels hold many of them in a row. " * 4


def page(url: str, text: str = TEXT, canonical: str = "") -> ParsedPage:
    return ParsedPage(url, text=text, canonical=canonical, fingerprint=simhash(text))


ORIGINAL = stored_copy(1, page("http://a.test/cells"))


def original_of(page: ParsedPage, key: int, kept: list[StoredPage]) -> StoredPage | None:
    return find_original(page, stored_copy(key, page), kept)


@pytest.mark.parametrize(
    ("canonical", "honoured"),
    [
        ("http://a.test/cells", "http://a.test/cells"),
        ("https://a.test/cells", "https://a.test/cells"),
        ("http://b.test/cells", ""),
        ("http://www.a.test/cells", ""),
        ("http://a.test/print", ""),
        ("", ""),
    ],
)
def test_t8_a_canonical_address_counts_on_its_own_host_only(canonical: str, honoured: str) -> None:
    assert honoured_canonical(page("http://a.test/print", canonical=canonical)) == honoured


def test_t4_the_same_text_elsewhere_is_a_copy() -> None:
    assert original_of(page("http://mirror.test/x"), 2, [ORIGINAL]) == ORIGINAL


def test_a_page_is_no_copy_of_itself() -> None:
    assert original_of(page("http://a.test/cells"), 1, [ORIGINAL]) is None
    assert not is_repeat(stored_copy(1, page("http://a.test/cells")), [ORIGINAL])


def test_short_texts_are_no_copies_of_each_other() -> None:
    short = stored_copy(1, page("http://a.test/1", "Please log in."))

    assert original_of(page("http://b.test/", "Please log in."), 2, [short]) is None


def test_t4_a_print_version_is_a_copy_of_what_it_names() -> None:
    printed = page("http://a.test/print", "Printed today. " + TEXT, "http://a.test/cells")

    assert original_of(printed, 2, [ORIGINAL]) == ORIGINAL


def test_a_canonical_address_with_another_text_is_a_mistake() -> None:
    other = page("http://a.test/soup", "Cut the onions and add the broth. " * 9, ORIGINAL.url)

    assert original_of(other, 2, [ORIGINAL]) is None


def test_two_pages_that_name_each_other_both_stay() -> None:
    one = replace(ORIGINAL, canonical="http://a.test/other")
    other = StoredPage(2, "http://a.test/other", "", ORIGINAL.fingerprint, ORIGINAL.url)

    assert not is_version_of(one, other)
    assert not is_version_of(other, one)


def test_nearly_the_same_page_of_a_template_is_nothing_new() -> None:
    menu = "Home Events Contact Archive. Nothing planned this month. " * 12
    known = stored_copy(1, page("http://a.test/2026/05", menu + "May"))

    assert is_repeat(stored_copy(2, page("http://a.test/2026/06", menu + "June")), [known])
    assert not is_repeat(stored_copy(3, page("http://a.test/2026/07")), [known])


def test_pages_without_a_fingerprint_are_like_nothing() -> None:
    assert not is_near(0, 0)
    assert content_hash("") != content_hash(" ")

"""Matrices of stored pages are made once, unless they would take much memory."""

from crawler.judging.stored_terms import MAX_PAGES, stored_matrix
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms


def test_a_matrix_is_kept_for_the_next_read_of_the_same_pages() -> None:
    packed = (pack_terms(text_terms("heron nests")), pack_terms(text_terms("heron broods")))

    assert stored_matrix(packed) is stored_matrix((packed[0], packed[1]))
    assert stored_matrix(packed).terms != stored_matrix(packed[:1]).terms


def test_the_matrix_of_more_pages_than_are_judged_at_once_is_not_kept() -> None:
    packed = (pack_terms(text_terms("heron")),) * (MAX_PAGES + 1)

    assert stored_matrix(packed) is not stored_matrix(packed)

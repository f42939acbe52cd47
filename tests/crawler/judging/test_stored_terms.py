"""Matrices of stored pages are made once, unless they would take much memory."""

import numpy as np
import pytest

from crawler.judging.stored_terms import BLOCK_PAGES, MAX_PAGES, matrix_blocks, stored_matrix
from crawler.models import Page, Site, Url
from crawler.models.web import EPOCH, pack_terms
from crawler.page.page_terms import text_terms


def test_a_matrix_is_kept_for_the_next_read_of_the_same_pages() -> None:
    packed = (pack_terms(text_terms("heron nests")), pack_terms(text_terms("heron broods")))

    assert stored_matrix(packed) is stored_matrix((packed[0], packed[1]))
    assert stored_matrix(packed).terms != stored_matrix(packed[:1]).terms


def test_the_matrix_of_more_pages_than_are_judged_at_once_is_not_kept() -> None:
    packed = (pack_terms(text_terms("heron")),) * (MAX_PAGES + 1)

    assert stored_matrix(packed) is not stored_matrix(packed)


@pytest.mark.django_db
def test_blocks_hold_all_pages_in_their_order() -> None:
    numbers = store_pages(BLOCK_PAGES + 2)
    numbers = [numbers[-1], *numbers[:-1], -1]  # The last one is not stored.

    [(everything, whole)] = matrix_blocks(numbers, keep=True)
    blocks = list(matrix_blocks(numbers, keep=False))

    assert everything == slice(0, BLOCK_PAGES + 3)
    assert [part for part, _ in blocks] == [
        slice(0, BLOCK_PAGES),
        slice(BLOCK_PAGES, BLOCK_PAGES + 3),
    ]
    assert np.concatenate([block.lengths for _, block in blocks]).tolist() == whole.lengths.tolist()
    last = blocks[1][1]
    assert [page.vocabulary for page in last.pages] == [
        page.vocabulary for page in whole.pages[BLOCK_PAGES:]
    ]
    assert last.lengths[-1] == 0


def store_pages(n_pages: int) -> list[int]:
    """Store pages of different lengths. Return the numbers of their URLs."""
    site = Site.objects.create(name="a.test", domain="a.test", first_seen=EPOCH)
    urls = Url.objects.bulk_create(
        Url(url=f"http://a.test/{n}", site=site, first_seen=EPOCH) for n in range(n_pages)
    )
    Page.objects.bulk_create(
        Page(
            url=url,
            packed_terms=pack_terms(text_terms("heron " * (n % 7) + f"nest{n % 50}")),
            first_fetched=EPOCH,
            fetched=EPOCH,
            changed=EPOCH,
        )
        for n, url in enumerate(urls)
    )
    return [url.pk for url in urls]

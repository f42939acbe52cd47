"""How many pages hold each term, as a crawl stores it: read back the same by every process."""

import pytest

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.models import Crawl, Run
from crawler.models.values import load_value, save_value
from crawler.store.term_counts import count_terms, load_term_counts
from tests.crawler.knowledge.judged_pages import page_of

pytestmark = pytest.mark.django_db


def count(crawl: Crawl, *texts: str, n_kept: int = 0) -> None:
    count_terms(crawl, [page_of(text) for text in texts], n_kept=n_kept, has_seed=False)


def test_what_was_counted_is_read_again(run: Run) -> None:
    assert load_term_counts(run.crawl) == DocumentFrequencies()

    count(run.crawl, "solar panel", "solar roof", n_kept=1)
    count(run.crawl, "river")

    counts = load_term_counts(run.crawl)
    assert dict(counts.terms) == {"solar": 2, "panel": 1, "roof": 1, "river": 1}
    assert (counts.total, counts.n_kept) == (3, 1)


def test_counts_that_were_read_stay_as_they_were(run: Run) -> None:
    count(run.crawl, "solar panel")
    before = load_term_counts(run.crawl)

    count(run.crawl, "solar roof")

    assert dict(before.terms) == {"solar": 1, "panel": 1}
    assert before.total == 1


def test_counts_that_are_changed_do_not_change_what_is_stored(run: Run) -> None:
    count(run.crawl, "solar panel")
    load_term_counts(run.crawl).add([page_of("solar river")])

    count(run.crawl, "solar roof")

    assert dict(load_term_counts(run.crawl).terms) == {"solar": 2, "panel": 1, "roof": 1}


def test_what_another_process_stored_is_read(run: Run) -> None:
    count(run.crawl, "solar panel")
    other = DocumentFrequencies.load(load_value(run.crawl, "library") or b"")
    other.add([page_of("wind")])
    save_value(run.crawl, "library", other.dump())

    assert load_term_counts(run.crawl).terms["wind"] == 1
    count(run.crawl, "wind")
    assert load_term_counts(run.crawl).terms["wind"] == 2


def test_terms_that_are_read_again_take_no_memory_of_their_own(run: Run) -> None:
    count(run.crawl, "photovoltaic panel")

    first, second = (list(load_term_counts(run.crawl).terms) for _ in range(2))

    assert first == second
    assert all(one is other for one, other in zip(first, second, strict=True))

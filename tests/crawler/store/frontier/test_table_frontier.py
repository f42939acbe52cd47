"""A page that is visited again keeps how its link was rated when it was found."""

from dataclasses import replace
from datetime import timedelta

import pytest

from crawler.crawl import manager
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.knowledge.profile import WeightedTerm
from crawler.models import FrontierEntry, Harvest, Run
from crawler.strategies.link_notes import REFRESH, SHARE, unpack_notes
from tests.crawler.crawl.test_crawl_loop import crawl
from tests.crawler.web import NOON, PROFILE, SEED, SETTINGS, PaperWeb

pytestmark = pytest.mark.django_db


def test_a_page_kept_for_its_links_words_stays_when_it_is_visited_again(run: Run) -> None:
    found = "http://soup.test/"
    web = PaperWeb(
        {
            SEED: '<title>Solar</title><p>Solar power</p><p><a href="http://list.test/">solar</a>',
            "http://list.test/": f'<p>Solar</p><p><a href="{found}">solar power</a></p>',
            found: "<title>Soup</title><p>Carrots and a soup of onions for the evening</p>",
        }
    )
    # Links of the seed are followed whatever they say: it teaches the filter.
    parameters = {"direct_from": 0.2, "sample": 0.0}
    settings = replace(
        SETTINGS, strategy="ontology", strategy_parameters=parameters, judge="cosine", threshold=0.3
    )
    profile = replace(PROFILE, terms=(WeightedTerm("solar"), WeightedTerm("power")))
    run.crawl.describe(profile, settings)
    run.crawl.save()
    crawl(DatabaseBlackboard(run), web)
    page = Harvest.objects.get(url__url=found)
    assert page.kept and page.relevance < 0.3

    Run.objects.update(ended=NOON)
    later = NOON + timedelta(days=2)
    board = DatabaseBlackboard(Run.objects.create(crawl=run.crawl, started=later, n_pages=50))
    manager.start(board, [found], later, found_by={found: REFRESH})
    crawl(board, web, now=later)

    page.refresh_from_db()
    assert web.requested.count(found) == 2
    assert page.kept
    notes = unpack_notes(FrontierEntry.objects.get(url__url=found).memo)
    assert notes["keep"] and notes[SHARE] > 0.2

"""What a page's date of publishing becomes in the tables, fetch after fetch."""

from datetime import UTC, datetime, timedelta

import pytest

from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.models import Crawl, Harvest, Page, Run
from tests.crawler.crawl.test_crawl_loop import crawl
from tests.crawler.web import NOON, PAGES, PROFILE, SEED, SETTINGS, PaperWeb

LATER = NOON + timedelta(days=30)


def crawl_dated(key: str, date: str, now: datetime) -> None:
    """Crawl the web for a new topic while its first page gives itself a date."""
    topic = Crawl(key=key, first_seen=now)
    topic.describe(PROFILE, SETTINGS)
    topic.save()
    run = Run.objects.create(crawl=topic, started=now, n_pages=50)
    markup = f'<meta property="article:published_time" content="{date}">' + PAGES[SEED]
    crawl(DatabaseBlackboard(run), PaperWeb({**PAGES, SEED: markup}), now=now)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("first", "then", "expected"),
    [
        ("2026-04-30", "2026-04-30", "2026-04-30"),
        ("2025-01-01", "2026-05-20", "2025-01-01"),
        ("", "2026-05-20", ""),
        ("", "2025-01-01", "2025-01-01"),
        ("2026-04-01", "2026-03-01", "2026-03-01"),
        ("2026-04-01", "", "2026-04-01"),
        ("2026-09-01", "2026-09-01", ""),
    ],
)
def test_a_date_may_be_corrected_but_never_makes_an_old_page_new(
    first: str, then: str, expected: str
) -> None:
    moment = datetime.fromisoformat(expected).replace(tzinfo=UTC) if expected else None

    crawl_dated("first", first, NOON)
    crawl_dated("second", then, LATER)

    assert Page.objects.get(url__url=SEED).published == moment
    assert Harvest.objects.get(url__url=SEED, crawl__key="second").published == moment

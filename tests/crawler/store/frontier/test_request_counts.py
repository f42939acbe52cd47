"""Requests that were counted before are not counted again, and the sum is always right."""

from collections import Counter
from datetime import datetime, timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext

from crawler.models import Assignment, FrontierEntry, Run, Site, Url
from crawler.store.frontier.request_counts import RequestCounts
from tests.crawler.web import NOON

SITES = ("a.test", "b.test", "c.test")


def end(run: Run, numbers: range, when: datetime) -> None:
    """End requests of some URLs; each third one is of the same site."""
    for number in numbers:
        name = SITES[number % 3]
        site, _ = Site.objects.get_or_create(name=name, domain=name, first_seen=NOON)
        address = f"http://{name}/{number}"
        url, _ = Url.objects.get_or_create(url=address, site=site, first_seen=NOON)
        FrontierEntry.objects.update_or_create(
            crawl=run.crawl, url=url, defaults={"run": run, "found": NOON, "ended": when}
        )


def slowly(run: Run, least: int) -> frozenset[str]:
    """The sites with so many requests, read row by row."""
    counted: Counter[str] = Counter()
    for entry in FrontierEntry.objects.select_related("url__site", "assignment"):
        has_ended = entry.run_id == run.pk and entry.ended and entry.ended >= run.started
        assignment = entry.assignment
        is_under_way = assignment and assignment.run_id == run.pk and not assignment.closed
        counted[entry.url.site.name] += bool(has_ended or is_under_way)
    return frozenset(name for name, n in counted.items() if n >= least)


def check(counts: RequestCounts, run: Run) -> None:
    for least in range(1, 7):
        assert counts.sites_with(least) == slowly(run, least)


def test_counts_follow_what_ends_is_handed_out_and_is_removed(run: Run) -> None:
    counts = RequestCounts(run)
    check(counts, run)
    end(run, range(4), NOON)
    check(counts, run)
    end(run, range(4, 9), NOON + timedelta(seconds=1, microseconds=5))
    check(counts, run)
    given = Assignment.objects.create(crawl=run.crawl, run=run, posted=NOON)
    end(run, range(9, 11), NOON + timedelta(seconds=2))
    FrontierEntry.objects.filter(url__url__endswith="/10").update(ended=None, assignment=given)
    check(counts, run)
    end(run, range(2), NOON + timedelta(seconds=3))  # The same URLs once more.
    check(counts, run)
    FrontierEntry.objects.filter(url__site__name="b.test").delete()
    check(counts, run)


def test_what_an_earlier_run_requested_does_not_count(run: Run) -> None:
    end(run, range(3), NOON)
    Run.objects.update(ended=NOON)
    later = Run.objects.create(crawl=run.crawl, started=NOON + timedelta(days=1), n_pages=50)
    counts = RequestCounts(later)
    check(counts, later)
    end(later, range(2, 5), NOON + timedelta(days=1, seconds=1))
    check(counts, later)


def test_the_sites_of_counted_requests_are_not_looked_up_again(run: Run) -> None:
    counts = RequestCounts(run)
    end(run, range(6), NOON)
    counts.sites_with(1)
    with CaptureQueriesContext(connection) as queries:
        assert counts.sites_with(2) == frozenset(SITES)

    by_site = [one["sql"] for one in queries if "MAX(ended)" in one["sql"]]
    assert len(by_site) == 1 and "ended > " in by_site[0]

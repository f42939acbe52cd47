"""A query that was made once finds the same as one that is made each time."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models import Exists, F, OuterRef, QuerySet, Value
from django.test.utils import CaptureQueriesContext

from crawler.models import Crawl, Run
from focusweb.database import number_list
from focusweb.prepared import PreparedQuery, prepared

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def crawls() -> list[Crawl]:
    made = [
        Crawl.objects.create(
            pk=number, key=str(number), profile_json={"n": number}, first_seen=NOON
        )
        for number in range(1, 6)
    ]
    for crawl in made:
        for days in range(crawl.pk):
            day = NOON + timedelta(days=days)
            Run.objects.create(crawl=crawl, started=day, ended=day, n_pages=crawl.pk)
    return made


def runs_since(crawls: Sequence[int], since: datetime) -> QuerySet[Run]:
    earlier = Run.objects.filter(crawl=OuterRef("crawl"), started__lt=OuterRef("started"))
    rows = Run.objects.filter(crawl__in=number_list(crawls), started__gte=since)
    rows = rows.select_related("crawl").annotate(is_later=Exists(earlier))
    return rows.order_by("crawl", "started")


def columns_since(key: str, since: datetime) -> QuerySet[Any, Any]:
    rows = runs_since([1, 2, 3, 4, 5], since).filter(crawl__key__gt=key).annotate(one=Value(1))
    return rows.values_list("is_later", "started", "crawl__profile_json", F("n_pages") + 1, "one")


def said(run: Any) -> list[object]:
    return [run, run.started, run.crawl.profile_json, run.crawl.first_seen, run.is_later]


def test_objects_are_what_django_makes_of_them(crawls: Sequence[Crawl]) -> None:
    found = prepared(runs_since)

    for chosen, days in (([1, 2], 0), ([5, 3], 2), ([], 0), ([2, 4, 5], 1)):
        since = NOON + timedelta(days=days)
        with CaptureQueriesContext(connection) as queries:
            runs = [said(run) for run in found(chosen, since)]
        assert len(queries) == 1
        assert runs == [said(run) for run in runs_since(chosen, since)]


def test_values_are_what_django_makes_of_them(crawls: Sequence[Crawl]) -> None:
    found = prepared(columns_since)

    for key, days in (("0", 0), ("3", 1), ("9", 0), ("4", 4)):
        since = NOON + timedelta(days=days)
        assert found(key, since) == list(columns_since(key, since))


def test_a_query_is_made_once(crawls: Sequence[Crawl]) -> None:
    asked = []

    @prepared
    def numbered(number: int) -> QuerySet[Crawl]:
        asked.append(number)
        return Crawl.objects.filter(pk=number)

    assert [numbered(number) for number in (1, 2, 9)] == [[crawls[0]], [crawls[1]], []]
    assert len(asked) == 1


def test_a_key_of_32_bits_is_found_on_every_database() -> None:
    ann = User.objects.create(username="ann")

    of_key = prepared(lambda key: User.objects.filter(pk=key))

    assert (of_key(ann.pk), of_key(ann.pk + 1)) == ([ann], [])


def test_a_value_that_the_statement_takes_otherwise_is_refused() -> None:
    day_after = prepared(lambda day: Run.objects.filter(started__gt=day + timedelta(days=1)))

    with pytest.raises(ValueError, match="as it is"):
        day_after(NOON)


def test_columns_that_only_the_statement_needs_are_left_out(crawls: Sequence[Crawl]) -> None:
    first = Run.objects.order_by("crawl", "-started").values_list("n_pages").distinct()

    query = PreparedQuery(first.filter(crawl__gt=3), [3])

    assert query.all([3]) == list(first.filter(crawl__gt=3))


def test_a_prepared_query_runs_with_other_values(crawls: Sequence[Crawl]) -> None:
    query = Crawl.objects.filter(pk__gt=0, key__in=["2", "4"]).values_list("pk", "key")

    found = PreparedQuery(query.order_by("pk"), ["2", "4"])

    assert found.rows(["2", "4"]) == [(2, "2"), (4, "4")]
    assert found.rows(["5", "3"]) == [(3, "3"), (5, "5")]
    assert found.rows(["9", "1"]) == [(1, "1")]

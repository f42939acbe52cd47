"""Runs that cannot begin are shown with their reason."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from pytest_django import Settings

from crawler.models import Run
from crawler.reasons import StopReason
from tests.topics.factories import NOON, topic_of
from topics.models import Topic
from topics.profile.crawl import save_crawl
from topics.runs.start_stop import start_due


@pytest.mark.parametrize(
    ("seeds", "reason"),
    [("", StopReason.NO_SEEDS), ("https://portal.test/", StopReason.NO_CONTACT)],
)
def test_a_refused_run_is_stored_with_its_reason(
    ann: User, settings: Settings, seeds: str, reason: StopReason
) -> None:
    settings.CONTACT_URL = settings.SEARXNG_URL = ""
    # The name must not decide: it once did, as the reason was read from the sentence.
    topic = topic_of(ann, "solar", name="CONTACT lenses", seeds=seeds, active=True, next_run=None)

    assert start_due(NOON) == 0

    run = Run.objects.get(crawl__topic=topic)
    assert (run.stop_reason, run.ended) == (reason, NOON)
    topic.refresh_from_db()
    assert topic.next_run is not None
    assert topic.next_run > NOON


@pytest.mark.parametrize(
    ("change", "begun"), [({"threshold": 0.8}, True), ({"active": False}, False)]
)
def test_a_topic_changed_while_others_begin_begins_as_it_is_now(
    ann: User, settings: Settings, change: dict[str, Any], begun: bool
) -> None:
    settings.CONTACT_URL = "https://us.test/"
    topic_of(ann, "first", name="1", active=True)
    second = topic_of(ann, "second", name="2", active=True)
    save_crawl(second, NOON)
    left = [change]

    def change_second(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if sql.startswith('INSERT INTO "crawler_run"') and left:
            Topic.objects.filter(pk=second.pk).update(**left.pop())
        return execute(sql, *rest)

    with connection.execute_wrapper(change_second):
        assert start_due(NOON) == 1 + begun

    second.refresh_from_db()
    assert second.crawl is not None
    second.crawl.refresh_from_db()
    assert second.crawl.settings.threshold == second.threshold
    assert Run.objects.filter(crawl=second.crawl).exists() is begun

"""Runs that cannot begin are shown with their reason."""

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from crawler.models import Run
from crawler.reasons import StopReason
from tests.topics.factories import NOON, topic_of
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

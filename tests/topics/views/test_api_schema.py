"""Made-up requests: no server error, and no answer that the schema does not have."""

from collections import Counter
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import Settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.topics.factories import NOON, Scene
from topics.accounts.api_tokens import TokenScope, make_token

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
FEW, MANY = 200, 10_000


def check_requests(scene: Scene, settings: Settings, n_requests: int) -> dict[str, Counter[int]]:
    """Send so many requests, each of an operation in turn, and check every answer.

    Return how often each operation answered with each status.
    """
    settings.CONTACT_URL = "https://about.test/"  # without it no run is started
    pk = scene.crawl.harvests.earliest("pk").pk
    token = make_token(scene.topic.owner, "fuzz", list(TokenScope), NOON)
    known: dict[str, Any] = {"slug": scene.topic.slug, "pk": pk, "site": "notes.test"}
    # As Django's own client does: a request would end the test's connection, and its transaction.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", WSGIHandler())
        operations = [one.ok() for one in schema.get_all_operations()]  # type: ignore[union-attr]
        share = -(-n_requests // len(operations))
        return {one.label: _check_operation(one, token, known, share) for one in operations}
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


def _check_operation(
    operation: Any, token: str, known: dict[str, Any], n_requests: int
) -> Counter[int]:
    statuses: Counter[int] = Counter()

    @hypothesis_settings(
        max_examples=n_requests,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), keep=st.integers(0, 4))
    def check(case: Any, keep: int) -> None:
        if keep:  # most requests are about something that is there
            fixed = {name: known[name] for name in case.path_parameters or {} if name in known}
            case.path_parameters = {**(case.path_parameters or {}), **fixed}
            if fixed and isinstance(case.body, dict) and "slug" in case.body:
                case.body["slug"] = known["slug"]
        plain = {"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}
        case.headers = {**(case.headers or {}), **plain}
        statuses[case.call_and_validate(checks=CHECKS).status_code] += 1

    check()
    return statuses


@pytest.mark.django_db
def test_made_up_requests_get_answers_of_the_schema(scene: Scene, settings: Settings) -> None:
    answers = check_requests(scene, settings, FEW)

    assert sum(counts.total() for counts in answers.values()) >= FEW


@pytest.mark.torture
@pytest.mark.django_db
def test_ten_thousand_made_up_requests_get_answers_of_the_schema(
    scene: Scene, settings: Settings
) -> None:
    answers = check_requests(scene, settings, MANY)

    assert sum(counts.total() for counts in answers.values()) >= MANY
    assert [label for label, counts in answers.items() if min(counts) >= 400] == []

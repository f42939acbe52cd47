"""Lists of the REST API come in parts, each row once; only cursors that were sent are read."""

import base64
import json
from datetime import timedelta
from typing import Any

import pytest

from tests.topics.factories import NOON, Scene
from tests.topics.views.api_calls import Call
from tests.topics.views.api_calls import call as call


@pytest.mark.parametrize("order", ["newest", "score"])
def test_pages_come_in_parts_each_once_while_new_ones_come(
    call: Call, scene: Scene, order: str
) -> None:
    for number in range(7):
        seen = NOON - timedelta(hours=number // 2)  # some at the same moment
        scene.page(f"https://a.test/{number}", "A", first_seen=seen, score=0.1 * (number // 2))
    found, cursor = [], ""
    while True:
        part = call("GET", f"/topics/chips/pages?order={order}&limit=2&cursor={cursor}").json()
        found += [page["id"] for page in part["items"]]
        if len(found) == 4:
            scene.page("https://a.test/new", "New", first_seen=NOON, score=0.99)
        cursor = part["next"]
        if not cursor:
            break

    assert len(found) == len(set(found)) == 9


BAD_CURSORS = [
    "x",
    "W10",
    "WzEsMl0tLQ",
    "bnVsbA",
    "WyIyMDI2LTAxLTAxIiwgMV0",
    "WzEsIC0xXQ",
    "WzEsMWUzMDBd",
]


@pytest.mark.parametrize("cursor", BAD_CURSORS)
def test_a_cursor_that_was_never_sent_is_refused(call: Call, scene: Scene, cursor: str) -> None:
    assert call("GET", f"/topics/chips/pages?cursor={cursor}").status_code == 422


@pytest.mark.parametrize(
    ("order", "place"),
    [
        ("newest", [0.5, 1]),
        ("score", ["2026-05-01T12:00:00+00:00", 1]),
        ("newest", ["9999-12-31T23:00:00-14:00", 1]),
        ("newest", ["0001-01-01T00:00:00+14:00", 1]),
    ],
)
def test_a_cursor_of_another_order_or_without_an_instant_is_refused(
    call: Call, scene: Scene, order: str, place: list[Any]
) -> None:
    cursor = base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")

    answer = call("GET", f"/topics/chips/pages?order={order}&cursor={cursor}")

    assert answer.status_code == 422
    assert "cursor" in answer.json()["detail"]

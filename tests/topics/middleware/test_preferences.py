"""Times are shown in the zone that the person chose, else in that of the browser."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.topics.factories import Scene


def started(client: Client, scene: Scene) -> bool:
    """Whether the list of runs has the time of Shanghai: ten in the morning UTC is six there."""
    return "2026-05-01 18:00" in client.get("/topics/chips/runs/").content.decode()


def test_the_persons_zone_holds(as_ann: Client, scene: Scene) -> None:
    assert not started(as_ann, scene)
    as_ann.post("/account/", {"zone": "Asia/Shanghai"})
    assert started(as_ann, scene)


def test_the_browsers_zone_holds_where_none_was_chosen(as_ann: Client, scene: Scene) -> None:
    as_ann.cookies["zone"] = "Asia/Shanghai"
    assert started(as_ann, scene)
    as_ann.post("/account/", {"zone": "Europe/Berlin"})
    assert not started(as_ann, scene)


@pytest.mark.parametrize("value", ["Mars/Phobos", "../etc/passwd", "x" * 4000, ""])
def test_a_cookie_that_names_no_zone_is_ignored(
    as_ann: Client, scene: Scene, ann: User, value: str
) -> None:
    as_ann.cookies["zone"] = value
    assert as_ann.get("/topics/chips/runs/").status_code == 200

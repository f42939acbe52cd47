"""Reports of browsers: kept as few small rows, whoever sends them."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.topics.factories import NOON, person
from topics.models import PolicyReport
from topics.models.content_policy import MAX_REPORTS
from topics.views.csp_reports import MAX_PER_MINUTE, PerMinute, csp_report, pace

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh_minute() -> Iterator[None]:
    """Other tests' reports do not count."""
    pace.reset()
    yield
    pace.reset()


def send(client: Client, body: Any, kind: str = "application/csp-report") -> int:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    status: int = client.post("/csp-report", data, content_type=kind).status_code
    return status


def report(**more: str) -> dict[str, Any]:
    said = {
        "document-uri": "http://localhost/unsubscribe/a-secret-token/?q=private",
        "effective-directive": "img-src",
        "blocked-uri": "https://evil.test/pixel.gif?who=ann",
    }
    return {"csp-report": said | more}


def test_a_report_is_kept_without_addresses_and_counted() -> None:
    client = Client(enforce_csrf_checks=True)

    assert [send(client, report()) for _ in range(3)] == [204] * 3

    row = PolicyReport.objects.get()
    assert (row.view, row.directive, row.blocked, row.n) == (
        *("unsubscribe", "img-src", "evil.test", 3),
    )


@pytest.mark.parametrize(
    ("more", "kept"),
    [
        ({"blocked-uri": "inline"}, ("unsubscribe", "img-src", "inline")),
        ({"blocked-uri": "data:image/png;base64,xx"}, ("unsubscribe", "img-src", "data")),
        ({"document-uri": "http://["}, ("", "img-src", "evil.test")),
        ({"document-uri": "http://x/none"}, ("", "img-src", "evil.test")),
        (
            {"effective-directive": "x\x00y" + "z" * 900},
            ("unsubscribe", "xy" + "z" * 98, "evil.test"),
        ),
        (
            {"effective-directive": "", "violated-directive": "style-src 'self'"},
            ("unsubscribe", "style-src", "evil.test"),
        ),
    ],
)
def test_what_a_report_says_is_cut_to_what_can_be_shown(
    client: Client, more: dict[str, str], kept: tuple[str, str, str]
) -> None:
    assert send(client, report(**more)) == 204
    assert PolicyReport.objects.values_list("view", "directive", "blocked").get() == kept


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (report(), "text/plain", 415),
        (b"x=1", "application/x-www-form-urlencoded", 415),
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 8000, "application/json", 400),
        (b'{"csp-report":{"x":' + b"[" * 7000, "application/json", 400),
        ({"csp-report": {"blocked-uri": 7}}, "application/json", 400),
        (b'{"csp-report":{"blocked-uri":"\\ud800"}}', "application/json", 400),
        (report(sample="x" * 9000), "application/json", 413),
    ],
)
def test_what_is_no_small_report_is_refused(
    client: Client, body: Any, kind: str, status: int
) -> None:
    assert send(client, body, kind) == status
    assert not PolicyReport.objects.exists()


def test_only_so_many_are_taken_in_a_minute(client: Client) -> None:
    statuses = [send(client, report()) for _ in range(MAX_PER_MINUTE + 2)]

    assert statuses == [204] * MAX_PER_MINUTE + [429] * 2


def test_the_next_minute_counts_anew() -> None:
    count = PerMinute(2)

    assert [count.is_over(60.0), count.is_over(61.0), count.is_over(119.0)] == [False, False, True]
    assert count.is_over(120.0) is False


def test_a_minute_begins_with_the_first_report_and_not_with_the_clock() -> None:
    count = PerMinute(2)

    assert [count.is_over(59.0), count.is_over(59.5), count.is_over(60.5)] == [False, False, True]


def test_new_kinds_take_the_place_of_those_not_seen_for_longest() -> None:
    for n in range(MAX_REPORTS + 5):
        moment = NOON + timedelta(seconds=n)
        PolicyReport.objects.count_one("login", "img-src", f"host{n}.test", moment)

    assert PolicyReport.objects.count() == MAX_REPORTS
    assert PolicyReport.objects.order_by("last_seen")[0].blocked == "host5.test"


def test_a_report_is_posted_and_nothing_else(client: Client) -> None:
    assert client.get("/csp-report").status_code == 405
    assert reverse("csp_report") == "/csp-report"
    assert csp_report.csrf_exempt  # type: ignore[attr-defined]


def test_administrators_read_them_and_change_nothing(client: Client) -> None:
    send(client, report())
    client.force_login(person("root", is_superuser=True, is_staff=True))

    listed = client.get("/admin/topics/policyreport/").content.decode()

    assert "evil.test" in listed
    row = PolicyReport.objects.get()
    assert client.get("/admin/topics/policyreport/add/").status_code == 403
    assert client.post(f"/admin/topics/policyreport/{row.pk}/delete/").status_code == 403


def test_others_do_not_read_them(client: Client) -> None:
    client.force_login(person("staff", is_staff=True))
    assert client.get("/admin/topics/policyreport/").status_code == 403

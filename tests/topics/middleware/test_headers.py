"""Every URL answers every user with the safety headers, whatever the response is."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tests.topics.factories import Scene, person

FIXED = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
FOR_PAGES = FIXED | {
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "private, no-store",
}


def addresses(resolver: URLResolver | None = None, before: str = "/") -> Iterator[str]:
    """An address for each pattern there is; what it names is mostly not there."""
    for entry in (resolver or get_resolver()).url_patterns:
        route = str(entry.pattern)
        for kind in ("<int:pk>", "<id>", "<path:content_type_id>", "<path:object_id>"):
            route = route.replace(kind, "1")
        route = re.sub(r"<[^>]+>", "x", route.replace("<str:slug>", "chips"))
        if isinstance(entry, URLPattern):
            yield before + (route if "(" not in route else "auth/")
        else:
            yield from addresses(entry, before + route.lstrip("/"))


ADDRESSES = sorted(set(addresses()) | {"/none", "/topics/none/"})


def check(path: str, answer: Any) -> None:
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy, path
    assert "unsafe" not in policy or is_mail(policy), path
    found = {name: answer.headers.get(name) for name in FOR_PAGES}
    if is_mail(policy):
        assert found.pop("X-Frame-Options") == "SAMEORIGIN"
    assert found.items() <= FOR_PAGES.items(), path
    wanted = "no-referrer" if is_without_referrer(path) else "same-origin"
    assert answer.headers["Referrer-Policy"] == wanted, path


def is_mail(policy: str) -> bool:
    """Mails bring their own styles, and are shown in a frame that can do nothing."""
    return "sandbox" in policy and "script-src" not in policy


def is_without_referrer(path: str) -> bool:
    if path.startswith("/paper/") or re.fullmatch("/feeds/[^/]+", path):
        return True
    return path.startswith(("/unsubscribe/", "/confirm-channel/", "/stop-channel/", "/m/")) or (
        "/digest/" in path and path.endswith(("/mail", "/file"))
    )


def test_the_walk_meets_what_there_is() -> None:
    assert len(ADDRESSES) > 100
    assert {"/login/", "/csp-report", "/unsubscribe/x/", "/admin/login/"} <= set(ADDRESSES)
    assert [path for path in ADDRESSES if "<" in path] == []


@pytest.mark.parametrize("who", ["nobody", "ann", "root"])
def test_every_answer_carries_the_headers(
    client: Client, scene: Scene, ann: User, who: str
) -> None:
    client.raise_request_exception = False
    person_walking = {"nobody": None, "ann": ann, "root": root()}[who]
    for path in ADDRESSES:
        if person_walking:  # anew, since the walk comes by the sign-out
            client.force_login(person_walking)
        for method in ("get", "post", "put"):
            answer = getattr(client, method)(path)
            assert answer.status_code != 500, path
            check(path, answer)


def root() -> User:
    return person("root", is_superuser=True, is_staff=True)


def test_a_policy_names_where_its_reports_go(client: Client, db: None) -> None:
    policy = client.get("/login/").headers["Content-Security-Policy"]
    assert "report-uri /csp-report" in policy


@pytest.mark.parametrize("path", ["focusweb.css", "favicon.svg", "live.js", "admin/css/base.css"])
def test_static_files_carry_them_too(client: Client, db: None, path: str) -> None:
    answer = client.get(f"/static/{path}")

    assert answer.status_code == 200
    assert {name: answer.headers.get(name) for name in FIXED} == FIXED
    policy = answer.headers["Content-Security-Policy"]
    assert policy == "default-src 'none'; frame-ancestors 'none'"
    assert "Access-Control-Allow-Origin" not in answer.headers
    answer.close()


@pytest.mark.parametrize("status", [400, 413])
def test_refusals_carry_them_too(client: Client, db: None, status: int) -> None:
    if status == 400:
        answer = client.get("/", headers={"host": "evil.test"})
    else:
        answer = client.post("/", b"x" * (2 << 20), content_type="text/plain")

    assert answer.status_code == status
    check("/", answer)


def test_answers_are_compressed_and_their_size_says_little(as_ann: Client, scene: Scene) -> None:
    answers = [as_ann.get("/none", headers={"accept-encoding": "gzip"}) for _ in range(8)]
    assert {answer.headers["Content-Encoding"] for answer in answers} == {"gzip"}
    # The same page has another size each time: a secret in it is not guessed by size (BREACH).
    assert len({len(answer.content) for answer in answers}) > 1

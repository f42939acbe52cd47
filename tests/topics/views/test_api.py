"""The REST API: tokens and scopes, every resource, errors as problem details."""

import json
import secrets
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client, RequestFactory
from django.utils import timezone

from crawler.models import Crawl, Harvest, Page, Run, Source
from focusweb.database_faults import last_fault
from focusweb.web.request_limits import MAX_BODY_BYTES
from tests.topics.factories import NOON, Scene, person, topic_of
from tests.topics.views.api_calls import ROOT, Call, token_of
from tests.topics.views.api_calls import call as call
from topics.accounts.api_tokens import KEPT, TokenScope, find_token
from topics.middleware.limits_and_faults import bad_request, server_fault
from topics.models import AlertRule, ApiAnswer, ApiToken, SavedSearch, Topic
from topics.search.outbox import rebuild
from topics.views.api.urls import api, urlpatterns


def operations() -> list[tuple[str, str]]:
    """Each method and path of the API, with keys filled in."""
    values = {"{slug}": "chips", "{pk}": "1", "{site}": "notes.test"}
    found = []
    for path, methods in api.get_openapi_schema()["paths"].items():
        for name, value in values.items():
            path = path.replace(name, value)
        found += [(method.upper(), path) for method in methods]
    return found


OPERATIONS = operations()


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
@pytest.mark.parametrize("header", ["", "Bearer", "Bearer fw_no", "Basic YTpi", "Bearer \xff"])
def test_nothing_is_answered_without_a_token(
    client: Client, scene: Scene, method: str, path: str, header: str
) -> None:
    client.force_login(scene.topic.owner)  # a session is not a token

    answer = client.generic(method, path, headers={"authorization": header})

    assert answer.status_code == 401
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_thousand_guesses_get_nothing(client: Client, scene: Scene) -> None:
    secret = token_of(scene.topic.owner)
    guesses = [f"fw_{secrets.token_urlsafe(32)}" for _ in range(900)]
    guesses += [secret[:-1] + letter for letter in "abcdefghij" if letter != secret[-1]]
    guesses += [secret[:length] for length in range(len(secret))] + [secret.upper(), f"{secret}="]
    guesses += ["0", "null", "' OR 1=1 --", "%00", "fw_" + "A" * 9000] * 9

    answers = {
        client.get(f"{ROOT}/topics", headers={"authorization": f"Bearer {guess}"}).status_code
        for guess in guesses[:10] + guesses[-10:]
    }

    assert len(guesses) >= 1000
    assert [guess for guess in guesses if find_token(guess, NOON)] == []
    assert answers == {401}
    assert not ApiToken.objects.exclude(used=None).exists()


#: What each scope lets in, by the method; the two of feedback are named.
@pytest.mark.parametrize("scope", list(TokenScope))
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_a_token_allows_its_scope_alone(
    client: Client, scene: Scene, method: str, path: str, scope: TokenScope
) -> None:
    secret = token_of(scene.topic.owner, scope)
    needed = TokenScope.READ if method == "GET" else TokenScope.MANAGE
    if path.endswith(("/rating", "/marks")):
        needed = TokenScope.FEEDBACK

    answer = client.generic(
        method, path, "{}", "application/json", headers={"authorization": f"Bearer {secret}"}
    )

    assert (answer.status_code == 403) is (scope is not needed)


@pytest.mark.parametrize(("method", "path"), [one for one in OPERATIONS if "/chips" in one[1]])
def test_the_topics_of_others_do_not_exist(
    client: Client, scene: Scene, method: str, path: str
) -> None:
    secret = token_of(person("eve", is_superuser=True))
    bodies = {"rating": {"value": 1}, "sites/notes.test": {"rule": "block"}}
    body = next((body for end, body in bodies.items() if path.endswith(end)), {})
    if method == "PUT" and path.endswith("/chips"):
        body = {"format": "focusweb-topic", "version": 1, "name": "x", "slug": "chips"}

    answer = client.generic(
        method,
        path,
        json.dumps(body),
        "application/json",
        headers={"authorization": f"Bearer {secret}"},
    )

    assert answer.status_code == 404, answer.content


def test_lists_and_searches_have_what_is_of_the_user_alone(client: Client, scene: Scene) -> None:
    saved = SavedSearch.objects.create(
        owner=scene.topic.owner, name="mine", query="cache", created=NOON
    )
    header = {"authorization": f"Bearer {token_of(person('eve', is_superuser=True))}"}
    rebuild()

    def get(path: str) -> Any:
        return client.get(f"{ROOT}{path}", headers=header).json()

    assert get("/topics")["items"] == []
    assert get("/search?q=cache")["items"] == []
    assert get("/saved-searches") == []
    assert client.delete(f"{ROOT}/saved-searches/{saved.pk}", headers=header).status_code == 404
    assert SavedSearch.objects.filter(pk=saved.pk).exists()


def test_a_page_of_another_topic_does_not_exist_in_this_one(call: Call, scene: Scene) -> None:
    other = topic_of(scene.topic.owner, "moon")
    other.crawl = Crawl.objects.create(key="moon", first_seen=NOON)
    other.save()
    path = f"/topics/moon/pages/{scene.crawl.harvests.earliest('pk').pk}"

    assert call("GET", path).status_code == 404
    assert call("PUT", f"{path}/rating", {"value": 1}).status_code == 404
    assert call("PATCH", f"{path}/marks", {"read": True}).status_code == 404


def test_a_revoked_token_and_that_of_a_person_who_left_end_at_once(
    client: Client, scene: Scene, ann: User
) -> None:
    header = {"authorization": f"Bearer {token_of(ann)}"}
    assert client.get(f"{ROOT}/topics", headers=header).status_code == 200

    User.objects.update(is_active=False)
    assert client.get(f"{ROOT}/topics", headers=header).status_code == 401
    User.objects.update(is_active=True)
    ApiToken.objects.all().delete()
    assert client.get(f"{ROOT}/topics", headers=header).status_code == 401


DOCUMENT = {"format": "focusweb-topic", "version": 1, "name": "Solar", "slug": "solar"} | {
    "seeds": ["https://solar.test/"],
    "terms": [{"text": "solar cell", "weight": 2.0}],
}


def test_a_topic_is_made_read_and_changed(call: Call) -> None:
    made = call("POST", "/topics", DOCUMENT)
    assert made.status_code == 201
    assert call("GET", "/topics").json()["items"][0]["slug"] == "solar"
    read = call("GET", "/topics/solar")
    assert read.json() == made.json()

    new = read.json() | {"name": "Solar cells"}
    assert call("PUT", "/topics/solar", new, if_match='"other"').status_code == 412
    changed = call("PUT", "/topics/solar", new, if_match=read.headers["ETag"])

    assert changed.status_code == 200, changed.content
    assert Topic.objects.get().name == "Solar cells"
    assert call("PUT", "/topics/solar", new | {"slug": "moon"}).status_code == 422
    assert call("POST", "/topics", DOCUMENT).status_code == 409


def test_the_etag_of_a_compressed_answer_guards_a_change(call: Call) -> None:
    call("POST", "/topics", DOCUMENT)
    etag = call("GET", "/topics/solar", accept_encoding="gzip").headers["ETag"]
    assert etag.startswith("W/")

    changed = call("PUT", "/topics/solar", DOCUMENT | {"name": "A"}, if_match=f'"x", {etag}')
    late = call("PUT", "/topics/solar", DOCUMENT | {"name": "B"}, if_match=etag)

    assert (changed.status_code, late.status_code) == (200, 412)
    assert call("PUT", "/topics/solar", DOCUMENT, if_match="*").status_code == 200


def test_a_wrong_topic_is_refused_with_its_place(call: Call) -> None:
    answer = call("POST", "/topics", DOCUMENT | {"terms": [{"text": "x", "weight": "heavy"}]})

    assert answer.status_code == 422
    assert "terms" in answer.json()["detail"]
    assert not Topic.objects.exists()


def test_a_client_that_has_the_answer_gets_none(call: Call, scene: Scene) -> None:
    first = call("GET", "/topics/chips")

    again = call("GET", "/topics/chips", if_none_match=first.headers["ETag"])

    assert (again.status_code, again.content) == (304, b"")
    Topic.objects.update(name="New")
    assert call("GET", "/topics/chips", if_none_match=first.headers["ETag"]).status_code == 200


def test_a_page_is_rated_marked_and_read(call: Call, scene: Scene) -> None:
    pk = call("GET", "/topics/chips/pages").json()["items"][0]["id"]
    path = f"/topics/chips/pages/{pk}"

    assert call("PUT", f"{path}/rating", {"value": 1}).json()["value"] == 1
    marks = {"starred": True, "read": True, "tags": ["Later"], "note": " why "}
    assert call("PATCH", f"{path}/marks", marks).status_code == 200
    assert call("PATCH", f"{path}/marks", {"read": False}).status_code == 200

    page = call("GET", path).json()
    assert (page["rating"], page["starred"], page["read"]) == (1, True, False)
    assert (page["tags"], page["note"]) == (["later"], "why")
    assert page["text"] == "First line.\nSecond line."
    assert call("GET", "/topics/chips/tags").json() == [{"name": "later", "pages": 1}]
    evaluation = call("GET", "/topics/chips/evaluation").json()
    assert evaluation["top_20"] == {"rated": 1, "relevant": 1, "share": 1.0}
    assert call("PUT", f"{path}/rating", {"value": 2}).status_code == 422


def test_a_page_has_the_date_that_its_topic_shows(call: Call, scene: Scene) -> None:
    shown = NOON - timedelta(days=1)
    Harvest.objects.update(published=shown)
    Page.objects.update(published=shown - timedelta(days=3))  # as a run of another topic found
    rebuild()

    pages = call("GET", "/topics/chips/pages").json()["items"]
    found = call("GET", "/search?q=line").json()["items"]

    assert pages and found
    for page in (*pages, *found):
        assert page["published"] == f"{shown:%Y-%m-%dT%H:%M:%SZ}"


@pytest.mark.parametrize("body", [None, {"name": "both", "query": "line AND page"}])
def test_a_wrong_query_is_answered_with_the_sentence_of_the_search_page(
    call: Call, body: dict[str, Any] | None
) -> None:
    path = "/saved-searches" if body else "/search?q=line AND page"

    answer = call("POST" if body else "GET", path, body)

    assert answer.status_code == 422
    assert answer.json()["detail"] == (
        "At character 6 (“AND”): All words must occur anyway. Remove this."
    )


@pytest.mark.parametrize("tag", ["red, green", "红、绿", "a;b", "a\nb"])
def test_a_tag_that_would_be_split_is_refused_and_nothing_is_marked(
    call: Call, scene: Scene, tag: str
) -> None:
    pk = call("GET", "/topics/chips/pages").json()["items"][0]["id"]
    path = f"/topics/chips/pages/{pk}"

    answer = call("PATCH", f"{path}/marks", {"starred": True, "tags": ["later", tag]})

    assert answer.status_code == 422
    assert answer.json()["detail"] == f"a tag has no comma, semicolon or line break, got {tag!r}"
    assert not call("GET", path).json()["starred"]


def test_runs_are_listed_started_and_stopped(call: Call, scene: Scene, settings: Any) -> None:
    settings.CONTACT_URL = "https://about.test/"
    assert [run["fetched"] for run in call("GET", "/topics/chips/runs").json()["items"]] == [40]
    assert call("DELETE", "/topics/chips/runs/current").status_code == 404

    assert call("POST", "/topics/chips/runs", {"page_limit": 7}).status_code == 202

    assert Run.objects.open().get().n_pages == 7
    assert call("POST", "/topics/chips/runs", {}).status_code == 409
    assert call("DELETE", "/topics/chips/runs/current").status_code == 204
    assert Run.objects.open().get().stop_asked


def test_sources_rules_and_digests_are_listed(call: Call, scene: Scene) -> None:
    Source.objects.create(
        crawl=scene.crawl, kind="feeds", address="https://a.test/feed", since=NOON, rate={}
    )

    assert call("PUT", "/topics/chips/sites/notes.test", {"rule": "block"}).status_code == 200

    assert call("GET", "/topics/chips/sources").json()[0]["address"] == "https://a.test/feed"
    assert call("GET", "/topics/chips/sites").json() == [{"site": "notes.test", "rule": "block"}]
    assert call("DELETE", "/topics/chips/sites/notes.test").status_code == 204
    assert call("DELETE", "/topics/chips/sites/notes.test").status_code == 404
    assert call("PUT", "/topics/chips/sites/a b", {"rule": "block"}).status_code == 422
    assert call("GET", "/topics/chips/digests").json() == {"items": [], "next": None}


def test_searches_are_saved_once_for_each_key(call: Call, scene: Scene, ann: User) -> None:
    wanted = {"name": "Cache", "query": "cache", "topic": "chips"}

    first = call("POST", "/saved-searches", wanted, idempotency_key="k1")
    SavedSearch.objects.all().delete()
    again = call("POST", "/saved-searches", wanted, idempotency_key="k1")

    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert not SavedSearch.objects.exists()
    other = call("POST", "/saved-searches", wanted | {"name": "B"}, idempotency_key="k1")
    assert other.status_code == 422
    ApiAnswer.objects.update(created=timezone.now() - KEPT - timedelta(seconds=1))
    assert call("POST", "/saved-searches", wanted, idempotency_key="k1").status_code == 201
    (saved,) = call("GET", "/saved-searches").json()
    assert call("DELETE", f"/saved-searches/{saved['id']}").status_code == 204
    assert call("POST", "/saved-searches", wanted | {"query": "(("}).status_code == 422


def test_another_query_of_a_search_is_counted_and_its_rules_begin_again(
    call: Call, scene: Scene, ann: User
) -> None:
    wanted = {"name": "Cache", "query": "cache", "topic": "chips"}
    call("POST", "/saved-searches", wanted)
    saved = SavedSearch.objects.get()
    SavedSearch.objects.update(counted=NOON, n_found=9)
    AlertRule.objects.create(owner=ann, name="r", search=saved, begins=NOON, created=NOON)

    assert call("POST", "/saved-searches", wanted | {"query": "pylon"}).status_code == 201

    assert SavedSearch.objects.get().counted is None
    assert AlertRule.objects.get().begins > NOON


@pytest.mark.parametrize("path", ["/topics", "/topics/chips/runs", "/saved-searches"])
def test_a_form_in_place_of_json_is_refused_as_a_problem(
    client: Client, scene: Scene, path: str
) -> None:
    header = {"authorization": f"Bearer {token_of(scene.topic.owner)}"}

    answer = client.post(f"{ROOT}{path}", {"name": "x"}, headers=header)  # multipart/form-data

    assert answer.status_code in (400, 422)
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_head_is_answered_as_get_without_a_body(call: Call, scene: Scene) -> None:
    for path in ("/topics", "/topics/chips", "/topics/chips/pages", "/search?q=line"):
        full, head = call("GET", path), call("HEAD", path)
        assert (head.status_code, head.content) == (full.status_code, b""), path
        assert head.headers.get("ETag") == full.headers.get("ETag")
    assert call("HEAD", "/topics/moon").status_code == 404
    assert call("HEAD", "/topics/chips/runs/current").status_code == 405


def test_a_method_that_an_address_does_not_have_is_refused_as_a_problem(
    call: Call, scene: Scene
) -> None:
    for method, path in (("PUT", "/topics"), ("HEAD", "/topics/chips/runs/current")):
        answer = call(method, path)
        assert answer.status_code == 405
        assert answer.headers["Content-Type"] == "application/problem+json"
    refused = call("PUT", "/topics")
    assert refused.headers["Allow"] == "GET, POST"
    assert refused.json()["detail"] == "this address does not take PUT, only GET, POST"


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("path", ["nothing", "topics/", "topics/chips/pages/1/nothing", ""])
def test_an_unknown_address_is_refused_with_problem_details(
    scene: Scene, method: str, path: str
) -> None:
    strict = Client(enforce_csrf_checks=True)
    refused = strict.generic(method, f"/api/v1/{path}", "{}", "application/json")

    assert (refused.status_code, refused["Content-Type"]) == (404, "application/problem+json")
    assert "the API has no such address" in refused.json()["detail"]


@pytest.mark.parametrize("path", ["/topics", "/topics/chips/runs", "/nothing"])
def test_a_body_that_is_too_large_is_refused_with_problem_details(
    call: Call, scene: Scene, path: str
) -> None:
    refused = call("POST", path, "x" * MAX_BODY_BYTES)

    assert (refused.status_code, refused["Content-Type"]) == (413, "application/problem+json")
    assert refused.json()["detail"] == "the body is larger than 1 MiB"


@pytest.mark.parametrize(
    ("error", "status", "detail"),
    [
        (OperationalError("database is locked"), 503, "Another program has locked the database"),
        (OperationalError("database or disk is full"), 503, "The disk is full"),
        (OperationalError("connection refused"), 503, "The database does not respond"),
        (RuntimeError("a fault of ours"), 500, "the server could not answer; its log says why"),
    ],
)
def test_a_fault_of_the_server_is_answered_with_problem_details(
    error: Exception, status: int, detail: str
) -> None:
    request = RequestFactory().get(f"{ROOT}/topics", headers={"accept-language": "zh-hans"})
    try:
        raise error
    except (OperationalError, RuntimeError):
        answer = server_fault(request)
    last_fault.note("")

    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert json.loads(answer.content)["detail"].startswith(detail)
    assert answer.headers.get("Retry-After") == ("10" if status == 503 else None)


def test_a_request_that_is_malformed_is_refused_with_problem_details() -> None:
    answer = bad_request(RequestFactory().get(f"{ROOT}/topics"), ValueError("a host"))

    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert json.loads(answer.content)["detail"].startswith("the request is malformed, or its host")


def test_a_failed_request_is_not_remembered(call: Call, scene: Scene) -> None:
    wanted = {"name": "A", "query": "a", "topic": "moon"}
    assert call("POST", "/saved-searches", wanted, idempotency_key="k").status_code == 404
    topic_of(scene.topic.owner, "moon")
    assert call("POST", "/saved-searches", wanted, idempotency_key="k").status_code == 201


def test_the_description_names_every_address_and_is_open(client: Client, db: None) -> None:
    answer = client.get(f"{ROOT}/openapi.json")

    assert answer.status_code == 200
    described = answer.json()["paths"]
    assert len(described) == len({str(one.pattern) for one in urlpatterns} - {"", "openapi.json"})
    assert all("summary" in one for methods in described.values() for one in methods.values())

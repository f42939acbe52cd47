"""Who gets what: strangers the login, others a 404, and every answer its headers."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from crawler.models import Harvest, Ontology, Run
from tests.topics.factories import NOON, Scene, person, topic_of
from topics.models import Topic, TopicReader

#: URLs of one topic: name, how often its keys are needed, and the method.
OWN = {
    "topic_detail": "get",
    "topic_pages": "get",
    "topic_known": "get",
    "topic_sources": "get",
    "topic_settings": "get",
    "topic_delete": "get",
    "topic_crawl_now": "post",
    "topic_stop": "post",
    "run_list": "get",
    "run_detail": "get",
    "run_live": "get",
    "run_strip": "get",
    "run_kept": "get",
    "run_reason": "get",
    "page_detail": "get",
    "page_read": "get",
    "page_path": "get",
    "page_preview": "get",
    "site_preview": "get",
    "topic_read_all": "post",
    "topic_profile": "get",
    "topic_suggestions": "get",
    "topic_found_terms": "get",
    "topic_concepts": "get",
    "topic_examples": "get",
    "topic_compare": "get",
    "topic_compare_live": "get",
    "topic_compare_use": "post",
    "topic_digest": "get",
    "digest_preview": "get",
    "digest_preview_mail": "get",
    "topic_alerts": "get",
    "topic_charts": "get",
    "run_charts": "get",
    "site_charts": "get",
    "chart_file": "get",
    "topic_sharing": "get",
    "topic_file": "get",
    "topic_changes": "get",
    "source_file": "get",
    "topic_plugins": "get",
}
#: URLs of a topic's issue or source; test_digests.py and test_sources.py test access to them, too.
OF_PARTS = {
    "concept_preview",
    *("digest_issue", "digest_issue_mail", "digest_issue_file", "source_pages"),
    "change_detail",
}
#: Forms of one topic that do nothing when they are sent empty.
FORMS = {
    *("site_rule", "source_again", "page_thumb", "page_mark", "topic_preview", "topic_term_switch"),
    *("topic_questions", "topic_searches", "site_decision", "topic_reader_remove", "topic_leave"),
    *("topic_example_remove", "ontology_notice_read", "topic_term_add"),
    *(
        "topic_concept_remove",
        "topic_concept_below",
        "topic_concepts_named",
        "digest_test",
        "digest_issue_again",
    ),
    "digest_link",
    "digest_issue_came",
    "newspaper_change",
    "change_mark",
    "topic_sources_add",
}
#: What people may open of a topic that is shared with them; their marks are their own.
READABLE = {
    *("topic_detail", "topic_pages", "topic_known", "page_detail", "page_read", "page_mark"),
    "page_path",
    *("topic_read_all", "topic_sources", "source_pages", "topic_leave"),
    *("topic_changes", "change_detail", "change_mark", "source_file"),
    *("topic_charts", "run_charts", "site_charts", "chart_file"),
    *("run_list", "run_detail", "run_live", "run_strip", "run_kept", "run_reason"),
}
GUARDED = OWN | dict.fromkeys(sorted(FORMS), "post") | dict.fromkeys(sorted(OF_PARTS), "get")
#: Ontologies: the list shows what a user may see; access to the others is tested below.
ONTOLOGIES = {
    *("ontology_list", "ontology_upload", "ontology_save"),
    *("ontology_export", "ontology_copy", "ontology_delete", "ontology_share"),
}
#: Addresses that show a person only what is theirs.
PERSONAL = {
    *(
        "topic_list",
        "topics_today",
        "new_topic",
        "topic_upload",
        "add_page",
        "tour",
        "alert_list",
        "alerts_seen",
    ),
    *("search", "search_export", "search_bulk", "digests_stop"),
    *("rule_list", "rule_new", "rule_detail", "rule_change"),
    *("channel_list", "channel_detail", "channel_change", "delivery_change"),
    *("saved_searches", "save_search", "change_saved_search", "feed_change"),
    *("system", "system_live"),
    *("account", "account_delete", "account_password", "sign_in_end", "sign_ins_end"),
    *("token_list", "token_revoke"),
}
#: For staff; others do not learn that they exist.
STAFF = {"invitation_list": "get", "invitation_cancel": "post"}
#: For superusers alone: a plugin runs with all rights of the program.
OPERATORS = {"plugin_list": "get", "change_plugin": "post", "plugin_settings": "post"}
#: The same for every user who is signed in.
SHARED = {"demo_page"}
OPEN = {
    *("login", "logout", "set_language", "health", "manifest", "csp_report", None),
    *("join", "password_reset", "password_reset_confirm"),
    *("unsubscribe", "confirm_address", "confirm_channel", "stop_channel", "mail_link"),
    # A feed reader brings a secret address instead of a session.
    "feed",
    # What an owner publishes; test_newspaper.py tests what it shows.
    *("newspaper", "newspaper_feed"),
}


def address(name: str, scene: Scene) -> str:
    keys: dict[str, Any] = {"slug": scene.topic.slug}
    if name.startswith("run_") and name not in ("run_list", "run_charts"):
        keys["pk"] = scene.run.pk
    if name == "run_reason":
        keys["code"] = "gone"
    if name in FORMS and name.startswith(("topic_example", "topic_concept", "ontology")):
        keys["pk"] = 1
    if name == "concept_preview":
        keys["pk"] = 1
    if name == "topic_reader_remove":
        keys["pk"] = 1
    if name.startswith("digest_issue"):
        keys["pk"] = 1
    if name == "chart_file":
        keys["name"] = "news.csv"
    if name.startswith("change_"):
        keys["pk"] = 1
    if name in ("site_rule", "site_decision", "site_preview"):
        keys["pk"] = scene.url("https://portal.test/").site_id
    if name in ("page_detail", "page_read", "page_path", "page_preview", "page_thumb", "page_mark"):
        keys["pk"] = Harvest.objects.filter(crawl=scene.crawl).first().pk  # type: ignore[union-attr]
    return reverse(name, kwargs=keys)


def our_patterns() -> Iterator[str | None]:
    for entry in get_resolver("topics.urls").url_patterns:
        assert isinstance(entry, URLPattern)
        yield entry.name


def test_every_address_is_in_one_of_the_lists() -> None:
    assert set(our_patterns()) == set(GUARDED) | ONTOLOGIES | PERSONAL | SHARED | OPEN | set(
        STAFF
    ) | set(OPERATORS)


@pytest.mark.parametrize(("name", "method"), GUARDED.items())
def test_strangers_are_led_to_the_login(
    client: Client, scene: Scene, name: str, method: str
) -> None:
    answer = getattr(client, method)(address(name, scene))
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/login/")


@pytest.mark.parametrize("name", sorted(ONTOLOGIES))
def test_ontologies_are_not_for_strangers(client: Client, db: None, name: str) -> None:
    own = name in ("ontology_list", "ontology_upload", "ontology_save")
    path = reverse(name, kwargs={} if own else {"pk": 1})
    for answer in (client.get(path), client.post(path)):
        assert answer.headers["Location"].startswith("/login/")


@pytest.mark.parametrize("who", ["bob", "staff", "root"])
@pytest.mark.parametrize(("name", "method"), GUARDED.items())
def test_other_peoples_topics_do_not_exist(
    client: Client, scene: Scene, name: str, method: str, who: str
) -> None:
    rights = {"bob": {}, "staff": {"is_staff": True}, "root": {"is_superuser": True}}[who]
    client.force_login(person(who, **rights))
    assert getattr(client, method)(address(name, scene)).status_code == 404
    assert Run.objects.get().stop_asked is False


@pytest.mark.parametrize(("name", "method"), OPERATORS.items())
@pytest.mark.parametrize(
    ("who", "status"),
    [("", 302), ("bob", 403), ("staff", 403), ("root", {"get": 200, "post": 404})],
)
def test_only_superusers_operate_the_installation(
    client: Client, db: None, name: str, method: str, who: str, status: int | dict[str, int]
) -> None:
    if who:
        client.force_login(person(who, is_staff=who == "staff", is_superuser=who == "root"))
    expected = status[method] if isinstance(status, dict) else status
    path = reverse(name, kwargs={"name": "missing"} if name == "plugin_settings" else {})
    assert getattr(client, method)(path).status_code == expected


@pytest.mark.parametrize(("name", "method"), GUARDED.items())
def test_who_reads_a_shared_topic_opens_its_pages_and_changes_nothing(
    client: Client, scene: Scene, bob: User, name: str, method: str
) -> None:
    path = address(name, scene).replace("/chips/", "/ann~chips/")
    client.force_login(bob)
    assert getattr(client, method)(path).status_code == 404
    TopicReader.objects.create(topic=scene.topic, user=bob, created=NOON)
    status = getattr(client, method)(path).status_code
    if name not in READABLE:
        assert status == 403
    elif method == "get":
        # A source is named by its key, and no page has changed: without either there is no page.
        assert status == (404 if name in ("source_pages", "change_detail") else 200)
    else:
        assert status == {"page_mark": 400, "change_mark": 404}.get(name, 302)


@pytest.mark.parametrize(("name", "method"), STAFF.items())
def test_pages_for_staff_are_for_staff(client: Client, bob: User, name: str, method: str) -> None:
    keys = {} if name.endswith("_list") else {"pk": 1}
    path = reverse(name, kwargs=keys)
    assert getattr(client, method)(path).headers["Location"].startswith("/login/")
    client.force_login(bob)
    assert getattr(client, method)(path).status_code == 404
    client.force_login(person("staff", is_staff=True))
    assert getattr(client, method)(path).status_code == (404 if keys else 200)


KEYED = [
    "run_detail",
    "run_live",
    "run_strip",
    "run_kept",
    "run_reason",
    "page_detail",
    "page_read",
]


@pytest.mark.parametrize("name", KEYED)
def test_a_key_of_another_topic_does_not_fit(
    as_ann: Client, scene: Scene, bob: User, name: str
) -> None:
    Topic.objects.create(
        owner=scene.topic.owner, name="Other", slug="other", seeds="http://a.test/"
    )
    path = address(name, scene).replace("/chips/", "/other/")
    assert as_ann.get(path).status_code == 404


@pytest.mark.parametrize(("name", "method"), OWN.items())
def test_the_owner_is_let_in(as_ann: Client, scene: Scene, name: str, method: str) -> None:
    answer = getattr(as_ann, method)(address(name, scene))
    assert answer.status_code == (302 if method == "post" else 200)


@pytest.mark.parametrize("name", ["topic_crawl_now", "topic_stop"])
def test_looking_starts_and_stops_nothing(as_ann: Client, scene: Scene, name: str) -> None:
    assert as_ann.get(address(name, scene)).status_code == 405


def test_a_forged_form_is_refused(scene: Scene, ann: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann)
    assert client.post(address("topic_stop", scene)).status_code == 403


def test_anothers_topics_are_not_in_the_list(client: Client, scene: Scene, bob: User) -> None:
    client.force_login(bob)
    assert "Computing" not in client.get("/").content.decode()


def test_health_is_one_word_for_everybody(client: Client) -> None:
    answer = client.get("/health")
    assert (answer.status_code, answer.content) == (200, b"ok\n")


@pytest.mark.django_db
def test_no_address_of_ours_is_missing_its_picture(client: Client) -> None:
    assert client.get("/favicon.ico").headers["Location"] == "/static/favicon.svg"


LEADS_AWAY = ["//evil.test", "https://evil.test/", r"\\evil.test", "javascript:alert(1)", "/\t/e.t"]


@pytest.mark.django_db
@pytest.mark.parametrize("target", LEADS_AWAY)
def test_signing_in_leads_nowhere_else(client: Client, target: str) -> None:
    User.objects.create_user("eve", password="eve")
    answer = client.post("/login/", {"username": "eve", "password": "eve", "next": target})
    assert answer.headers["Location"] == "/"


@pytest.mark.parametrize("path", ["/", "/login/", "/health", "/none", "/topics/chips/"])
def test_every_answer_carries_the_safety_headers(as_ann: Client, scene: Scene, path: str) -> None:
    headers = as_ann.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Permissions-Policy"] == "camera=(), microphone=(), geolocation=()"


@pytest.mark.parametrize("path", ["/", "/topics/chips/", "/none"])
def test_personal_pages_are_kept_by_no_cache(as_ann: Client, scene: Scene, path: str) -> None:
    assert as_ann.get(path).headers["Cache-Control"] == "private, no-store"


# who, whose ontology, is it shared -> may see, may change
@pytest.mark.parametrize(
    ("who", "owner", "shared", "sees", "changes"),
    [
        ("ann", "ann", False, True, True),
        ("ann", "ann", True, True, True),
        ("bob", "ann", False, False, False),
        ("bob", "ann", True, True, False),
        ("staff", "ann", False, False, False),
        ("staff", "ann", True, True, False),
        ("root", "ann", False, True, True),
        ("root", None, True, True, True),
        ("bob", None, True, True, False),
        ("bob", None, False, False, False),
    ],
)
def test_an_ontology_is_its_owners_or_shared_or_not_there(
    client: Client,
    scene: Scene,
    who: str,
    owner: str | None,
    *,
    shared: bool,
    sees: bool,
    changes: bool,
) -> None:
    person("bob")
    person("staff", is_staff=True)
    person("root", is_superuser=True)
    canary = Ontology.objects.create(
        owner=User.objects.filter(username=owner).first(),
        shared=shared,
        slug="canary",
        title="Canary",
        changed=NOON,
    )
    user = User.objects.get(username=who)
    topic = scene.topic if who == "ann" else topic_of(user)
    client.force_login(user)
    seen, changed = (200 if sees else 404), (200 if changes else 404)

    assert client.get(f"/ontologies/{canary.pk}/export").status_code == seen
    assert ("Canary" in client.get("/ontologies/").content.decode()) is sees
    named = client.post(f"/topics/{topic.slug}/concepts/named/{canary.pk}")
    assert named.status_code == (302 if sees else 404)
    for deed in ("delete", "share"):
        path = f"/ontologies/{canary.pk}/{deed}"
        assert client.get(path).status_code == changed
        assert client.head(path).status_code == changed
        for method in ("put", "patch", "delete"):
            assert getattr(client, method)(path).status_code == 405
    assert Ontology.objects.get().shared is shared
    share = client.post(f"/ontologies/{canary.pk}/share", {"shared": "" if shared else "1"})
    assert share.status_code == (302 if changes else 404)
    assert Ontology.objects.get().shared is (shared is not changes)
    canary.save()
    assert client.post(f"/ontologies/{canary.pk}/delete").status_code == (302 if changes else 404)
    assert Ontology.objects.exists() is not changes

"""The administration: owners edit their own topics, and the queue is read-only."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from crawler.judging.rescore import rejudge
from crawler.models import Harvest, Page, Run, Site
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms
from tests.topics.factories import NOON, Scene, person, scene_of, topic_of
from topics.accounts.sharing import share, shared_with
from topics.models import Topic
from topics.profile.crawl import save_crawl

FORM: dict[str, Any] = {
    "name": "Chips",
    "slug": "chips",
    "languages": "zh, en",
    "queries": "",
    "seeds": "https://a.test/#x",
    "active": "on",
    "schedule_kind": "hours",
    "every_hours": "6",
    "at": "",
    "weekdays": "",
    "zone": "Asia/Shanghai",
    "n_pages": "100",
    "max_depth_hops": "5",
    "strategy": "best_first",
    "judge": "cosine",
    "threshold": "0.5",
    "link_weight": "0.7",
    "content_weight": "0.3",
    "fresh_days": "30",
    "breadth": "balanced",
    "ranker": "absolute",
    "link_value": "all",
    "link_scale": "2",
    "terms-TOTAL_FORMS": "2",
    "terms-INITIAL_FORMS": "0",
    "terms-0-text": "cpu",
    "terms-0-weight": "1",
    "terms-1-text": "",
    "terms-1-weight": "1.0",
    "concepts-TOTAL_FORMS": "0",
    "concepts-INITIAL_FORMS": "0",
    "examples-TOTAL_FORMS": "0",
    "examples-INITIAL_FORMS": "0",
}
ADD = "/admin/topics/topic/add/"
LIST = "/admin/topics/topic/"


@pytest.fixture
def editor(ann: User) -> User:
    """Ann may work with topics in the administration, and view runs and sites."""
    ann.is_staff = True
    ann.save()
    wanted = ["add_topic", "change_topic", "delete_topic", "view_topic", "view_run", "view_site"]
    terms = ["add_topicterm", "change_topicterm", "delete_topicterm", "view_topicterm"]
    ann.user_permissions.set(
        Permission.objects.filter(codename__in=[*wanted, *terms, "view_frontierentry"])
    )
    return ann


@pytest.fixture
def desk(client: Client, editor: User) -> Client:
    client.force_login(editor)
    return client


@pytest.fixture
def root_desk(client: Client, db: None) -> Client:
    client.force_login(person("root", is_staff=True, is_superuser=True))
    return client


def errors(answer: Any) -> str:
    return str(answer.context["adminform"].form.errors) + str(
        [formset.formset.errors for formset in answer.context["inline_admin_formsets"]]
    )


def test_a_saved_topic_belongs_to_its_maker_and_reaches_the_crawler(
    desk: Client, editor: User
) -> None:
    assert desk.post(ADD, FORM).status_code == 302
    topic = Topic.objects.get()
    assert topic.owner == editor
    assert topic.seeds == "https://a.test/"
    assert topic.crawl is not None
    assert [term.text for term in topic.crawl.profile.terms] == ["cpu"]


def test_a_new_topic_leads_to_its_page_and_begins_by_itself(desk: Client) -> None:
    answer = desk.post(ADD, FORM, follow=True)
    assert answer.redirect_chain == [("/topics/chips/", 302)]
    now = timezone.now()
    assert list(Topic.objects.due(now)) == [Topic.objects.get()]
    Topic.objects.update(active=False)
    assert not Topic.objects.due(now).exists()


@pytest.mark.parametrize("button", ["_continue", "_addanother"])
def test_the_other_buttons_stay_in_the_administration(desk: Client, button: str) -> None:
    assert "/admin/" in desk.post(ADD, FORM | {button: "1"}).headers["Location"]


def test_a_topic_for_somebody_else_stays_in_the_administration(
    root_desk: Client, bob: User
) -> None:
    answer = root_desk.post(ADD, FORM | {"owner": bob.pk})
    assert answer.headers["Location"] == LIST


def test_a_reader_who_is_made_the_owner_reads_the_topic_once(root_desk: Client, bob: User) -> None:
    topic = topic_of(person("ann"))
    share(topic, "bob", NOON)
    changed = FORM | {"owner": bob.pk, "terms-TOTAL_FORMS": "0"}

    assert root_desk.post(f"{LIST}{topic.pk}/change/", changed).status_code == 302

    assert [row.owner for row in Topic.objects.all()] == [bob]
    assert shared_with(bob) == []


@pytest.mark.parametrize(
    ("change", "moves"), [({"every_hours": "1"}, True), ({"n_pages": "77"}, False)]
)
def test_another_schedule_plans_the_next_run_anew(
    desk: Client, change: dict[str, str], moves: bool
) -> None:
    desk.post(ADD, FORM)
    topic = Topic.objects.get()
    planned = timezone.now() + timedelta(hours=6)
    Topic.objects.update(next_run=planned)
    term = topic.terms.get()
    saved = {"terms-INITIAL_FORMS": "1", "terms-0-id": term.pk, "terms-0-topic": topic.pk}
    desk.post(f"{LIST}{topic.pk}/change/", FORM | saved | change)
    topic.refresh_from_db()
    assert topic.next_run is not None
    assert (topic.next_run < planned) is moves


def test_a_forged_owner_is_ignored(desk: Client, editor: User, bob: User) -> None:
    desk.post(ADD, FORM | {"owner": bob.pk})
    assert Topic.objects.get().owner == editor


BAD = [
    ({"seeds": "ftp://a.test/"}, "Line 1: not an http or https URL"),
    ({"seeds": ""}, "Add at least one seed URL"),
    ({"link_weight": "nan"}, "Enter a number."),
    ({"link_weight": "0.9"}, "must add up to 1"),
    ({"strategy": "teleport"}, "not one of the available choices"),
    ({"schedule_kind": "weekly"}, "need a time of day"),
    ({"terms-0-required": "on", "terms-0-excluded": "on"}, "both required and excluded"),
    ({"terms-0-weight": "nan"}, "Enter a number."),
    ({"terms-1-text": "ＣＰＵ"}, "is listed twice"),
]


@pytest.mark.parametrize(("wrong", "said"), BAD)
def test_bad_input_is_reported_at_its_field_and_not_saved(
    desk: Client, wrong: dict[str, str], said: str
) -> None:
    answer = desk.post(ADD, FORM | wrong)
    assert answer.status_code == 200
    assert said in errors(answer)
    assert not Topic.objects.exists()


@pytest.mark.parametrize(
    ("engine", "said"),
    [
        ("", "the queries are stored but not used"),
        ("http://search.demo.test/search", "The demo's search engine answers"),
        ("http://searx.test/", "a search engine turns them into seeds"),
    ],
)
def test_the_form_says_who_answers_queries(
    desk: Client, settings: Settings, engine: str, said: str
) -> None:
    settings.SEARXNG_URL = engine
    assert said in desk.get(ADD).content.decode()


def test_every_label_of_the_form_begins_with_a_capital(desk: Client) -> None:
    html = desk.get(ADD).content.decode()
    labels = re.findall(r"<label[^>]*>\s*([^<\s]+)", html.split('id="topic_form"')[1])
    assert "Ranking:" in labels
    assert [label for label in labels if label[:1].islower()] == []


def test_others_topics_are_neither_listed_nor_opened(desk: Client, bob: User) -> None:
    topic = topic_of(bob, "secret", name="Bob's canary")
    assert "canary" not in desk.get(LIST).content.decode()
    change = reverse("admin:topics_topic_change", args=[topic.pk])
    assert desk.get(change).status_code == 302
    assert desk.post(change, FORM).status_code == 302
    topic.refresh_from_db()
    assert topic.name == "Bob's canary"


@pytest.mark.parametrize("action", ["crawl_now", "stop", "delete_selected"])
def test_actions_do_not_reach_others_topics(
    desk: Client, bob: User, settings: Settings, action: str
) -> None:
    settings.CONTACT_URL = "https://me.test/"
    scene = scene_of(bob)
    if action == "stop":
        Run.objects.update(ended=None)
    desk.post(LIST, {"action": action, "_selected_action": [scene.topic.pk], "post": "yes"})
    assert Run.objects.get().stop_asked is False
    assert Topic.objects.count() == 1


def test_crawl_now_starts_a_run(desk: Client, editor: User, settings: Settings) -> None:
    settings.CONTACT_URL = "https://me.test/"
    topic = topic_of(editor)
    select = {"action": "crawl_now", "_selected_action": [topic.pk]}
    assert "1 crawl started." in desk.post(LIST, select, follow=True).content.decode()
    assert Run.objects.get().ended is None
    assert "is already being crawled" in desk.post(LIST, select, follow=True).content.decode()


def test_stop_asks_the_run_to_end(desk: Client, editor: User) -> None:
    scene = scene_of(editor, ended=None, stop_reason="")
    desk.post(LIST, {"action": "stop", "_selected_action": [scene.topic.pk]})
    assert Run.objects.get().stop_asked


def test_nobody_can_edit_the_queue(root_desk: Client) -> None:
    assert not [model for model in admin.site._registry if model._meta.app_label == "django_q"]
    assert root_desk.get("/admin/django_q/schedule/").status_code == 404


@pytest.mark.parametrize("name", ["run", "frontierentry"])
def test_what_the_crawler_writes_can_only_be_looked_at(
    root_desk: Client, scene: Scene, name: str
) -> None:
    model = {"run": Run, "frontierentry": scene.crawl.frontier.model}[name]
    first = model._default_manager.first()  # type: ignore[attr-defined]
    change = reverse(f"admin:crawler_{name}_change", args=[first.pk])
    assert root_desk.get(change).status_code == 200
    assert root_desk.post(change, {}).status_code == 403
    assert root_desk.get(f"/admin/crawler/{name}/").status_code == 200
    assert root_desk.get(f"/admin/crawler/{name}/add/").status_code == 403


def test_a_site_can_be_stopped_by_a_superuser_and_nothing_else_changed(
    root_desk: Client, scene: Scene
) -> None:
    site = Site.objects.get(name="portal.test")
    change = reverse("admin:crawler_site_change", args=[site.pk])
    root_desk.post(change, {"stopped": "on", "name": "evil.test"})
    site.refresh_from_db()
    assert (site.stopped, site.name) == (True, "portal.test")


def test_runs_of_others_are_not_listed(desk: Client, bob: User) -> None:
    scene = scene_of(bob, "secret")
    for name in ("run", "frontierentry"):
        assert "crawl-secret" not in desk.get(f"/admin/crawler/{name}/").content.decode()
    change = reverse("admin:crawler_run_change", args=[scene.run.pk])
    assert desk.get(change).status_code == 302


def test_a_person_without_staff_rights_is_kept_out(as_ann: Client) -> None:
    assert as_ann.get("/admin/").status_code == 302


def test_a_topic_saved_here_has_its_stored_pages_judged_again(
    client: Client, editor: User, scene: Scene
) -> None:
    client.force_login(editor)
    page = Harvest.objects.get(url__url="https://notes.test/cache")
    words = pack_terms(text_terms("onion soup broth " * 20))
    Page.objects.filter(pk=page.url_id).update(packed_terms=words)
    rejudge(save_crawl(scene.topic, scene.now), scene.now)
    page.refresh_from_db()
    assert not page.kept

    form = FORM | {"slug": "chips", "threshold": "0.2", "terms-0-text": "onion soup"}
    answer = client.post(f"{LIST}{scene.topic.pk}/change/", form, follow=True)

    page.refresh_from_db()
    assert page.kept
    assert "added" in answer.content.decode()


def test_the_zone_of_a_topic_is_chosen_from_a_list(desk: Client) -> None:
    html = desk.get(ADD).content.decode()
    assert '<option value="Asia/Shanghai">' in html
    assert "data-own-zone" in html
    assert "zone.js" in html

    desk.post(ADD, FORM | {"zone": "asia/shanghai"})

    assert Topic.objects.get().zone == "Asia/Shanghai"


def test_the_list_shows_times_by_the_clock_of_each_topic(desk: Client) -> None:
    desk.post(ADD, FORM)
    Topic.objects.update(next_run=datetime(2026, 5, 2, 0, 0, tzinfo=UTC))

    html = desk.get(LIST).content.decode()

    assert "2026-05-02 08:00 Asia/Shanghai" in html
    assert '<td class="field-last_run_started">–</td>' in html


def test_a_short_name_of_somebody_else_tells_nothing(desk: Client, ann: User, bob: User) -> None:
    topic_of(bob, "chips")
    assert desk.post(ADD, FORM).headers["Location"] == "/topics/chips/"
    again = desk.post(ADD, FORM)
    assert "The owner already has a topic with this short name" in again.content.decode()
    assert sorted(Topic.objects.values_list("owner", "slug")) == sorted(
        [(ann.pk, "chips"), (bob.pk, "chips")]
    )
    assert "Chips" in desk.get("/topics/chips/").content.decode()


def test_a_superuser_gives_a_topic_to_a_person_who_has_none_of_its_short_name(
    root_desk: Client, bob: User
) -> None:
    topic_of(bob, "chips")
    refused = root_desk.post(ADD, FORM | {"owner": bob.pk})
    assert "The owner already has a topic with this short name" in refused.content.decode()
    assert root_desk.post(ADD, FORM | {"owner": bob.pk, "slug": "other"}).status_code == 302
    assert Topic.objects.get(slug="other").owner == bob

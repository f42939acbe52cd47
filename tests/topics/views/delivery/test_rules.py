"""Pages of alert rules: save, simulate before saving, and why nothing came."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from crawler.models import Run
from crawler.ranking.score import absolute_content, density_value
from tests.topics.delivery.rules_and_channels import channel_of, page, rule_of, work_rules
from tests.topics.factories import NOON, Scene, scene_of, topic_of
from topics.models import AlertRule, Notice, RuleEvent, SavedSearch
from topics.views.delivery.rules import READY_RULES

NEW = {"name": "Now", "rate": "immediate", "max_per_day": "5", "zone": "Asia/Shanghai"}
DAY = timedelta(days=1)


@pytest.fixture
def scene(ann: User) -> Scene:
    return scene_of(ann, now=timezone.now())


def test_a_rule_is_simulated_before_it_is_saved(as_ann: Client, scene: Scene) -> None:
    for days in (1, 2, 5, 40):
        page(scene, f"{days} days ago", first_seen=scene.now - days * DAY, score=0.6)
    page(scene, "Poor", first_seen=scene.now - DAY, score=0.2)
    page(scene, "Old when found", first_seen=scene.now - DAY, published=scene.now - 9 * DAY)
    data = NEW | {"topic": scene.topic.pk, "min_score": "0.5", "look": "1"}

    text = as_ann.post("/alerts/rules/new", data).content.decode()

    assert "In 30 days, 3 stories would have fitted." in text
    assert "A channel would have got 3 messages" in text
    assert "5 days ago" in text
    assert "Poor" not in text
    assert not AlertRule.objects.exists()


def test_the_pace_counts_in_a_simulation(as_ann: Client, scene: Scene) -> None:
    start = (scene.now - 3 * DAY).replace(hour=4, minute=0)  # noon in Shanghai
    for number in range(4):
        page(scene, first_seen=start + timedelta(hours=number))
    data = NEW | {"topic": scene.topic.pk, "rate": "capped", "max_per_day": "2", "look": "1"}
    text = as_ann.post("/alerts/rules/new", data).content.decode()
    assert "In 30 days, 4 stories would have fitted." in text
    # Two on the day itself, and one at midnight for the two that waited.
    assert "3 messages: at most 2 a day, 1 at night" in text


def test_saving_never_fires_on_what_is_stored(as_ann: Client, scene: Scene, ann: User) -> None:
    page(scene)
    channel = channel_of(ann)
    as_ann.post("/alerts/rules/new", NEW | {"channels": [channel.pk]})
    rule = AlertRule.objects.get()
    assert list(rule.channels.all()) == [channel]
    assert work_rules(timezone.now()) == []
    page(scene, first_seen=timezone.now())
    work_rules(timezone.now())
    assert Notice.objects.count() == 1


def test_a_condition_that_cannot_be_read_is_shown_with_its_place(as_ann: Client) -> None:
    text = as_ann.post("/alerts/rules/new", NEW | {"query": "a titel:grid"}).content.decode()

    assert "At character 3 (“titel:grid”): There is no such field." in text


@pytest.mark.parametrize("words", ["的", "the", "…"])
def test_words_that_no_rule_can_look_for_are_refused(as_ann: Client, words: str) -> None:
    text = as_ann.post("/alerts/rules/new", NEW | {"term": words}).content.decode()

    assert f"“{words}” has only common words and signs" in text
    assert not AlertRule.objects.exists()


@pytest.mark.parametrize("name", ["topic", "search", "channels"])
def test_a_number_that_no_row_can_have_is_refused(
    as_ann: Client, scene: Scene, ann: User, name: str
) -> None:
    channel_of(ann)
    SavedSearch.objects.create(owner=ann, name="s", query="a", created=scene.now)
    assert as_ann.post("/alerts/rules/new", NEW | {name: str(2**63)}).status_code == 422


def test_conditions_on_pages_are_refused_for_other_events(as_ann: Client, scene: Scene) -> None:
    data = NEW | {"watches": "silence", "term": "cache"}

    assert as_ann.post("/alerts/rules/new", data).status_code == 422
    assert as_ann.post("/alerts/rules/new", data | {"term": ""}).status_code == 302
    assert AlertRule.objects.get().after_days == 7


def test_an_event_is_simulated_before_it_is_saved(as_ann: Client, scene: Scene) -> None:
    Run.objects.update(started=scene.now - 60 * DAY, ended=scene.now - 60 * DAY)
    data = NEW | {"topic": scene.topic.pk, "watches": "silence", "after_days": "20", "look": "1"}

    text = as_ann.post("/alerts/rules/new", data).content.decode()

    assert "In 30 days this happened 1 time." in text
    assert "no new page for 20 days" in text


def test_the_page_of_a_rule_lists_its_last_alerts(as_ann: Client, scene: Scene) -> None:
    rule = rule_of(scene)
    row = page(scene, "Cache <lines>", score=0.5)
    assert "Last alerts of this rule" not in why(as_ann, rule)
    work_rules(scene.now)

    text = why(as_ann, rule)

    assert "Last alerts of this rule" in text
    assert "Cache &lt;lines&gt;</a>" in text
    assert f"/topics/chips/pages/{row.pk}/" in text
    assert "score: 0.5" in text


def test_alerts_on_pages_and_on_events_are_one_list(as_ann: Client, scene: Scene) -> None:
    rule = rule_of(scene)
    page(scene, "Cache lines")
    work_rules(scene.now)
    RuleEvent.objects.create(
        rule=rule,
        topic=scene.topic,
        key="x",
        kind="silence",
        facts={"days": 7, "visited": ""},
        happened=scene.now,
        fired=scene.now,
    )

    text = why(as_ann, rule)

    assert text.count("Last alerts of this rule") == 1
    assert "Cache lines</a>" in text
    assert "no new page for 7 days" in text


def test_alerts_of_a_topic_that_went_to_somebody_else_leave_the_page_of_a_rule(
    as_ann: Client, scene: Scene, bob: User
) -> None:
    rule = rule_of(scene, topic=None)
    page(scene, "Cache lines")
    work_rules(scene.now)
    assert "Cache lines</a>" in why(as_ann, rule)
    scene.topic.owner = bob
    scene.topic.save()

    assert "Cache lines" not in why(as_ann, rule)


def test_a_muted_rule_holds_its_messages_and_loses_none(
    as_ann: Client, scene: Scene, ann: User
) -> None:
    rule = rule_of(scene, channel_of(ann))
    page(scene)
    as_ann.post(f"/alerts/rules/{rule.pk}/change", {"do": "mute", "hours": "24"})

    assert work_rules(scene.now) == []
    text = as_ann.get(f"/alerts/rules/{rule.pk}/").content.decode()
    assert "This rule is muted" in text
    assert "Send again now" in text
    assert "1 alert waits for" in text
    assert len(work_rules(scene.now + timedelta(hours=25))) == 1


def test_a_mute_can_be_ended_and_has_no_other_length(
    as_ann: Client, scene: Scene, ann: User
) -> None:
    rule = rule_of(scene, channel_of(ann), muted_until=scene.now + DAY)
    address = f"/alerts/rules/{rule.pk}/change"

    assert as_ann.post(address, {"do": "mute", "hours": "5000"}).status_code == 404
    as_ann.post(address, {"do": "mute", "hours": "0"})

    rule.refresh_from_db()
    assert rule.muted_until is None


def test_what_waits_for_a_channel_leaves_with_it(as_ann: Client, scene: Scene, ann: User) -> None:
    rule = rule_of(scene, channel_of(ann, confirmed=None))
    page(scene)
    work_rules(scene.now)
    assert Notice.objects.count() == 1
    as_ann.post(f"/alerts/rules/{rule.pk}/", NEW | {"topic": scene.topic.pk})
    assert Notice.objects.count() == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("quiet_from", "22:00"), ("zone", "Mars/Base"), ("min_score", "2"), ("max_per_day", "0")),
        *(("language", "Klingon"), ("site", "a.test, b c/d"), ("query", "titel:grid")),
        *(("within_hours", "169"), ("min_sites", "1"), ("after_days", "0")),
    ],
)
def test_what_makes_no_sense_is_refused(as_ann: Client, field: str, value: str) -> None:
    answer = as_ann.post("/alerts/rules/new", NEW | {field: value})
    assert answer.status_code == 422
    assert not AlertRule.objects.exists()


@pytest.mark.parametrize(
    ("typed", "code"), [("zh-CN", "zh"), ("中文", "zh"), ("English", "en"), (" FR ", "fr")]
)
def test_a_language_is_kept_as_pages_name_theirs(as_ann: Client, typed: str, code: str) -> None:
    as_ann.post("/alerts/rules/new", NEW | {"language": typed})
    assert AlertRule.objects.get().language == code


@pytest.mark.parametrize(
    ("ready", "shown"),
    [("score", 'value="0.55"'), ("site", 'name="new_site" id="id_new_site" checked'), ("word", "")],
)
def test_a_ready_rule_is_filled_in_and_tried_before_it_is_saved(
    as_ann: Client, scene: Scene, ready: str, shown: str
) -> None:
    assert f"?ready={ready}" in as_ann.get("/alerts/rules/").content.decode()
    path = f"/alerts/rules/new?ready={ready}&topic=chips"
    html = as_ann.get(path).content.decode()
    assert shown in html and "Try on the last 30 days" in html
    assert 'name="name" value=""' not in html
    assert not AlertRule.objects.exists()


def test_good_pages_reach_the_score_of_the_ready_rule() -> None:
    """Nothing would ever be sent otherwise."""
    dense, typical = density_value(1.5, 1.0), density_value(1.0, 1.0)
    pages = (0.98, dense), (0.9, typical)
    good, usual = (0.75 * absolute_content(*page) for page in pages)

    [needed] = [values["min_score"] for key, _, values in READY_RULES if key == "score"]
    assert usual < needed < good


def test_other_peoples_parts_are_no_choice(
    as_ann: Client, ann: User, bob: User, scene: Scene
) -> None:
    channel_of(ann)
    SavedSearch.objects.create(owner=ann, name="mine", query="q", created=NOON)
    theirs = {
        "topic": topic_of(bob, "theirs").pk,
        "channels": [channel_of(bob).pk],
        "search": SavedSearch.objects.create(owner=bob, name="s", query="q", created=NOON).pk,
    }
    for name, value in theirs.items():
        assert as_ann.post("/alerts/rules/new", NEW | {name: value}).status_code == 422


def test_other_peoples_rules_do_not_exist(client: Client, scene: Scene, bob: User) -> None:
    rule = rule_of(scene, name="Secret plan")
    client.force_login(bob)
    assert client.get(f"/alerts/rules/{rule.pk}/").status_code == 404
    assert client.post(f"/alerts/rules/{rule.pk}/change", {"do": "delete"}).status_code == 404
    assert "Secret plan" not in client.get("/alerts/rules/").content.decode()


def why(client: Client, rule: AlertRule) -> str:
    return client.get(f"/alerts/rules/{rule.pk}/").content.decode()


def test_why_nothing_came(as_ann: Client, scene: Scene, ann: User, settings: Settings) -> None:
    settings.MAIL_SERVER = None
    channel = channel_of(ann)
    rule = rule_of(scene, channel, min_score=0.8)
    text = why(as_ann, rule)
    assert "The background worker is not running" in text
    assert "waits: no mail server is set" in text
    assert "A message fails if none is set within about a day." in text
    assert "no new page was found since the rule was set" in text
    run = Run.objects.create(crawl=scene.crawl, started=scene.now, progress_at=scene.now, n_pages=9)
    assert "a run is in progress" in why(as_ann, rule)
    run.delete()
    page(scene, score=0.5)
    assert "the best one scores 0.50; the rule needs 0.80" in why(as_ann, rule)
    AlertRule.objects.update(min_score=None, term="absent word")
    assert "of 1 new stories none fits all conditions" in why(as_ann, rule)
    AlertRule.objects.update(term="")
    work_rules(scene.now)
    text = why(as_ann, rule)
    assert "1 of 1 new stories fit; 1 of them have their alert" in text
    assert "was not accepted: “No mail server is set" in text
    as_ann.post(f"/alerts/rules/{rule.pk}/change", {"do": "switch"})
    assert "This rule is off" in why(as_ann, rule)


def test_why_an_alert_waits(as_ann: Client, scene: Scene, ann: User) -> None:
    # It is about noon there, so both pages are of one day whenever this test runs.
    zone = f"Etc/GMT{scene.now.hour - 12:+d}"
    rule = rule_of(scene, channel_of(ann), rate="capped", max_per_day=1, zone=zone)
    for number in range(2):
        page(scene, first_seen=scene.now - timedelta(minutes=2 - number))
        work_rules(scene.now - timedelta(minutes=1 - number))
    assert "1 alert waits for “mail 0” until" in why(as_ann, rule)
    # From a minute ago for nearly a day: quiet now, whenever this test runs.
    now = timezone.now().astimezone(ZoneInfo(zone))
    AlertRule.objects.update(
        quiet_from=(now - timedelta(minutes=1)).time(),
        quiet_until=(now - timedelta(minutes=2)).time(),
    )
    assert "Quiet hours: 1 alert waits" in why(as_ann, rule)

"""The alert page, its number beside the link, and the score of a topic."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from crawler.models import Harvest, Page, Run, Story
from crawler.models.web import pack_text
from tests.topics.delivery.rules_and_channels import rule_of
from tests.topics.factories import Scene, person, scene_of, tight, topic_of
from topics.delivery import alerts
from topics.delivery.rules import firing
from topics.models import Alert, RuleEvent, SiteControl

SCORE = "/topics/chips/alerts/"


@pytest.fixture
def scene(ann: User) -> Scene:
    """Ann's topic with two alerts."""
    scene = scene_of(ann, now=timezone.now())
    alerts.set_score(scene.topic, 0.5, scene.now - timedelta(days=1))
    for name, score in (("a", 0.9), ("b", 0.7)):
        story = Story.objects.create(crawl=scene.crawl, first_seen=scene.now)
        scene.page(f"https://{name}.test/", f"Page <{name}>", score=score, story=story)
    assert alerts.fire_all(timezone.now()) == 2
    return scene


def test_an_alert_says_why_it_fired(as_ann: Client, scene: Scene) -> None:
    html = as_ann.get("/alerts/").content.decode()
    assert html.index("Page &lt;a&gt;") < html.index("Page &lt;b&gt;")
    assert "score 0.90, threshold 0.50" in html
    assert "Mentions CPU, cache" in html
    assert "2 new</span>" in html


def test_an_alert_names_the_rules_that_its_page_fitted(as_ann: Client, scene: Scene) -> None:
    rule_of(scene, name="One <site>", site="c.test")
    rule_of(scene, name="Good pages", min_score=0.4)
    story = Story.objects.create(crawl=scene.crawl, first_seen=scene.now)
    scene.page("https://c.test/", "Below the threshold", score=0.4512, story=story)
    firing.fire_rules(timezone.now())

    html = tight(as_ann.get("/alerts/").content.decode())

    start, end = html.index("Below the threshold"), html.index("Page &lt;a&gt;")
    by_rule, by_threshold = html[start:end], html[end : html.index("Page &lt;b&gt;")]
    assert "score 0.45, threshold" not in by_rule
    assert "One &lt;site&gt;</a>(score: 0.45 · site: c.test)" in by_rule
    assert "Good pages</a>(score: 0.45 · threshold: 0.4)" in by_rule
    assert "score 0.90, threshold 0.50" in by_threshold
    assert "Good pages</a>(score: 0.9 · threshold: 0.4)" in by_threshold


def test_an_alert_gives_two_sentences_of_the_page(as_ann: Client, scene: Scene) -> None:
    text = (
        "Nobody came to the fair at all that day.\nThe computer keeps what it has read in a cache."
    )
    Page.objects.update(packed_text=pack_text(text), language="en")
    html = tight(as_ann.get("/alerts/").content.decode())

    start = html.index('<p class="snippet" lang="en">The<mark>computer</mark>keeps what')
    assert start < html.index("Mentions CPU, cache")


def test_a_topic_leads_to_its_alerts_and_its_other_pages(as_ann: Client, scene: Scene) -> None:
    html = as_ann.get("/topics/chips/").content.decode()
    for page in ("digest", "alerts", "profile", "sources", "compare"):
        assert f'href="/topics/chips/{page}/"' in html


def test_seen_alerts_are_not_new_any_more(as_ann: Client, scene: Scene) -> None:
    first, second = Alert.objects.all()
    as_ann.post("/alerts/seen", {"alert": first.pk})
    assert dict(Alert.objects.values_list("pk", "state")) == {first.pk: "seen", second.pk: "new"}
    assert "1 new</span>" in as_ann.get("/").content.decode()
    answer = as_ann.post("/alerts/seen", {"alert": second.pk, "topic": "chips"})
    assert answer.headers["Location"] == "/alerts/?topic=chips"
    html = as_ann.get("/alerts/").content.decode()
    assert "new</span></a>" not in html
    assert "Mark these as seen" not in html


@pytest.mark.parametrize("key", ["", "x", "-1", "9" * 30, "٣", "1 OR 1"])
def test_what_is_no_alert_is_left_alone(as_ann: Client, scene: Scene, key: str) -> None:
    assert as_ann.post("/alerts/seen", {"alert": key, "topic": "none"}).status_code == 302
    assert Alert.objects.filter(state="new").count() == 2


def test_other_peoples_alerts_are_neither_shown_nor_touched(client: Client, scene: Scene) -> None:
    client.force_login(person("bob", is_superuser=True))
    html = client.get("/alerts/").content.decode()
    assert "Page" not in html
    assert "You have no topics yet." in html
    client.post("/alerts/seen", {"alert": [alert.pk for alert in Alert.objects.all()]})
    assert Alert.objects.filter(state="new").count() == 2
    assert client.get("/alerts/?topic=chips").status_code == 404


def test_looking_sees_nothing(as_ann: Client, scene: Scene) -> None:
    assert as_ann.get("/alerts/seen").status_code == 405
    as_ann.get("/alerts/")
    assert Alert.objects.filter(state="new").count() == 2


def test_strangers_are_led_to_the_login(client: Client, db: None) -> None:
    for answer in (client.get("/alerts/"), client.post("/alerts/seen")):
        assert answer.headers["Location"].startswith("/login/")


def test_the_list_can_be_of_one_topic(as_ann: Client, scene: Scene) -> None:
    topic_of(scene.topic.owner, "other", name="Other")
    assert "Page &lt;a&gt;" in as_ann.get("/alerts/?topic=chips").content.decode()
    html = as_ann.get("/alerts/?topic=other").content.decode()
    assert "Page" not in html
    assert "no alert threshold is set." in html


def test_an_empty_list_says_why(as_ann: Client, scene: Scene) -> None:
    Alert.objects.all().delete()
    alerts.set_score(scene.topic, 0.95, scene.now - timedelta(days=1))
    html = as_ann.get("/alerts/").content.decode()
    assert "the best one scores 0.90; the threshold is 0.95." in html
    assert "The page of each rule says" not in html
    rule_of(scene, min_score=0.99)
    assert "The page of each rule says" in as_ann.get("/alerts/").content.decode()


def test_an_alert_that_is_not_made_yet_is_announced(as_ann: Client, scene: Scene) -> None:
    Alert.objects.all().delete()
    html = as_ann.get("/alerts/").content.decode()
    assert "Its alert appears within a minute." in html
    assert "the threshold is" not in html


def test_an_alert_names_the_other_sites_of_its_story(as_ann: Client, scene: Scene) -> None:
    original = Alert.objects.get(harvest__url__url="https://a.test/")
    scene.page("https://copy.test/a", "A copy", score=0.6, story=original.story)
    html = tight(as_ann.get("/alerts/").content.decode())
    assert 'Also at<a href="https://copy.test/a" rel="noopener noreferrer">copy.test</a>' in html
    assert f'pages/{original.harvest_id}/#score" title="Score details">0.90</a>' in html
    Harvest.objects.filter(pk=original.harvest_id).update(score=0.85)
    html = as_ann.get("/alerts/").content.decode()
    assert f'pages/{original.harvest_id}/#score" title="Score details">0.85</a>' in tight(html)
    assert "score 0.90, threshold 0.50" in html
    # Scores to go by are those of stories, as on the topic's page.
    assert "2 new pages in the last 7 days." in as_ann.get(SCORE).content.decode()


def test_the_score_is_set_and_taken_away(as_ann: Client, scene: Scene) -> None:
    html = as_ann.get(SCORE).content.decode()
    assert "2 new pages in the last 7 days." in html
    for alert, score in zip(Alert.objects.order_by("-score"), ("0.90", "0.70"), strict=True):
        assert f'<a href="/topics/chips/pages/{alert.harvest_id}/#score">{score}</a>' in html
    assert "2 alerts for this topic</a>" in html
    as_ann.post(SCORE, {"score": "0.65"})
    scene.topic.refresh_from_db()
    assert scene.topic.alert_score == 0.65
    assert scene.topic.alerts_from is not None
    assert scene.topic.alerts_from >= scene.now
    as_ann.post(SCORE, {"score": ""})
    scene.topic.refresh_from_db()
    assert scene.topic.alert_score is None


@pytest.mark.parametrize("score", ["1.01", "-0.1", "nan", "inf", "high"])
def test_a_score_that_makes_no_sense_is_refused(as_ann: Client, scene: Scene, score: str) -> None:
    assert as_ann.post(SCORE, {"score": score}).status_code == 422
    scene.topic.refresh_from_db()
    assert scene.topic.alert_score == 0.5


def test_alerts_of_a_blocked_site_leave_and_come_back(as_ann: Client, scene: Scene) -> None:
    other = topic_of(scene.topic.owner, "other", name="Other")
    site = scene.url("https://a.test/").site
    control = SiteControl.objects.create(topic=scene.topic, site=site, rule="block")
    # The word holds for its own topic alone.
    SiteControl.objects.create(topic=other, site=scene.url("https://b.test/").site, rule="block")

    html = as_ann.get("/alerts/").content.decode()
    assert "Page &lt;a&gt;" not in html
    assert "Page &lt;b&gt;" in html
    assert "1 new</span>" in html
    assert "1 alert for this topic</a>" in as_ann.get(SCORE).content.decode()
    control.rule = "lower"
    control.save()
    assert "Page &lt;a&gt;" in as_ann.get("/alerts/").content.decode()


def test_while_a_run_goes_on_an_empty_list_says_when_alerts_come(as_ann: Client, ann: User) -> None:
    scene = scene_of(ann, now=timezone.now())
    alerts.set_score(scene.topic, 0.5, scene.now - timedelta(days=1))
    assert "no new page was found" in tight(as_ann.get("/alerts/").content.decode())
    run = Run.objects.create(crawl=scene.crawl, started=scene.now, progress_at=scene.now, n_pages=9)
    text = tight(as_ann.get("/alerts/").content.decode())
    assert "no new page was found" not in text
    assert "at the latest when the run has ended" in text
    run.ended = scene.now
    run.save()
    scene.page("https://c.test/", "Not ranked yet", score=0.9, story=None)
    assert "at the latest when the run has ended" in tight(as_ann.get("/alerts/").content.decode())


def test_events_that_were_not_seen_stand_first(as_ann: Client, scene: Scene) -> None:
    rule = rule_of(scene, watches="silence")
    for number in range(11):
        RuleEvent.objects.create(
            rule=rule,
            topic=scene.topic,
            key=f"silence-{number}",
            kind="silence",
            facts={"days": number + 20, "since": scene.now.isoformat(), "visited": ""},
            happened=scene.now,
            fired=scene.now - timedelta(days=number),
            seen=number < 10,
        )

    text = as_ann.get("/alerts/").content.decode()

    assert "no new page for 30 days" in text, "or it would be counted as new for ever"
    assert text.index("for 30 days") < text.index("for 20 days")
    assert "for 29 days" not in text


def test_events_stand_above_the_alerts_until_they_are_seen(
    as_ann: Client, scene: Scene, ann: User
) -> None:
    facts = {"days": 7, "since": scene.now.isoformat(), "visited": ""}
    rule = rule_of(scene, watches="silence", name="Quiet here")
    row = RuleEvent.objects.create(
        rule=rule,
        topic=scene.topic,
        key="silence-1",
        kind="silence",
        facts=facts,
        happened=scene.now,
        fired=scene.now,
    )

    text = as_ann.get("/alerts/").content.decode()
    assert "no new page for 7 days" in text
    assert "Quiet here" in text
    as_ann.post("/alerts/seen", {"event": str(row.pk)})

    row.refresh_from_db()
    assert row.seen

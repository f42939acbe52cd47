"""Which pages become alerts of a rule: each story once, and nothing that was there before."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from crawler.models import Site
from tests.topics.delivery.rules_and_channels import MINUTE, channel_of, page, rule_of
from tests.topics.factories import NOON, Scene, scene_of
from topics.delivery import alerts
from topics.delivery.rules import firing, saving
from topics.delivery.rules.sentences import simulation_sentence
from topics.delivery.rules.simulation import replay_rule
from topics.models import Alert, AlertMatch, Notice, SiteControl

HOUR = timedelta(hours=1)


def alerted_titles() -> list[str]:
    return sorted(AlertMatch.objects.values_list("harvest__url__page__title", flat=True))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ({}, ["Cache lines", "电网调度"]),
        ({"min_score": 0.5}, ["Cache lines"]),
        ({"term": "cache line"}, ["Cache lines"]),
        ({"term": "電網"}, ["电网调度"]),
        ({"term": "lines cache"}, []),
        ({"language": "zh"}, ["电网调度"]),
        ({"site": "A.test"}, ["Cache lines"]),
        ({"site": "a.te"}, []),
        ({"site": "x.test, a.test"}, ["Cache lines"]),
        ({"not_site": "A.test，x.test"}, ["电网调度"]),
        ({"query": "cache OR 电网"}, ["Cache lines", "电网调度"]),
        ({"query": "/^cache/i -site:b.test"}, ["Cache lines"]),
        ({"query": "储能", "min_score": 0.5}, []),
        ({"within_hours": 2}, ["Cache lines"]),
        ({"min_sites": 2}, ["电网调度"]),
        ({"min_sites": 3}, []),
        ({"new_site": True}, ["电网调度"]),
        ({"min_score": 0.5, "language": "zh"}, []),
    ],
)
def test_all_conditions_that_are_set_must_hold(
    scene: Scene, condition: dict[str, object], expected: list[str]
) -> None:
    rule_of(scene, **condition)
    found = NOON - MINUTE
    page(scene, "Cache lines", site="a.test", score=0.6, published=found - HOUR)
    row = page(
        scene, "电网调度", site="b.test", score=0.4, text="电网与储能", published=found - 3 * HOUR
    )
    page(scene, "Copy", site="c.test", score=0.1, story=row.story)
    page(scene, "Copy", site="www.c.test", score=0.1, story=row.story)
    row.page.language = "zh"
    row.page.save()
    Site.objects.filter(name="b.test").update(first_seen=NOON - MINUTE)

    firing.fire_rules(NOON)

    assert alerted_titles() == expected


def test_a_story_fits_a_rule_once(scene: Scene) -> None:
    rule_of(scene)
    first = page(scene, "First", score=0.5)
    firing.fire_rules(NOON)
    page(scene, "Copy", story=first.story, score=0.9)
    firing.fire_rules(NOON + MINUTE)
    assert alerted_titles() == ["First"]


def test_a_story_comes_to_a_channel_once_whichever_rule_was_first(scene: Scene, ann: User) -> None:
    mine, other = channel_of(ann), channel_of(ann)
    rule_of(scene, mine)
    rule_of(scene, mine, other)
    page(scene)
    firing.fire_rules(NOON)
    firing.fire_rules(NOON)
    assert sorted(Notice.objects.values_list("channel", flat=True)) == [mine.pk, other.pk]
    assert Alert.objects.count() == 1
    assert AlertMatch.objects.count() == 2


def test_what_was_there_never_fires(scene: Scene) -> None:
    rule = rule_of(scene)
    page(scene, "Known", baseline=True)
    page(scene, "Before", first_seen=rule.begins)
    page(scene, "Old", published=NOON - timedelta(days=8))
    page(scene, "Unranked").__class__.objects.filter(url__page__title="Unranked").update(story=None)
    assert firing.fire_rules(NOON) == 0


def test_a_rule_that_looks_elsewhere_or_was_off_begins_anew(scene: Scene) -> None:
    rule = rule_of(scene, min_score=0.9)
    page(scene, score=0.5)
    rule.min_score = 0.1
    saving.save_rule(rule, [], NOON, conditions_changed=True)
    assert firing.fire_rules(NOON + MINUTE) == 0
    saving.switch_rule(rule, NOON)
    page(scene, first_seen=NOON + MINUTE)
    assert firing.fire_rules(NOON + 2 * MINUTE) == 0
    saving.switch_rule(rule, NOON + 3 * MINUTE)
    assert firing.fire_rules(NOON + 4 * MINUTE) == 0
    page(scene, "New", first_seen=NOON + 5 * MINUTE)
    firing.fire_rules(NOON + 6 * MINUTE)
    assert alerted_titles() == ["New"]


@pytest.mark.parametrize(("n_pages", "is_cut"), [(2, False), (3, True)])
def test_a_simulation_says_when_it_checked_the_best_pages_only(
    scene: Scene, n_pages: int, is_cut: bool
) -> None:
    for _ in range(n_pages):
        page(scene)
    rule = rule_of(scene, term="absent word")

    look = replay_rule(rule, NOON, max_pages=2)

    assert (look.n_alerts, look.is_cut) == (0, is_cut)
    assert ("Only the best pages were looked at." in simulation_sentence(look)) is is_cut


def test_a_blocked_site_raises_nothing(scene: Scene) -> None:
    rule_of(scene)
    row = page(scene)
    SiteControl.objects.create(topic=scene.topic, site=row.url.site, rule="block")
    assert firing.fire_rules(NOON) == 0


def test_a_rule_for_all_topics_looks_at_its_owners_only(scene: Scene, bob: User) -> None:
    rule_of(scene, topic=None)
    page(scene, "Mine")
    page(scene_of(bob, "other"), "Theirs")
    firing.fire_rules(NOON)
    assert alerted_titles() == ["Mine"]


def test_an_alert_of_the_threshold_is_the_same_alert(scene: Scene, ann: User) -> None:
    rule_of(scene, channel_of(ann))
    alerts.set_score(scene.topic, 0.4, NOON - HOUR)
    page(scene, score=0.5)
    alerts.fire_all(NOON)
    firing.fire_rules(NOON)
    assert Alert.objects.count() == 1
    assert Notice.objects.count() == 1

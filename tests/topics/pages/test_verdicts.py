"""What is said of a page's being kept is what decided it."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crawler.models import FrontierEntry, Harvest, Link, Page
from crawler.reasons import Reason
from crawler.store.labels import LabelledPage, save_labels
from crawler.strategies.base import Rating
from crawler.strategies.link_notes import pack_notes
from tests.topics.factories import Scene, person, scene_of
from topics.accounts.sharing import share
from topics.pages.verdicts import Decision, decision_sentence, decisions
from topics.profile import feedback

URL = "https://cells.test/a"


@pytest.fixture
def scene(ann: User) -> Scene:
    return scene_of(ann)


def page(scene: Scene, *, kept: bool, relevance: float = 0.1) -> Harvest:
    """A page of a topic whose threshold is .5."""
    explanation = {"judge": {"name": "focus", "relevance": relevance, "threshold": 0.5}}
    return scene.page(URL, "Cells", kept=kept, relevance=relevance, explanation=explanation)


def rate(scene: Scene, harvest: Harvest, good: bool) -> None:
    save_labels(scene.crawl, [LabelledPage(good, 1.0, harvest.url_id, decided=True)])


def set_entry(harvest: Harvest, **values: Any) -> None:
    FrontierEntry.objects.filter(url_id=harvest.url_id).update(**values)


def decided(scene: Scene) -> Decision:
    scene.crawl.refresh_from_db()
    harvest = Harvest.objects.select_related("url__site", "url__page").get(url__url=URL)
    return decisions(scene.crawl, [harvest])[harvest.pk]


@pytest.mark.parametrize(
    ("kept", "relevance", "decision"),
    [
        (True, 0.7, Decision.RELEVANT),
        (True, 0.5, Decision.RELEVANT),
        (False, 0.49, Decision.IRRELEVANT),
        (True, 0.2, Decision.EARLIER),
        (False, 0.8, Decision.EARLIER),
    ],
)
def test_the_threshold_decides(
    scene: Scene, kept: bool, relevance: float, decision: Decision
) -> None:
    page(scene, kept=kept, relevance=relevance)

    assert decided(scene) is decision


@pytest.mark.parametrize(
    ("good", "decision"),
    [(True, Decision.RATED_RELEVANT), (False, Decision.RATED_IRRELEVANT)],
)
def test_a_rating_decides_whatever_the_judge_says(
    scene: Scene, good: bool, decision: Decision
) -> None:
    rate(scene, page(scene, kept=good, relevance=0.1 if good else 0.9), good)

    assert decided(scene) is decision


@pytest.mark.parametrize(
    ("memo", "parent", "decision"),
    [
        ({"share": 0.8}, "https://portal.test/", Decision.LINK_WORDS),
        ({}, None, Decision.SEED_RULE),
        ({}, "https://portal.test/", Decision.STRATEGY),
    ],
)
def test_what_a_strategy_keeps_says_what_it_went_by(
    scene: Scene, memo: dict[str, float], parent: str | None, decision: Decision
) -> None:
    harvest = page(scene, kept=True)
    set_entry(
        harvest,
        memo=pack_notes(Rating(1.0, memo=memo, keep=True)),
        parent=scene.url(parent) if parent else None,
    )

    assert decided(scene) is decision


@pytest.mark.parametrize("flags", ["feed", "sitemap"])
def test_a_list_is_not_kept(scene: Scene, flags: str) -> None:
    harvest = page(scene, kept=False, relevance=0.9)
    Page.objects.filter(pk=harvest.url_id).update(flags=flags)

    assert decided(scene) is Decision.LISTING


def test_a_copy_and_a_page_that_forbids_it_are_not_kept(scene: Scene) -> None:
    harvest = page(scene, kept=False, relevance=0.9)
    set_entry(harvest, reason=Reason.DUPLICATE)
    assert decided(scene) is Decision.COPY

    Page.objects.filter(pk=harvest.url_id).update(noindex=True)
    assert decided(scene) is Decision.NOINDEX


def test_every_decision_has_its_sentence() -> None:
    sentences = {decision_sentence(decision) for decision in Decision}

    assert len(sentences) == len(Decision)


def test_a_page_kept_for_its_link_says_so(scene: Scene, client: Client, ann: User) -> None:
    harvest = page(scene, kept=True)
    set_entry(harvest, memo=pack_notes(Rating(1.0, memo={"share": 0.8}, keep=True)))
    client.force_login(ann)

    html = client.get(f"/topics/{scene.topic.slug}/pages/{harvest.pk}/").content.decode()

    assert "the words of a link to it match the topic closely" in " ".join(html.split())
    assert "kept for the words of a link to it" in html
    assert "so the page is kept." not in html


def test_a_reader_of_a_shared_topic_is_not_said_to_have_decided(
    scene: Scene, client: Client
) -> None:
    reader = person("bob")
    share(scene.topic, "bob", scene.now)
    harvest = page(scene, kept=True)
    explained = harvest.explanation | {"site": {"rule": "raise"}}
    Harvest.objects.update(explanation=explained, judge_relevance=0.3)
    rate(scene, harvest, good=True)
    client.force_login(reader)

    html = client.get(f"/topics/ann~chips/pages/{harvest.pk}/").content.decode()

    assert "The page is kept because it was rated as relevant." in html
    assert "kept because it was rated as relevant" in html
    assert "its site was raised" in html
    assert "Ratings, answers to questions, and examples" in html
    assert not re.search(r"you (rated|raised|lowered|blocked)|your ratings|: yours", html)


def test_only_links_in_articles_are_said_to_lead_to_a_page(
    scene: Scene, client: Client, ann: User
) -> None:
    harvest = page(scene, kept=True)
    scene.page("https://portal.test/", "Portal")
    scene.link("https://portal.test/", URL)
    client.force_login(ann)
    nothing = "No article of another site in this crawl links here yet."

    Link.objects.update(in_frame=True)
    framed = client.get(f"/topics/{scene.topic.slug}/pages/{harvest.pk}/").content.decode()
    Link.objects.update(in_frame=False)
    linked = client.get(f"/topics/{scene.topic.slug}/pages/{harvest.pk}/").content.decode()

    assert nothing in framed
    assert nothing not in linked


def test_a_hidden_page_names_the_threshold_as_it_is_now(
    scene: Scene, client: Client, ann: User
) -> None:
    harvest = page(scene, kept=False)
    feedback.apply_profile(scene.topic, scene.now)
    scene.topic.threshold = 0.8
    scene.topic.save()
    feedback.apply_profile(scene.topic, scene.now)

    client.force_login(ann)
    shown = client.get(f"/topics/{scene.topic.slug}/pages/{harvest.pk}/").content.decode()

    assert "The threshold is 0.80." in shown
    assert "(threshold 0.80)" in shown
    assert "(threshold 0.50)" not in shown

"""Suggested terms, each with where it comes from."""

import pytest
from django.contrib.auth.models import User

from tests.topics.factories import NOON, Scene, topic_of
from tests.topics.profile.test_feedback import of_subject
from tests.topics.profile.test_feedback import pages as pages
from tests.topics.profile.test_ontologies import read
from topics.models import Topic, TopicTerm
from topics.profile import concepts, examples, feedback, ontologies
from topics.profile.suggest import Suggestion, SuggestionOrigin, suggestions


def by_origin(topic: Topic, origin: SuggestionOrigin) -> list[str]:
    return [found.text for found in suggestions(topic) if found.origin is origin]


def test_a_new_topic_gets_ideas_from_the_ontology_alone(ann: User) -> None:
    ontologies.save_ontology(read(), "Machines", NOON, owner=None)
    topic = topic_of(ann, name="Laptops")
    assert Suggestion("笔记本", SuggestionOrigin.ONTOLOGY, "laptop") in suggestions(topic)


def test_an_attached_concept_suggests_what_is_near_it(ann: User) -> None:
    machines = ontologies.save_ontology(read(), "Machines", NOON, owner=None)[0]
    topic = topic_of(ann, name="x")
    for concept in concepts.find_concepts("电脑", [machines]):
        concepts.attach(topic, concept)
    assert Suggestion("CPU", SuggestionOrigin.ONTOLOGY, "computer → CPU") in suggestions(topic)


def test_good_pages_suggest_the_words_that_tell_them_apart(pages: Scene, ann: User) -> None:
    text = "Onions make the broth sweet. Broth boils."
    examples.add_text(pages.topic, text, NOON, good=True)
    feedback.apply_labels(pages.topic, NOON)
    found = by_origin(pages.topic, SuggestionOrigin.EXAMPLES)
    assert {"broth", "onions"} <= set(found)
    assert "cache" not in found


def test_bad_pages_suggest_nothing(pages: Scene, ann: User) -> None:
    feedback.set_thumb(pages.topic, ann, of_subject(1), -1, NOON)
    assert by_origin(pages.topic, SuggestionOrigin.EXAMPLES) == []


def test_key_words_come_from_both_languages(pages: Scene) -> None:
    text = "智能电网的调度与储能。The turbine hall holds a turbine."
    examples.add_text(pages.topic, text, NOON, good=True)
    feedback.apply_labels(pages.topic, NOON)
    found = {s.text for s in suggestions(pages.topic)}
    assert {"电网", "turbine"} <= found


@pytest.mark.parametrize("own", ["broth", "Broths", "ＢＲＯＴＨ"])
def test_what_the_topic_says_already_is_not_suggested(pages: Scene, own: str) -> None:
    TopicTerm.objects.create(topic=pages.topic, text=own)
    examples.add_text(pages.topic, "Broth boils. Broth cools.", NOON, good=True)
    feedback.apply_labels(pages.topic, NOON)
    assert "broth" not in [s.text.lower() for s in suggestions(pages.topic)]

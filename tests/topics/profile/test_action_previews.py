"""A preview of an action says what the action then does, and writes nothing."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from crawler.judging.rescore import ChangedPages
from crawler.models import Harvest
from crawler.store.labels import load_labels
from tests.topics.factories import NOON, Scene
from tests.topics.profile.judged_pages import of_subject
from tests.topics.profile.judged_pages import pages as pages
from tests.topics.profile.test_ontologies import read
from tests.topics.views.test_knowledge_pages import said
from topics.errors import TopicError
from topics.models import ExamplePage, SiteControl, SwitchedOffTerm, Thumb
from topics.profile import concepts, examples, feedback, ontologies
from topics.profile.action_previews import (
    attach_preview,
    can_preview,
    concept_previews,
    example_preview,
    rating_previews,
    site_rule_previews,
)
from topics.profile.preview import ProfilePreview
from topics.sources.site_rules import set_rule

Counts = tuple[int, int, int]


def counts(preview: ProfilePreview | None) -> Counts:
    assert preview is not None
    return preview.n_entered, preview.n_left, preview.n_moved


def counted(moved: ChangedPages | None) -> Counts:
    assert moved is not None
    return len(moved.entered), len(moved.left), len(moved.moved)


def stored(scene: Scene) -> list[object]:
    return [*Harvest.objects.order_by("pk").values(), load_labels(scene.crawl)]


@pytest.mark.parametrize(("subject", "name", "value"), [(1, "up", 1), (0, "down", -1)])
def test_a_rating_does_what_its_preview_said(
    pages: Scene, ann: User, subject: int, name: str, value: int
) -> None:
    before, page = stored(pages), of_subject(subject)
    foreseen = rating_previews(pages.topic, ann, page)
    assert stored(pages) == before and foreseen.keys() == {"up", "down"}

    given = feedback.set_thumb(pages.topic, ann, page, value, NOON)

    assert counts(foreseen[name]) == counted(given.moved) != (0, 0, 0)


def test_undoing_a_rating_does_what_its_preview_said(pages: Scene, ann: User) -> None:
    feedback.set_thumb(pages.topic, ann, of_subject(4), 1, NOON)
    feedback.set_thumb(pages.topic, ann, of_subject(1), 1, NOON)
    foreseen = rating_previews(pages.topic, ann, of_subject(1))

    given = feedback.set_thumb(pages.topic, ann, of_subject(1), 0, NOON)

    assert foreseen.keys() == {"none"}
    assert counts(foreseen["none"]) == counted(given.moved) != (0, 0, 0)


def test_the_preview_of_an_answer_knows_that_it_is_one(pages: Scene, ann: User) -> None:
    answers = {of_subject(number).url_id: number == 0 for number in range(5)}
    feedback.give_answers(pages.topic, ann, answers, NOON)

    changed = feedback.labels_with_thumb(pages.topic, ann, of_subject(1).url_id, 1)

    assert [row.answers for row in changed] == [True] * 5
    assert [row.good for row in changed] == [True, False, False, False, True]


@pytest.mark.parametrize("rule", ["raise", "lower", "pin", "block"])
def test_a_site_rule_does_what_its_preview_said(pages: Scene, rule: str) -> None:
    before, site = stored(pages), of_subject(0).url.site
    foreseen = site_rule_previews(pages.topic, site)
    assert stored(pages) == before and foreseen.keys() == {"raise", "lower", "pin", "block"}

    moved = set_rule(pages.topic, site, rule, NOON)

    assert counts(foreseen[rule]) == counted(moved)
    assert (counts(foreseen[rule]) == (0, 0, 0)) == (rule == "pin")


def test_undoing_a_site_rule_does_what_its_preview_said(pages: Scene) -> None:
    site = of_subject(0).url.site
    set_rule(pages.topic, site, "block", NOON)
    foreseen = site_rule_previews(pages.topic, site)
    assert foreseen.keys() == {"raise", "lower", "pin", "none"}

    assert counts(foreseen["none"]) == counted(set_rule(pages.topic, site, "", NOON)) != (0, 0, 0)


@pytest.mark.parametrize("by", ["text", "url"])
def test_an_example_does_what_its_preview_said(pages: Scene, by: str) -> None:
    before = stored(pages)
    url, text = of_subject(1).url.url if by == "url" else "", "Onion soup from the broth."
    foreseen = example_preview(pages.topic, url, text if not url else "", good=True)
    assert stored(pages) == before and not ExamplePage.objects.exists()

    if url:
        examples.add_url(pages.topic, url, NOON, good=True)
    else:
        examples.add_text(pages.topic, text, NOON, good=True)

    assert counts(foreseen) == counted(feedback.apply_labels(pages.topic, NOON))


def test_an_example_that_is_not_stored_has_no_preview(pages: Scene) -> None:
    assert example_preview(pages.topic, "https://a.test/", "", good=True) is None
    with pytest.raises(TopicError):
        example_preview(pages.topic, "file:///etc/passwd", "", good=True)


def test_concepts_do_what_their_previews_said(pages: Scene) -> None:
    machines = ontologies.save_ontology(read(), "Machines", NOON, owner=None)[0]
    [computer] = concepts.find_concepts("computer", [machines])
    before = stored(pages)
    foreseen = attach_preview(pages.topic, [computer])
    assert stored(pages) == before and not pages.topic.concepts.exists()

    concepts.attach(pages.topic, computer)
    moved = feedback.apply_profile(pages.topic, NOON)
    assert counts(foreseen) == counted(moved) != (0, 0, 0)

    actions = concept_previews(pages.topic, computer)
    assert actions.keys() == {"detach", "none_below"} and not SwitchedOffTerm.objects.exists()
    concepts.switch_below(pages.topic, computer, on=False)
    assert counts(actions["none_below"]) == counted(feedback.apply_profile(pages.topic, NOON))
    assert concept_previews(pages.topic, computer).keys() == {"detach", "all_below"}
    pages.topic.concepts.all().delete()
    SwitchedOffTerm.objects.all().delete()
    assert counts(actions["detach"]) == counts(
        ProfilePreview(n_moved=counted(feedback.apply_profile(pages.topic, NOON))[2])
    )


def test_more_pages_than_are_scored_at_once_have_no_preview(pages: Scene) -> None:
    assert can_preview(pages.topic) and can_preview(pages.topic, n_at_once=30)
    assert not can_preview(pages.topic, n_at_once=29)


def test_previews_of_buttons_are_pages_and_parts(pages: Scene, client: Client, ann: User) -> None:
    client.force_login(ann)
    machines = ontologies.save_ontology(read(), "Machines", NOON, owner=None)[0]
    [computer] = concepts.find_concepts("computer", [machines])
    concepts.attach(pages.topic, computer)
    page = of_subject(1)
    for name, pk, button in (
        ("page_preview", page.pk, '<button name="value" value="down"'),
        ("site_preview", page.url.site_id, '<button name="rule" value="block"'),
        ("concept_preview", pages.topic.concepts.get().pk, '<button name="on" value="0"'),
    ):
        address = reverse(name, args=[pages.topic.slug, pk])
        whole = said(client.get(address))
        part = said(client.get(address, headers={"HX-Request": "true"}))
        assert "<html" in whole and "<html" not in part
        assert button in whole and button in part
        assert "of 30 stored pages would be kept" in part
    assert not Thumb.objects.exists() and not SiteControl.objects.exists()


@pytest.mark.parametrize(
    ("path", "given", "expected"),
    [
        ("examples", {"text": "Onion soup", "good": "1"}, "of 30 stored pages would be kept"),
        ("examples", {"url": "https://a.test/", "good": "1"}, "It is fetched after you add it."),
        ("concepts", {"name": "computer"}, "of 30 stored pages would be kept"),
    ],
)
def test_forms_have_a_preview_that_saves_nothing(
    pages: Scene, client: Client, ann: User, path: str, given: dict[str, str], expected: str
) -> None:
    client.force_login(ann)
    ontologies.save_ontology(read(), "Machines", NOON, owner=None)
    address = f"/topics/{pages.topic.slug}/{path}/"

    html = said(client.post(address, given | {"preview": "1"}))

    assert expected in html.replace("</strong>", "").replace("<strong>", "")
    assert not ExamplePage.objects.exists() and not pages.topic.concepts.exists()

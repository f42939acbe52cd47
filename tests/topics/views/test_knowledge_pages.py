"""The pages of a topic's profile: terms with a preview, examples, thumbs."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.html import escape

from crawler.knowledge.judges.adaptation import Adaptation
from crawler.knowledge.judges.intervals import Intervals
from crawler.models import Harvest, IndexOutbox
from crawler.models.values import save_value
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms
from crawler.store.labels import load_labels
from tests.topics.factories import NOON, Scene, scene_of
from tests.topics.profile.test_ontologies import read
from topics.forms.profile import ProfileForm
from topics.models import ExamplePage, Question, Thumb, Topic, TopicTerm
from topics.profile import examples, feedback, ontologies
from topics.profile.crawl import save_crawl

#: What a browser sends of the profile's form, with one term.
FORM = {
    "judge": "cosine",
    "threshold": "0.3",
    "link_weight": "0.7",
    "terms-TOTAL_FORMS": "2",
    "terms-INITIAL_FORMS": "0",
    "terms-0-text": "cache",
    "terms-0-weight": "1",
    "terms-1-text": "",
    "terms-1-weight": "1",
}


def harvest(url: str) -> Harvest:
    return Harvest.objects.get(url__url=url)


def said(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


# --- Terms and the preview -----------------------------------------------------------------------


def test_the_profile_shows_the_topics_terms(as_ann: Client, pages: Scene) -> None:
    TopicTerm.objects.create(topic=pages.topic, text="branch <prediction>", weight=2.5)
    html = said(as_ann.get("/topics/chips/profile/"))
    assert "branch &lt;prediction&gt;" in html and 'value="2.5"' in html


def test_the_preview_says_what_would_come_in_and_leave(as_ann: Client, pages: Scene) -> None:
    soup = FORM | {"terms-0-text": "soup onions broth", "terms-0-weight": "10"}
    html = said(as_ann.post("/topics/chips/profile/preview", soup))
    assert "of 3 stored pages would be kept: <strong>1</strong> added" in html
    assert harvest("https://food.test/soup").kept is False
    assert not TopicTerm.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"terms-0-weight": "nan"}, "Enter a number."),
        ({"terms-0-weight": "0"}, "greater than or equal to 0.01"),
        ({"terms-0-required": "on", "terms-0-excluded": "on"}, "both required and excluded"),
        ({"terms-1-text": "ＣＡＣＨＥ"}, "is listed twice"),
        ({"threshold": "nan"}, "Enter a number."),
        ({"link_weight": "1.5"}, "less than or equal to 1"),
        ({"link_weight": "1e23"}, "less than or equal to 1"),
        ({"link_weight": "-1e23"}, "greater than or equal to 0"),
        ({"judge": "teleport"}, "not one of the available choices"),
    ],
)
def test_a_wrong_field_is_reported_and_nothing_is_saved(
    as_ann: Client, pages: Scene, wrong: dict[str, str], complaint: str
) -> None:
    answer = as_ann.post("/topics/chips/profile/", FORM | wrong)
    assert answer.status_code == 422
    assert complaint in said(answer)
    assert not TopicTerm.objects.exists()
    assert "appears when every field is valid" in said(
        as_ann.post("/topics/chips/profile/preview", FORM | wrong)
    )


def test_a_plugin_that_is_gone_keeps_nobody_from_changing_the_terms(
    as_ann: Client, pages: Scene
) -> None:
    Topic.objects.update(strategy="gone", ranker="gone")
    save_crawl(Topic.objects.get(), NOON)

    html = said(as_ann.post("/topics/chips/profile/", FORM, follow=True))

    assert "pages changed rank" in html
    assert TopicTerm.objects.get().text == "cache"
    assert Topic.objects.get().strategy == "gone"


def test_a_judge_that_is_gone_is_shown_and_waits_for_a_choice(as_ann: Client, pages: Scene) -> None:
    Topic.objects.update(judge="gone")
    save_crawl(Topic.objects.get(), NOON)
    html = said(as_ann.get("/topics/chips/profile/"))

    answer = as_ann.post("/topics/chips/profile/", FORM | {"judge": "gone"})

    assert '<option value="gone" selected>' in html
    assert "“gone” is not installed. Choose one of: adaptive, " in said(answer)
    as_ann.post("/topics/chips/profile/", FORM)
    assert Topic.objects.get().judge == "cosine"


def test_saving_changes_the_pages_at_once(as_ann: Client, pages: Scene) -> None:
    soup = FORM | {"terms-0-text": "soup", "terms-0-required": "on", "threshold": "0.1"}
    html = said(as_ann.post("/topics/chips/profile/", soup, follow=True))
    assert "pages changed rank; 1 added; 2 removed." in html
    assert [h.url.url for h in Harvest.objects.kept()] == ["https://food.test/soup"]
    assert IndexOutbox.objects.count() == 3
    pages.topic.refresh_from_db()
    assert (pages.topic.link_weight, pages.topic.content_weight) == (0.7, 0.3)


def test_a_suggestion_is_filled_in_but_not_saved(as_ann: Client, pages: Scene) -> None:
    html = said(as_ann.post("/topics/chips/profile/", FORM | {"add": "cache line"}))
    assert 'value="cache line"' in html and 'value="cache"' in html
    assert not TopicTerm.objects.exists()


def test_the_second_of_two_windows_is_warned(as_ann: Client, pages: Scene) -> None:
    seen = str(save_crawl(pages.topic, NOON).version)
    as_ann.post("/topics/chips/profile/", FORM | {"seen": seen})
    answer = as_ann.post("/topics/chips/profile/", FORM | {"seen": seen, "terms-0-text": "soup"})
    assert answer.status_code == 409 and "was changed in the meantime" in said(answer)
    assert [term.text for term in TopicTerm.objects.all()] == ["cache"]


def test_a_suggestion_of_the_topic_page_leads_to_the_form_with_it(
    as_ann: Client, pages: Scene
) -> None:
    asked = Harvest.objects.filter(crawl=pages.crawl)[:2]
    for harvest in asked:
        Question.objects.create(topic=pages.topic, url=harvest.url, created=NOON)
    assert "profile/suggestions?links=1" in said(as_ann.get("/topics/chips/"))
    examples.add_text(pages.topic, "Onions make the broth sweet. Broth boils.", NOON, good=True)
    feedback.apply_labels(pages.topic, NOON)

    listed = said(as_ann.get("/topics/chips/profile/suggestions?links=1"))
    assert '<a href="/topics/chips/profile/?add=broth">' in listed

    form = said(as_ann.get("/topics/chips/profile/?add=broth"))
    assert re.search(r'name="terms-\d+-text" value="broth"', form)
    assert not pages.topic.terms.filter(text="broth").exists()


def test_suggestions_say_where_they_come_from(as_ann: Client, pages: Scene) -> None:
    ontologies.save_ontology(read(), "Machines", NOON, owner=None)
    TopicTerm.objects.create(topic=pages.topic, text="laptop")
    ExamplePage.objects.create(
        topic=pages.topic,
        good=True,
        text="Pipelines stall. Pipelines flush.",
        created=NOON,
        state="read",
        packed_terms=pack_terms(text_terms("Pipelines stall. Pipelines flush.")),
    )
    html = said(as_ann.get("/topics/chips/profile/suggestions"))
    assert 'value="笔记本"' in html and "from the ontology, via laptop" in html
    assert 'value="pipelines"' in html.lower()


def test_a_first_run_offers_terms_of_its_pages_and_a_click_adds_one(
    as_ann: Client, pages: Scene
) -> None:
    assert "turbine" not in said(as_ann.get("/topics/chips/profile/found"))
    for n in range(6):
        pages.page(f"https://wind{n % 2}.test/{n}", "Wind", text="A turbine turns.")
    html = said(as_ann.get("/topics/chips/profile/found"))
    assert 'value="turbine" aria-label="Add the term turbine"' in html

    answer = as_ann.post("/topics/chips/profile/add", {"text": "turbine"}, follow=True)
    assert answer.redirect_chain[0][0] == "/topics/chips/#found"
    assert "“turbine” was added to the terms." in said(answer)
    assert pages.topic.terms.get(text="turbine").weight == 1.0
    again = as_ann.post("/topics/chips/profile/add", {"text": "Turbine"}, follow=True)
    assert "The topic has this term already." in said(again)
    assert as_ann.post("/topics/chips/profile/add", {"text": " "}).status_code == 302
    assert pages.topic.terms.filter(text__iexact="turbine").count() == 1


# --- Thumbs --------------------------------------------------------------------------------------


def thumb(client: Client, url: str, value: str, data_next: str = "", **more: Any) -> Any:
    data = {"value": value, "next": data_next}
    return client.post(f"/topics/chips/pages/{harvest(url).pk}/thumb", data, **more)


def test_a_thumb_down_takes_the_page_out_and_undo_brings_it_back(
    as_ann: Client, pages: Scene, ann: User
) -> None:
    url = "https://notes.test/cache"
    TopicTerm.objects.create(topic=pages.topic, text="cache")
    pages.topic.threshold = 0.2
    pages.topic.save()
    save_crawl(pages.topic, NOON)
    html = said(thumb(as_ann, url, "down", headers={"HX-Request": "true"}))
    assert "1 removed" in html and "undo" in html and "<html" not in html
    assert harvest(url).kept is False
    assert Thumb.objects.get().user == ann
    html = said(thumb(as_ann, url, "none", headers={"HX-Request": "true"}))
    assert "1 added" in html
    assert harvest(url).kept is True
    assert not Thumb.objects.exists()


def test_the_same_thumb_twice_is_one_thumb(as_ann: Client, pages: Scene) -> None:
    for value in ("up", "up", "down"):
        thumb(as_ann, "https://notes.test/cache", value)
    assert [given.value for given in Thumb.objects.all()] == [-1]


def test_a_thumb_that_is_none_is_refused(as_ann: Client, pages: Scene) -> None:
    assert thumb(as_ann, "https://notes.test/cache", "sideways").status_code == 400


def test_without_scripts_a_thumb_leads_back(as_ann: Client, pages: Scene) -> None:
    pk = harvest("https://notes.test/cache").pk
    for given, led in (("/topics/chips/", "/topics/chips/"), ("https://evil.test/", None)):
        answer = as_ann.post(f"/topics/chips/pages/{pk}/thumb", {"value": "up", "next": given})
        assert answer.headers["Location"] == (led or f"/topics/chips/pages/{pk}/")


def test_every_thumb_is_named_after_its_page(as_ann: Client, pages: Scene) -> None:
    found = harvest("https://notes.test/cache")
    title = escape(found.url.page.title)
    html = said(as_ann.get(f"/topics/chips/pages/{found.pk}/"))
    assert (
        f'aria-label="Relevant: {title}"' in html and f'aria-label="Not relevant: {title}"' in html
    )
    html = said(thumb(as_ann, found.url.url, "down", headers={"HX-Request": "true"}))
    assert f'aria-label="Not relevant · undo: {title}"' in html
    html = said(thumb(as_ann, found.url.url, "none", headers={"HX-Request": "true"}))
    # Whoever undid it stays where they were.
    assert f'value="up" autofocus aria-label="Relevant: {title}"' in html


def test_all_thumbs_of_a_topic_are_listed_and_undone_without_scripts(
    as_ann: Client, pages: Scene
) -> None:
    assert "None yet." in said(as_ann.get("/topics/chips/examples/"))
    found = harvest("https://notes.test/cache")
    thumb(as_ann, found.url.url, "down")
    html = said(as_ann.get("/topics/chips/examples/"))
    assert f'aria-label="Undo: {escape(found.url.page.title)}"' in html
    assert f'href="/topics/chips/pages/{found.pk}/"' in html and "not relevant" in html
    answer = thumb(as_ann, found.url.url, "none", data_next="/topics/chips/examples/#thumbs")
    assert answer.headers["Location"] == "/topics/chips/examples/#thumbs"
    html = said(as_ann.get("/topics/chips/examples/"))
    assert "None yet." in html and 'id="thumbs" tabindex="-1"' in html


def test_nobody_sees_the_thumbs_of_another(as_ann: Client, pages: Scene) -> None:
    found = harvest("https://notes.test/cache")
    other = User.objects.create_user("eve")
    Thumb.objects.create(user=other, topic=pages.topic, url=found.url, value=-1, created=NOON)
    assert "None yet." in said(as_ann.get("/topics/chips/examples/"))


# --- Examples ------------------------------------------------------------------------------------


def test_a_pasted_example_changes_the_pages(as_ann: Client, pages: Scene) -> None:
    text = "Onions, broth and soup that simmers. Soup, hot soup."
    html = said(as_ann.post("/topics/chips/examples/", {"text": text, "good": "1"}, follow=True))
    assert "moved" in html
    assert harvest("https://food.test/soup").relevance > 0
    pk = ExamplePage.objects.get().pk
    as_ann.post(f"/topics/chips/examples/{pk}/remove")
    assert load_labels(pages.crawl) == []
    assert harvest("https://food.test/soup").relevance == 0


def test_an_example_that_is_stored_is_read_at_once(as_ann: Client, pages: Scene) -> None:
    as_ann.post("/topics/chips/examples/", {"url": "HTTPS://food.test/soup#x", "good": "0"})
    example = ExamplePage.objects.get()
    assert (example.url, example.state, example.good) == ("https://food.test/soup", "read", False)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, "either a URL or a text"),
        ({"url": "https://a.test/", "text": "x"}, "either a URL or a text"),
        ({"url": "ftp://a.test/"}, "not an http or https URL"),
        ({"text": "?!"}, "contains no words to search for"),
        ({"text": "x" * 100_001}, "the limit is 100000"),
    ],
)
def test_an_impossible_example_is_refused_at_its_field(
    as_ann: Client, pages: Scene, given: dict[str, str], complaint: str
) -> None:
    answer = as_ann.post("/topics/chips/examples/", {"good": "1"} | given)
    assert answer.status_code == 422 and complaint in said(answer)
    assert not ExamplePage.objects.exists()


# --- Other people's topics -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "profile/"),
        ("post", "profile/"),
        ("post", "profile/preview"),
        ("get", "profile/suggestions"),
        ("get", "examples/"),
        ("post", "examples/"),
        ("get", "concepts/"),
        ("post", "concepts/"),
        ("post", "concepts/switch"),
        ("post", "concepts/named/1"),
    ],
)
def test_others_topics_are_not_there(as_ann: Client, bob: User, method: str, path: str) -> None:
    scene_of(bob, "secret")
    assert getattr(as_ann, method)(f"/topics/secret/{path}").status_code == 404


def test_others_pages_and_examples_are_out_of_reach(
    as_ann: Client, pages: Scene, bob: User
) -> None:
    other = scene_of(bob, "secret")
    theirs = other.page("https://b.test/", "B")
    example = ExamplePage.objects.create(topic=other.topic, text="x", created=NOON)
    assert as_ann.post(f"/topics/chips/pages/{theirs.pk}/thumb", {"value": "up"}).status_code == 404
    assert as_ann.post(f"/topics/chips/examples/{example.pk}/remove").status_code == 404
    assert not Thumb.objects.exists() and ExamplePage.objects.exists()


def test_an_adaptive_topic_says_where_its_threshold_stands(pages: Scene, as_ann: Client) -> None:
    address = "/topics/chips/profile/"
    known = Intervals(Adaptation(0.1254, n_intervals=4))
    save_value(pages.crawl, "judge:adaptive", known.dump())
    assert "has adjusted" not in said(as_ann.get(address))

    pages.topic.judge = "adaptive"
    pages.topic.save()
    save_crawl(pages.topic, NOON)

    shown = said(as_ann.get(address))
    assert "has adjusted over 4 intervals" in shown and "similarity of 0.125" in shown


def test_the_ranking_of_the_paper_is_one_click_away(as_ann: Client, pages: Scene) -> None:
    address = "/topics/chips/profile/"
    assert f'href="{address}?ranking=paper"' in said(as_ann.get(address))

    filled = as_ann.get(address, {"ranking": "paper"}).context["form"]

    values = {name: filled[name].value() for name in ("ranker", "link_weight", "link_scale")}
    assert values == {"ranker": "paper", "link_weight": 0.7, "link_scale": 1.0}
    assert Topic.objects.get().ranker == "absolute"


@pytest.mark.parametrize(
    ("sent", "stored"), [({"half_life_days": "5"}, 5), ({"half_life_days": ""}, None), ({}, 3)]
)
def test_the_half_life_of_news_is_a_setting_of_the_profile(
    pages: Scene, sent: dict[str, str], stored: int | None
) -> None:
    pages.topic.half_life_days = 3
    values = {name: getattr(pages.topic, name) for name in ("judge", "threshold", "link_weight")}
    form = ProfileForm(values | sent, instance=pages.topic)

    assert form.is_valid(), form.errors
    assert form.save().half_life_days == stored

"""The pages of a topic's profile: terms with a preview, concepts, examples, thumbs, ontologies."""

from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from crawler.agents.knowing import load_vouched, save_value
from crawler.knowledge.adaptation import Adaptation
from crawler.knowledge.intervals import Intervals
from crawler.models import Concept, Harvest, IndexOutbox, Ontology, Page
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms
from tests.topics.factories import NOON, Scene, scene_of
from tests.topics.test_ontologies import TURTLE, read
from topics import concepts, ontologies, runs
from topics.models import ExamplePage, SwitchedOffTerm, Thumb, Topic, TopicTerm

TEXTS = {
    "https://notes.test/cache": "A cache line holds the bytes a processor reads; it is fast.",
    "https://portal.test/cpu": "电脑 处理器 缓存 内存 processor cache",
    "https://food.test/soup": "Cut the onions, add the broth, let the soup simmer, serve it hot.",
}
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


@pytest.fixture
def pages(scene: Scene) -> Scene:
    """Ann's topic with three stored pages that have terms; the one on soup is not kept."""
    scene.page(
        "https://food.test/soup", "Soup", "https://hub.test/links", kept=False, relevance=0.0
    )
    for url, text in TEXTS.items():
        Page.objects.filter(url__url=url).update(packed_terms=pack_terms(text_terms(text)))
    runs.save_crawl(scene.topic, NOON)
    return scene


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
    assert "of 3 stored pages would be kept: <strong>1</strong> come in" in html
    assert harvest("https://food.test/soup").kept is False
    assert not TopicTerm.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"terms-0-weight": "nan"}, "Enter a number."),
        ({"terms-0-weight": "0"}, "greater than or equal to 0.01"),
        ({"terms-0-required": "on", "terms-0-excluded": "on"}, "both required and excluded"),
        ({"terms-1-text": "ＣＡＣＨＥ"}, "stands in the list twice"),
        ({"threshold": "nan"}, "Enter a number."),
        ({"link_weight": "1.5"}, "less than or equal to 1"),
        ({"judge": "teleport"}, "not one of the available choices"),
    ],
)
def test_a_wrong_field_is_told_and_nothing_is_saved(
    as_ann: Client, pages: Scene, wrong: dict[str, str], complaint: str
) -> None:
    answer = as_ann.post("/topics/chips/profile/", FORM | wrong)
    assert answer.status_code == 422
    assert complaint in said(answer)
    assert not TopicTerm.objects.exists()
    assert "waits until" in said(as_ann.post("/topics/chips/profile/preview", FORM | wrong))


def test_a_plugin_that_is_gone_keeps_nobody_from_changing_the_terms(
    as_ann: Client, pages: Scene
) -> None:
    Topic.objects.update(strategy="gone", ranker="gone")
    runs.save_crawl(Topic.objects.get(), NOON)

    html = said(as_ann.post("/topics/chips/profile/", FORM, follow=True))

    assert "pages moved" in html
    assert TopicTerm.objects.get().text == "cache"
    assert Topic.objects.get().strategy == "gone"


def test_a_judge_that_is_gone_is_shown_and_waits_for_a_choice(as_ann: Client, pages: Scene) -> None:
    Topic.objects.update(judge="gone")
    runs.save_crawl(Topic.objects.get(), NOON)
    html = said(as_ann.get("/topics/chips/profile/"))

    answer = as_ann.post("/topics/chips/profile/", FORM | {"judge": "gone"})

    assert '<option value="gone" selected>' in html
    assert "“gone” is not installed; choose one of: adaptive, " in said(answer)
    as_ann.post("/topics/chips/profile/", FORM)
    assert Topic.objects.get().judge == "cosine"


def test_saving_changes_the_pages_at_once(as_ann: Client, pages: Scene) -> None:
    soup = FORM | {"terms-0-text": "soup", "terms-0-required": "on", "threshold": "0.1"}
    html = said(as_ann.post("/topics/chips/profile/", soup, follow=True))
    assert "pages moved; 1 came in; 2 left." in html
    assert [h.url.url for h in Harvest.objects.kept()] == ["https://food.test/soup"]
    assert IndexOutbox.objects.count() == 3
    pages.topic.refresh_from_db()
    assert (pages.topic.link_weight, pages.topic.content_weight) == (0.7, 0.3)


def test_a_suggestion_is_filled_in_but_not_saved(as_ann: Client, pages: Scene) -> None:
    html = said(as_ann.post("/topics/chips/profile/", FORM | {"add": "cache line"}))
    assert 'value="cache line"' in html and 'value="cache"' in html
    assert not TopicTerm.objects.exists()


def test_the_second_of_two_windows_is_warned(as_ann: Client, pages: Scene) -> None:
    seen = str(runs.save_crawl(pages.topic, NOON).version)
    as_ann.post("/topics/chips/profile/", FORM | {"seen": seen})
    answer = as_ann.post("/topics/chips/profile/", FORM | {"seen": seen, "terms-0-text": "soup"})
    assert answer.status_code == 409 and "was changed meanwhile" in said(answer)
    assert [term.text for term in TopicTerm.objects.all()] == ["cache"]


def test_suggestions_say_where_they_come_from(as_ann: Client, pages: Scene) -> None:
    ontologies.save_ontology(read(), "Machines", NOON)
    TopicTerm.objects.create(topic=pages.topic, text="laptop")
    ExamplePage.objects.create(
        topic=pages.topic, good=True, text="Pipelines stall. Pipelines flush.", created=NOON,
        state="read", packed_terms=pack_terms(text_terms("Pipelines stall. Pipelines flush.")),
    )  # fmt: skip
    html = said(as_ann.get("/topics/chips/profile/suggestions"))
    assert 'value="笔记本"' in html and "from the ontology, through laptop" in html
    assert 'value="pipelines"' in html.lower()


# --- Thumbs --------------------------------------------------------------------------------------


def thumb(client: Client, url: str, value: str, **more: Any) -> Any:
    return client.post(f"/topics/chips/pages/{harvest(url).pk}/thumb", {"value": value}, **more)


def test_a_thumb_down_takes_the_page_out_and_undo_brings_it_back(
    as_ann: Client, pages: Scene, ann: User
) -> None:
    url = "https://notes.test/cache"
    TopicTerm.objects.create(topic=pages.topic, text="cache")
    pages.topic.threshold = 0.2
    pages.topic.save()
    runs.save_crawl(pages.topic, NOON)
    html = said(thumb(as_ann, url, "down", headers={"HX-Request": "true"}))
    assert "1 left" in html and "undo" in html and "<html" not in html
    assert harvest(url).kept is False
    assert Thumb.objects.get().user == ann
    html = said(thumb(as_ann, url, "none", headers={"HX-Request": "true"}))
    assert "1 came in" in html
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


# --- Examples ------------------------------------------------------------------------------------


def test_a_pasted_example_changes_the_pages(as_ann: Client, pages: Scene) -> None:
    text = "Onions, broth and soup that simmers. Soup, hot soup."
    html = said(as_ann.post("/topics/chips/examples/", {"text": text, "good": "1"}, follow=True))
    assert "moved" in html
    assert harvest("https://food.test/soup").relevance > 0
    pk = ExamplePage.objects.get().pk
    as_ann.post(f"/topics/chips/examples/{pk}/remove")
    assert load_vouched(pages.crawl) == []
    assert harvest("https://food.test/soup").relevance == 0


def test_an_example_that_is_stored_is_read_at_once(as_ann: Client, pages: Scene) -> None:
    as_ann.post("/topics/chips/examples/", {"url": "HTTPS://food.test/soup#x", "good": "0"})
    example = ExamplePage.objects.get()
    assert (example.url, example.state, example.good) == ("https://food.test/soup", "read", False)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, "either an address or a text"),
        ({"url": "https://a.test/", "text": "x"}, "either an address or a text"),
        ({"url": "ftp://a.test/"}, "no http or https address"),
        ({"text": "?!"}, "no word in this text"),
        ({"text": "x" * 100_001}, "At most 100000 characters"),
    ],
)
def test_an_impossible_example_is_refused_at_its_field(
    as_ann: Client, pages: Scene, given: dict[str, str], complaint: str
) -> None:
    answer = as_ann.post("/topics/chips/examples/", {"good": "1"} | given)
    assert answer.status_code == 422 and complaint in said(answer)
    assert not ExamplePage.objects.exists()


# --- Concepts and ontologies ---------------------------------------------------------------------


@pytest.fixture
def machines(pages: Scene) -> Ontology:
    return ontologies.save_ontology(read(), "Machines", NOON)[0]


def test_an_attached_concept_shows_what_it_brings(as_ann: Client, machines: Ontology) -> None:
    html = said(as_ann.post("/topics/chips/concepts/", {"name": "電腦"}, follow=True))
    assert "笔记本" in html and 'computer <span class="quiet">has the part</span> CPU' in html


def test_a_name_that_no_concept_has_is_refused(as_ann: Client, machines: Ontology) -> None:
    answer = as_ann.post("/topics/chips/concepts/", {"name": "teapot"})
    assert answer.status_code == 422 and "No concept goes by this name" in said(answer)


def test_labels_in_no_language_of_the_topic_are_refused(
    as_ann: Client, pages: Scene, machines: Ontology
) -> None:
    pages.topic.languages = "fi"
    pages.topic.save()
    answer = as_ann.post("/topics/chips/concepts/", {"name": "laptop"})
    assert answer.status_code == 422 and "none of them a language of this topic" in said(answer)


def test_concepts_that_terms_name_are_attached_together_and_detached(
    as_ann: Client, pages: Scene, machines: Ontology
) -> None:
    TopicTerm.objects.create(topic=pages.topic, text="laptops")
    as_ann.post(f"/topics/chips/concepts/named/{machines.pk}")
    attached = pages.topic.concepts.get()
    assert attached.concept.iri == "urn:laptop"
    as_ann.post(f"/topics/chips/concepts/{attached.pk}/remove")
    assert not pages.topic.concepts.exists()


def test_a_brought_term_is_switched_off_and_on(
    as_ann: Client, pages: Scene, machines: Ontology
) -> None:
    concepts.attach(pages.topic, Concept.objects.get(iri="urn:laptop"))
    switch = "/topics/chips/concepts/switch"
    html = said(as_ann.post(switch, {"text": "笔记本", "on": "0"}, follow=True))
    assert '<tr class="off"> <th scope="row" lang="zh">笔记本' in html
    as_ann.post("/topics/chips/concepts/switch", {"text": "笔记本", "on": "1"})
    assert not SwitchedOffTerm.objects.exists()


@pytest.fixture
def editor(as_ann: Client, ann: User) -> Client:
    ann.user_permissions.add(Permission.objects.get(codename="add_ontology"))
    return as_ann


def upload(client: Client, data: bytes, name: str = "", file: str = "x.ttl") -> Any:
    stream = BytesIO(data)
    stream.name = file
    return client.post("/ontologies/upload", {"file": stream, "name": name})


def test_an_ontology_is_shown_before_it_is_saved(editor: Client, db: None) -> None:
    circle = TURTLE + "<urn:cpu> dcterms:hasPart <urn:computer> ; <urn:odd> 1 ."
    shown = upload(editor, circle.encode(), file="../../" + "n" * 400 + "/CON.zip")
    html = said(shown)
    assert "Machines" in html and "简体中文 3" in html and "a predicate that has no meaning" in html
    assert 'CPU <span class="quiet">has the part</span> computer' in html
    assert not Ontology.objects.exists()
    token = shown.context["token"]
    assert "is saved. 12 rows changed." in said(
        editor.post("/ontologies/save", {"token": token}, follow=True)
    )
    assert "choose the file again" in said(
        editor.post("/ontologies/save", {"token": token}, follow=True)
    )


@pytest.mark.parametrize(
    ("data", "name", "complaint"),
    [
        (b"", "x", "It holds no concept"),
        (b"PK\x03\x04", "x", "archives must be unpacked"),
        (TURTLE.encode()[:-40], "x", "ends half way"),
        (TURTLE.encode("utf-16"), "x", "UTF-8"),
        (b'{"@context": "http://127.0.0.1:9/", "@id": "u:a"}', "x", "nothing is ever fetched"),
        (TURTLE.encode(), "…", "at least one letter"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    editor: Client, db: None, data: bytes, name: str, complaint: str
) -> None:
    answer = upload(editor, data, name)
    assert answer.status_code == 422 and complaint in said(answer)
    assert not Ontology.objects.exists()


def test_only_who_may_can_import(as_ann: Client, db: None) -> None:
    assert upload(as_ann, TURTLE.encode()).status_code == 403
    assert as_ann.post("/ontologies/save", {"token": "x"}).status_code == 403
    assert "Look at it" not in said(as_ann.get("/ontologies/"))


def test_the_export_is_turtle(as_ann: Client, machines: Ontology) -> None:
    answer = as_ann.get("/ontologies/machines/export")
    assert answer.headers["Content-Type"] == "text/turtle"
    assert read(answer.content.decode()).graph() == machines.graph()


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
    assert "has followed" not in said(as_ann.get(address))

    pages.topic.judge = "adaptive"
    pages.topic.save()

    told = said(as_ann.get(address))
    assert "has followed 4 intervals" in told and "similarity of 0.125" in told


def test_a_file_that_gives_itself_no_name_goes_by_its_own(editor: Client) -> None:
    unnamed = b'<urn:c> <http://www.w3.org/2004/02/skos/core#prefLabel> "Cell"@en .'
    assert "<h1>power plants</h1>" in said(upload(editor, unnamed, file="power_plants.nt"))
    assert "<h1>Plants</h1>" in said(upload(editor, unnamed, "Plants", file="power_plants.nt"))

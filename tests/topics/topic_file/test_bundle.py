"""A topic moves to another installation with all that its owner said of it."""

import json
from datetime import time, timedelta
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import F
from django.utils import timezone

from crawler.api.ontologies import read_ontology
from crawler.api.runs import crawl_in_foreground
from crawler.models import FrontierEntry, Harvest, Ontology, Page, Source
from focusweb.testing import SEED, SmallWeb, start_worker
from tests.topics.delivery.rules_and_channels import channel_of
from tests.topics.factories import NOON, person
from topics.errors import TopicError
from topics.models import AlertRule, Digest, SavedSearch, Topic
from topics.profile.concepts import attach, switch_term
from topics.profile.examples import add_text, add_url, read_stored_page
from topics.profile.feedback import apply_labels, apply_profile, set_thumb
from topics.profile.ontologies import save_ontology
from topics.runs.start_stop import create_run
from topics.topic_file import export_bundle, read_bundle, save_bundle

TURTLE = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix e: <http://energy.test/> .
e:scheme a skos:ConceptScheme ; skos:prefLabel "Energy"@en .
e:cell a skos:Concept ; skos:prefLabel "solar cell"@en, "太阳能电池"@zh ;
  skos:narrower e:panel .
e:panel a skos:Concept ; skos:prefLabel "solar panel"@en ; skos:altLabel "module"@en .
""".encode()


SOLAR = {"slug": "sun", "name": "solar cells", "languages": "en", "threshold": 0.2, "n_pages": 50}


def add_everything(topic: Topic) -> None:
    """Let a topic have something of each part of a bundle."""
    owner = topic.owner
    read = read_ontology(TURTLE)
    ontology, _changes = save_ontology(read, "Energy", NOON, owner=owner)
    attach(topic, ontology.concepts.get(iri="http://energy.test/cell"))
    switch_term(topic, "module", on=False)
    add_text(topic, "Solar cells and panels turn sunlight into electricity.", NOON, good=True)
    add_url(topic, "http://kitchen.test/soup", NOON, good=False)
    search = SavedSearch.objects.create(
        owner=owner, topic=topic, name="panels", query="panel", created=NOON
    )
    rule = AlertRule.objects.create(
        owner=owner,
        topic=topic,
        search=search,
        name="strong",
        min_score=0.6,
        quiet_from=time(22),
        quiet_until=time(7, 30),
        begins=NOON,
        created=NOON,
    )
    rule.channels.add(channel_of(owner))
    digest = Digest(topic=topic, at=time(6, 45), frequency="weekly", weekdays="mon, fri")
    digest.covered_until = NOON
    digest.plan_next(NOON)
    digest.save()
    digest.searches.add(search)
    apply_profile(topic, NOON)


def crawl_again(topic: Topic) -> None:
    """Run once more; what the last run fetched was fetched a day ago."""
    for model, name in ((FrontierEntry, "ended"), (Page, "fetched"), (Source, "visited")):
        model._default_manager.exclude(**{name: None}).update(**{name: F(name) - timedelta(days=1)})
    run = create_run(topic, timezone.now())
    crawl_in_foreground(run, lambda run: None, lambda: False, start_worker=start_worker)
    run.refresh_from_db()
    assert run.fetched > 0


def read_examples(topic: Topic) -> None:
    """Do what the background worker does for examples whose pages are stored."""
    for example in topic.examples.to_fetch():
        assert read_stored_page(example)
    apply_labels(topic, timezone.now())


def scores(topic: Topic) -> dict[str, tuple[bool, float]]:
    rows = Harvest.objects.filter(crawl=topic.crawl)
    return {
        url: (kept, score) for url, kept, score in rows.values_list("url__url", "kept", "score")
    }


def forget_everything() -> None:
    """Leave the installation as empty as a new one."""
    for model in reversed(list(apps.get_app_config("topics").get_models())):
        model._default_manager.all().delete()
    for model in apps.get_app_config("crawler").get_models():
        model._default_manager.all().delete()
    User.objects.all().delete()


@pytest.mark.parametrize(
    ("unliked", "tolerance"),
    [
        ("http://kitchen.test/soup", 1e-9),
        # A judge learns how many of the pages were kept when they came: of those that were rated
        # before they came, this one was not.
        ("http://solar.test/panels", 0.02),
    ],
)
def test_a_bundle_keeps_the_same_pages_at_the_same_scores_elsewhere(
    small_web: SmallWeb, ann: User, unliked: str, tolerance: float
) -> None:
    topic = Topic.objects.create(owner=ann, seeds=SEED, **SOLAR)
    add_everything(topic)
    crawl_again(topic)
    read_examples(topic)
    for url, value in (("http://taiyang.test/", 1), (unliked, -1)):
        page = Harvest.objects.get(crawl=topic.crawl, url__url=url)
        set_thumb(topic, ann, page, value, timezone.now())
    crawl_again(topic)
    before, document = scores(topic), export_bundle(topic)

    forget_everything()
    bundle = read_bundle(json.dumps(document).encode())
    moved, created = save_bundle(bundle, person("zoe"), timezone.now(), may_add_ontologies=True)
    crawl_again(moved)
    read_examples(moved)
    crawl_again(moved)

    assert created
    assert export_bundle(moved) == document
    after = scores(moved)
    kept = {url for url, (is_kept, _score) in before.items() if is_kept}
    assert {url for url, (is_kept, _score) in after.items() if is_kept} == kept
    assert {"http://solar.test/cells", "http://taiyang.test/"} <= kept
    assert unliked not in kept
    for url in kept:
        assert after[url][1] == pytest.approx(before[url][1], abs=tolerance)


@pytest.fixture
def document(ann: User) -> dict[str, Any]:
    """A topic with everything, as a bundle; the installation is empty again but for Ann."""
    topic = Topic.objects.create(owner=ann, slug="sun", name="Sun", seeds="http://hub.test/")
    add_everything(topic)
    document = export_bundle(topic)
    Topic.objects.all().delete()
    Ontology.objects.all().delete()
    return document


def load(document: dict[str, Any], owner: User, *, may_add: bool = True) -> Topic:
    bundle = read_bundle(json.dumps(document).encode())
    return save_bundle(bundle, owner, NOON, may_add_ontologies=may_add)[0]


def test_a_second_import_changes_nothing_and_keeps_channels_and_readings(
    document: dict[str, Any], ann: User
) -> None:
    topic = load(document, ann)
    rule, example = topic.alert_rules.get(), topic.examples.get(url="")
    rule.channels.add(channel_of(ann, target="https://hook.test/2"))
    search = topic.saved_searches.get()

    assert export_bundle(load(document, ann)) == document

    assert topic.alert_rules.get().channels.count() == 1
    assert topic.examples.get(url="").pk == example.pk
    assert topic.saved_searches.get().pk == search.pk, "its feed has the same address"
    assert Ontology.objects.count() == 1


def test_what_a_file_switches_on_begins_then(document: dict[str, Any], ann: User) -> None:
    topic = load(document, ann)
    long_ago = NOON - timedelta(days=9)
    AlertRule.objects.update(active=False, begins=long_ago)
    Digest.objects.update(active=False, covered_until=long_ago)

    load(document, ann)

    rule, digest = topic.alert_rules.get(), Digest.objects.get(topic=topic)
    assert (rule.active, rule.begins) == (True, NOON)
    assert (digest.active, digest.covered_until) == (True, NOON)

    AlertRule.objects.update(begins=long_ago)
    Digest.objects.update(covered_until=long_ago)
    load(document, ann)
    assert topic.alert_rules.get().begins == long_ago, "it was on already"
    assert Digest.objects.get(topic=topic).covered_until == long_ago


def test_a_rule_begins_anew_when_a_file_changes_its_search(
    document: dict[str, Any], ann: User
) -> None:
    topic = load(document, ann)
    AlertRule.objects.update(begins=NOON - timedelta(days=9))
    [search] = document["saved_searches"]

    load(document | {"saved_searches": [search | {"query": "module"}]}, ann)

    assert topic.alert_rules.get().begins == NOON


def test_a_rule_whose_search_a_file_replaces_keeps_its_channels(
    document: dict[str, Any], ann: User
) -> None:
    topic = load(document, ann)
    topic.alert_rules.get().channels.add(channel_of(ann))
    [search], [rule] = document["saved_searches"], document["rules"]
    renamed = {
        "saved_searches": [search | {"name": "modules"}],
        "rules": [rule | {"search": "modules"}],
        "digest": document["digest"] | {"searches": ["modules"]},
    }

    load(document | renamed, ann)

    kept = topic.alert_rules.get()
    assert kept.channels.count() == 1
    assert kept.search == topic.saved_searches.get()

    with pytest.raises(TopicError, match="'modules' is not a saved search of this topic"):
        load(document | renamed | {"saved_searches": [search]}, ann)


@pytest.mark.parametrize("part", ["saved_searches", "rules"])
def test_a_file_may_replace_as_many_rows_as_a_person_may_have(
    document: dict[str, Any], ann: User, part: str
) -> None:
    document |= {"saved_searches": [], "rules": [], "digest": None}
    query = {"query": "panel"} if part == "saved_searches" else {}
    topic = load(document | {part: [{"name": f"old {n}"} | query for n in range(100)]}, ann)

    load(document | {part: [{"name": "new"} | query]}, ann)

    assert [row["name"] for row in export_bundle(topic)[part]] == ["new"]


def test_a_part_that_is_left_out_stays_and_an_empty_one_is_removed(
    document: dict[str, Any], ann: User
) -> None:
    topic = load(document, ann)
    plain = {key: document[key] for key in ("format", "version", "name", "slug", "seeds")}
    load(plain, ann)
    kept = export_bundle(topic)
    assert {key: kept[key] for key in ("concepts", "examples", "rules", "digest")} == {
        key: document[key] for key in ("concepts", "examples", "rules", "digest")
    }

    empty: dict[str, Any] = {
        "concepts": [],
        "examples": [],
        "saved_searches": [],
        "rules": [],
        "digest": None,
    }
    load(plain | empty, ann)
    assert {key: export_bundle(topic)[key] for key in empty} == empty


def test_an_ontology_of_the_owner_and_a_shared_one_are_used_as_they_are(
    document: dict[str, Any], ann: User, bob: User
) -> None:
    save_ontology(read_ontology(TURTLE), "Energy", NOON, owner=bob)
    Ontology.objects.update(shared=True)

    topic = load(document, ann, may_add=False)

    assert topic.concepts.get().concept.ontology.owner == bob


def test_two_ontologies_of_one_title_are_told_apart(ann: User, bob: User) -> None:
    topic = Topic.objects.create(owner=ann, slug="sun", name="Sun", seeds="http://hub.test/")
    shared, _changes = save_ontology(read_ontology(TURTLE), "Energy", NOON, owner=bob)
    Ontology.objects.update(shared=True)
    mine = read_ontology(TURTLE.replace(b"energy.test", b"mine.test"))
    own, _changes = save_ontology(mine, "energy", NOON, owner=ann)
    for ontology in (shared, own):
        attach(topic, ontology.concepts.get(iri__endswith="cell"))
    document = export_bundle(topic)

    def used() -> set[Ontology]:
        return {row.concept.ontology for row in topic.concepts.all()}

    load(document, ann, may_add=False)
    assert used() == {shared, own}

    Topic.objects.all().delete()
    Ontology.objects.all().delete()
    moved = load(document, ann)
    assert export_bundle(moved)["concepts"] == document["concepts"]
    assert Ontology.objects.count() == 2


def test_conditions_of_a_rule_are_stored_as_the_form_stores_them(
    document: dict[str, Any], ann: User
) -> None:
    rule = {"name": "r", "site": "A.test；b.test", "language": "Chinese", "query": " grid "}

    topic = load(document | {"rules": [rule]}, ann)

    stored = topic.alert_rules.get()
    assert (stored.site, stored.language, stored.query) == ("a.test, b.test", "zh", "grid")


WRONG: list[tuple[str, object, str]] = [
    ("ontologies", [{"title": "Energy", "turtle": "no turtle"}], r"ontologies\[0\].turtle: "),
    ("ontologies", [], r"concepts\[0\].ontology: 'Energy' is not among"),
    ("concepts", [{"ontology": "Energy", "iri": "http://x.test/"}], r"concepts\[0\].iri: "),
    ("examples", [{"url": "ftp://a.test/"}], r"examples\[0\]: This is not an http"),
    ("examples", [{"relevant": True}], r"examples\[0\]: it needs either a url or a text"),
    ("ratings", [{"url": "no", "relevant": True, "rated": "2026-05-01T12:00:00Z"}], r"\[0\].url"),
    (
        "ratings",
        [{"url": "http://a.test/", "relevant": True, "rated": "2026-05-01T12:00:00"}],
        "zone",
    ),
    (
        "ratings",
        [{"url": "http://a.test/", "relevant": True, "rated": "0001-01-01T00:00:00+14:00"}],
        r"ratings\[0\].rated: it is before year 1",
    ),
    (
        "ratings",
        [{"url": "http://a.test/", "relevant": True, "rated": "0001-01-01T00:00:00Z"}],
        "before year 1 or after 9999 in some time zone",
    ),
    (
        "ratings",
        [{"url": "http://a.test/", "relevant": True, "rated": "9999-12-31T23:59:59Z"}],
        "before year 1 or after 9999 in some time zone",
    ),
    ("saved_searches", [{"name": "", "query": "x"}], r"saved_searches\[0\].name: "),
    ("saved_searches", [{"name": "a", "query": " "}], r"saved_searches\[0\].query: "),
    ("saved_searches", [{"name": "a", "query": "(x"}], r"saved_searches\[0\].query: .*no closing"),
    (
        "saved_searches",
        [{"name": "a", "query": "x"}] * 2,
        r"searches\[1\].name: 'a' is listed twice",
    ),
    ("rules", [{"name": "r"}] * 2, r"rules\[1\].name: 'r' is listed twice"),
    ("rules", [{"name": "r", "search": "none"}], r"rules\[0\].search: 'none' is not a saved"),
    ("rules", [{"name": "r", "min_score": 2}], r"rules\[0\].min_score: "),
    ("rules", [{"name": "r", "quiet_from": "22:00"}], r"rules\[0\].quiet_until: "),
    ("rules", [{"name": "r", "watches": "silence", "term": "x"}], r"rules\[0\].term: a rule on"),
    ("rules", [{"name": "r", "site": "a b/c"}], r"rules\[0\].site: “b/c” is not the name"),
    ("rules", [{"name": "r", "not_site": "."}], r"rules\[0\].not_site: "),
    ("rules", [{"name": "r", "language": "Klingonish"}], r"rules\[0\].language: "),
    ("rules", [{"name": "r", "term": "the"}], r"rules\[0\].term: “the” has only common words"),
    ("rules", [{"name": "r", "watches": "no"}], r"rules\[0\].watches: "),
    ("digest", {"min_items": 21}, r"digest.min_items: the minimum must not be above"),
    ("digest", {"frequency": "weekly"}, r"digest.weekdays: "),
    ("digest", {"at": "25:00"}, r"digest.at: '25:00' is not a time"),
    ("digest", {"at": "08:00+02:00"}, r"digest.at: '08:00\+02:00' is not a time"),
    ("digest", {"also_at": "12:30Z"}, r"digest.also_at: “12:30Z” is not a time"),
    ("digest", {"max_items": 500}, r"digest.max_items: "),
]


@pytest.mark.parametrize(("part", "value", "said"), WRONG)
def test_a_wrong_part_is_named_and_nothing_is_saved(
    document: dict[str, Any], ann: User, part: str, value: object, said: str
) -> None:
    with pytest.raises(TopicError, match=said):
        load(document | {part: value}, ann)
    assert not Topic.objects.exists()
    assert not Ontology.objects.exists()


def test_who_may_not_import_ontologies_is_told_which_one_is_missing(
    document: dict[str, Any], bob: User
) -> None:
    with pytest.raises(TopicError, match="'Energy' is not here, and you may not import"):
        load(document, bob, may_add=False)


def test_a_name_that_is_used_elsewhere_is_not_taken_over(
    document: dict[str, Any], ann: User
) -> None:
    SavedSearch.objects.update_or_create(
        owner=ann, name="panels", defaults={"query": "mine", "created": NOON, "topic": None}
    )
    with pytest.raises(TopicError, match=r"saved_searches\[0\].name: you have 'panels' already"):
        load(document, ann)
    assert SavedSearch.objects.get().query == "mine"

"""Searching topics that others share: what a reader finds, and what stays private."""

import json
from collections.abc import Callable
from datetime import UTC, timedelta
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from crawler.models import Concept, Harvest, Label, Ontology, Url
from tests.topics.search.conftest import NOON, Library
from topics.accounts.api_tokens import TokenScope, make_token
from topics.accounts.sharing import follow_owner, share
from topics.feeds.addresses import renew_address
from topics.feeds.items import current_items
from topics.models import (
    Alert,
    AlertMatch,
    AlertRule,
    PageChange,
    Reading,
    ReadingTag,
    SavedSearch,
    Thumb,
    Topic,
    TopicReader,
    TopicTerm,
)
from topics.pages.saved_searches import count, fitting
from topics.pages.search_facts import Scope
from topics.pages.search_results import readable_topics
from topics.pages.search_screen import SearchAnswer, read_request, search_pages
from topics.pages.spelling import vocabulary
from topics.search.errors import QueryError
from topics.search.outbox import drain_all
from topics.search.store import IndexStore


@pytest.fixture
def power(library: Library, store: IndexStore, ada: User, bob: User, client: Client) -> Topic:
    """Two pages of a topic that Ada shares with Bob, who is signed in; Eve shares none."""
    crawl = library.crawl("power", ada)
    library.page(crawl, "a", "Grid of Ada", "The operator balances wind.", score=0.8)
    library.page(crawl, "b", "Pylons of Ada", "A grid needs pylons.", score=0.4)
    eve = User.objects.create(username="eve")
    library.page(library.crawl("secret", eve), "e", "Grid of Eve", "Their operator waits.")
    drain_all(60, store)
    topic = Topic.objects.get(slug="power")
    share(topic, "bob", NOON)
    client.force_login(bob)
    return topic


def page_of(topic: Topic, path: str = "a") -> Harvest:
    assert topic.crawl is not None
    return topic.crawl.harvests.get(url__url__endswith=f"/{path}")


def search(client: Client, query: str, topic: str = "") -> str:
    answer = client.get(reverse("search"), {"q": query, "topic": topic})
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def answer_for(reader: User, query: str) -> SearchAnswer:
    return search_pages(read_request(query), readable_topics(reader), reader.pk)


def found(reader: User, query: str) -> list[str]:
    answer = answer_for(reader, query)
    assert answer.found is not None, answer.error
    return sorted(page.harvest.page.title for page in answer.found.pages)


def test_a_reader_finds_pages_of_a_shared_topic_at_the_readers_address(
    client: Client, power: Topic
) -> None:
    html, key = search(client, "grid"), page_of(power).pk

    assert "2 pages in" in html
    for part in (
        '<option value="ada~power">Power, from ada</option>',
        '<a href="/topics/ada~power/">Power, from ada</a>',
        f'"/topics/ada~power/pages/{key}/#score"',
        f'action="/topics/ada~power/pages/{key}/mark"',
    ):
        assert part in html, part
    assert client.get(f"/topics/ada~power/pages/{key}/").status_code == 200
    assert "of Eve" not in html and "ecret" not in html
    assert "/thumb" not in html


def test_one_shared_topic_can_be_searched_alone(
    client: Client, library: Library, store: IndexStore, power: Topic, bob: User
) -> None:
    library.page(library.crawl("bobs", bob), "c", "Grid of Bob")
    Topic.objects.filter(slug="bobs").update(slug="power")
    drain_all(60, store)

    everywhere, own = search(client, "grid"), search(client, "grid", "power")
    shared = search(client, "grid", "ada~power")

    assert "3 pages in" in everywhere
    assert "of Bob" in own and "of Ada" not in own
    assert "of Ada" in shared and "of Bob" not in shared
    assert '<option value="ada~power" selected>' in shared
    assert found(bob, "topic:power") == ["Grid of Bob"]
    assert found(bob, 'topic:"ada~power" grid') == ["Grid of Ada", "Pylons of Ada"]


@pytest.mark.parametrize("slug", ["power", "2026", "电网"])
def test_the_topics_beside_the_results_name_the_owner_and_lead_to_as_many_pages(
    library: Library, store: IndexStore, power: Topic, bob: User, slug: str
) -> None:
    library.page(library.crawl("bobs", bob), "c", "Grid of Bob")
    Topic.objects.filter(pk=power.pk).update(slug=slug)
    drain_all(60, store)

    [topics] = [one for one in answer_for(bob, "grid").facets if one.name == "Topic"]

    assert {(value.label, value.count) for value in topics.values} == {
        ("Power, from ada", 2),
        ("Bobs", 1),
    }
    for value in topics.values:
        assert len(found(bob, f"grid {value.condition}")) == value.count


def test_owners_whose_names_differ_in_case_only_are_told_apart(
    library: Library, store: IndexStore, power: Topic, bob: User
) -> None:
    other = library.crawl("other", User.objects.create(username="Ada"))
    library.page(other, "c", "Grid of another Ada")
    Topic.objects.filter(slug="other").update(slug="power")
    share(Topic.objects.get(crawl=other), "bob", NOON)
    drain_all(60, store)

    assert found(bob, 'grid topic:"Ada~power"') == ["Grid of another Ada"]
    assert found(bob, 'grid topic:"ada~power"') == ["Grid of Ada", "Pylons of Ada"]


def test_marks_of_the_owner_are_not_the_readers(
    client: Client, power: Topic, ada: User, bob: User
) -> None:
    row = Reading.objects.create(
        topic=power,
        url=page_of(power).url,
        user=ada,
        read=NOON,
        starred=NOON,
        hidden="dull",
        note="Of Ada alone.",
        changed=NOON,
    )
    ReadingTag.objects.create(reading=row, name="adas")

    for condition in ("is:starred", "is:read", "is:hidden", "tag:adas"):
        assert found(ada, condition) == ["Grid of Ada"], condition
        assert found(bob, condition) == [], condition
    html = search(client, "grid")
    assert "Of Ada alone." not in html and "adas" not in html
    assert html.count('value="unstar"') == 1, "the bulk form"
    states = [one for one in answer_for(bob, "grid").facets if one.name == "Status"]
    assert "starred" not in {value.label for one in states for value in one.values}


@pytest.mark.parametrize("chosen", [True, False])
def test_marks_and_tags_of_many_found_pages_are_the_readers(
    client: Client, power: Topic, ada: User, bob: User, chosen: bool
) -> None:
    form = {"q": "grid", "pick": [page_of(power).pk, page_of(power, "b").pk]}
    if not chosen:
        form = {"q": "grid", "all": "1"}

    client.post(reverse("search_bulk"), form | {"do": "star"})
    client.post(reverse("search_bulk"), form | {"do": "tag", "tags": "later"})

    assert set(Reading.objects.values_list("user", "topic")) == {(bob.pk, power.pk)}
    assert found(bob, "is:starred") == found(bob, "tag:later") == ["Grid of Ada", "Pylons of Ada"]
    assert found(ada, "is:starred") == found(ada, "tag:later") == []
    assert search(client, "grid").count('value="unstar"') == 3, "two pages, and the bulk form"


def test_ratings_alerts_and_rules_of_the_owner_are_not_searched(
    power: Topic, ada: User, bob: User
) -> None:
    page = page_of(power)
    Thumb.objects.create(topic=power, user=ada, url=page.url, value=1, created=NOON)
    alert = Alert.objects.create(topic=power, harvest=page, score=0.8, needed=0.5, fired=NOON)
    rule = AlertRule.objects.create(owner=ada, name="Adas rule", begins=NOON, created=NOON)
    AlertMatch.objects.create(rule=rule, alert=alert, harvest=page, matched=NOON)

    for condition in ("is:relevant", "is:alerted", 'rule:"Adas rule"'):
        assert found(ada, condition) == ["Grid of Ada"], condition
    assert found(bob, "is:relevant") == found(bob, "is:alerted") == []
    refused = answer_for(bob, "rule:unknown")
    assert refused.error and "Adas" not in refused.error


def test_names_of_concepts_come_from_the_readers_ontologies(
    power: Topic, ada: User, bob: User
) -> None:
    for owner, other in ((ada, "privately"), (bob, "pylons")):
        ontology = Ontology.objects.create(slug=other, title=other, owner=owner, changed=NOON)
        concept = Concept.objects.create(ontology=ontology, iri=f"urn:{other}")
        for name in ("operator", other):
            Label.objects.create(concept=concept, text=name)

    assert [name.text for name in answer_for(bob, "operator").names] == ["pylons"]
    assert found(bob, "term:operator") == ["Grid of Ada", "Pylons of Ada"]
    assert [name.text for name in answer_for(ada, "operator").names] == ["privately"]


def test_changes_are_found_of_the_pages_that_the_reader_watches(
    power: Topic, ada: User, bob: User
) -> None:
    url = page_of(power).url
    PageChange.objects.create(
        topic=power,
        url=url,
        found=NOON,
        packed_before=b"",
        packed_after=b"",
        n_inserted=9,
        n_deleted=0,
    )
    before = found(bob, "is:changed")
    Reading.objects.create(topic=power, url=url, user=bob, starred=NOON, changed=NOON)

    assert before == []
    assert found(bob, "is:changed") == found(ada, "is:changed") == ["Grid of Ada"]


def test_spellings_come_from_pages_and_not_from_the_profile(power: Topic, bob: User) -> None:
    TopicTerm.objects.create(topic=power, text="quokka", weight=1)

    known = vocabulary(readable_topics(bob))

    assert "operator" in known and "quokka" not in known
    assert "quokka" in vocabulary([power])
    assert [one.label for one in answer_for(bob, "oparator").meant] == ["operator"]


def test_a_file_holds_pages_of_shared_topics(client: Client, power: Topic) -> None:
    answer = client.get(reverse("search_export"), {"q": "grid", "format": "json"})

    pages = json.loads(answer.content)["pages"]
    assert [page["title"] for page in pages] == ["Grid of Ada", "Pylons of Ada"]


def removed_by_the_owner(topic: Topic, bob: User) -> None:
    client, reader = Client(), TopicReader.objects.get(topic=topic, user=bob)
    client.force_login(topic.owner)
    client.post(reverse("topic_reader_remove", args=[topic.slug, reader.pk]))


def left_by_the_reader(topic: Topic, bob: User) -> None:
    client = Client()
    client.force_login(bob)
    client.post(reverse("topic_leave", args=[f"ada~{topic.slug}"]))


@pytest.mark.parametrize("end", [removed_by_the_owner, left_by_the_reader])
def test_nothing_is_found_once_the_sharing_has_ended(
    client: Client, power: Topic, bob: User, end: Callable[[Topic, User], None]
) -> None:
    page, address = page_of(power), reverse("search_bulk")
    client.post(address, {"q": "grid", "all": "1", "do": "star"})
    saved = SavedSearch.objects.create(owner=bob, name="s", query="grid", created=NOON)
    end(power, bob)

    for query in ("grid", "operator", "oparator", "is:starred", "grid lang:fr", "topic:x grid"):
        answer, html = answer_for(bob, query), search(client, query)
        assert (answer.found.total if answer.found else 0) == 0, query
        assert not (answer.facets or answer.meant or answer.relaxed), query
        assert not any(word in html for word in ("of Ada", "Power", "ada~", "from ada")), query
    assert "ada~" not in answer_for(bob, 'topic:"ada~other"').error.replace("ada~other", "")
    for name in ("search", "search_export"):
        said = {"q": "grid", "topic": "ada~power", "format": "json"}
        assert client.get(reverse(name), said).status_code == 404
    export = client.get(reverse("search_export"), {"q": "grid", "format": "json"})
    assert json.loads(export.content)["pages"] == []
    said = {"q": "grid", "topic": "ada~power", "do": "read", "all": "1"}
    assert client.post(address, said).status_code == 404
    for form in ({"pick": [page.pk]}, {"all": "1"}):
        client.post(address, {"q": "grid", "do": "read", **form})
    assert not Reading.objects.filter(read__isnull=False).exists()
    count(saved, timezone.now())
    assert saved.n_found == 0


def test_the_topic_is_found_as_an_own_one_by_its_next_owner_and_no_more_by_the_former(
    power: Topic, ada: User, bob: User
) -> None:
    Topic.objects.filter(pk=power.pk).update(owner=bob)
    follow_owner(Topic.objects.get(pk=power.pk), NOON)

    assert found(bob, "topic:power grid") == ["Grid of Ada", "Pylons of Ada"]
    assert [(topic.slug, topic.is_shared) for topic in readable_topics(bob)] == [("power", False)]
    assert found(ada, "grid") == []


def test_a_deactivated_reader_is_sent_to_the_login(client: Client, power: Topic, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(is_active=False)

    assert client.get(reverse("search"), {"q": "grid"}).status_code == 302


def test_a_topic_of_a_deactivated_owner_is_found_as_long_as_it_can_be_opened(
    client: Client, power: Topic, ada: User
) -> None:
    User.objects.filter(pk=ada.pk).update(is_active=False)

    assert client.get("/topics/ada~power/").status_code == 200
    assert "2 pages in" in search(client, "grid")


def test_topics_that_are_shared_with_somebody_else_are_not_searched(
    client: Client, power: Topic
) -> None:
    client.force_login(User.objects.create(username="carl"))

    assert "of Ada" not in search(client, "grid")
    assert client.get(reverse("search"), {"topic": "ada~power"}).status_code == 404


def test_a_search_of_a_shared_topic_is_refused_without_its_reader(power: Topic, bob: User) -> None:
    with pytest.raises(ValueError, match="needs a reader"):
        Scope(readable_topics(bob), NOON, UTC)


def test_a_saved_search_counts_shared_topics_and_sends_none_of_their_pages(
    client: Client, power: Topic, bob: User
) -> None:
    now = timezone.now()
    html = search(client, "grid")
    client.post(reverse("save_search"), {"q": "grid", "name": "Grids"})
    saved = SavedSearch.objects.get()

    assert "look in your own topics only" in html
    assert "2 pages" in client.get(reverse("topic_list")).content.decode()
    assert current_items(renew_address("search", saved, now), now + timedelta(minutes=1)) == []
    assert fitting(saved, Harvest.objects.kept(), power, now) == set()


def test_a_search_of_one_shared_topic_is_not_saved(client: Client, power: Topic) -> None:
    html = search(client, "grid", "ada~power")
    answer = client.post(reverse("save_search"), {"q": "grid", "topic": "ada~power"})

    assert reverse("save_search") not in html
    assert answer.status_code == 404
    assert not SavedSearch.objects.exists()


def test_a_rule_of_a_search_that_names_a_shared_topic_says_that_it_cannot_be_run(
    library: Library, power: Topic, bob: User
) -> None:
    library.crawl("bobs", bob)
    saved = SavedSearch(owner=bob, name="s", query='grid topic:"ada~power"', created=NOON)

    with pytest.raises(QueryError):
        fitting(saved, Harvest.objects.kept(), Topic.objects.get(slug="bobs"), NOON)


def test_programs_read_own_topics_only(client: Client, power: Topic, bob: User) -> None:
    header = {"authorization": f"Bearer {make_token(bob, 'test', list(TokenScope), NOON)}"}

    everywhere = client.get("/api/v1/search?q=grid", headers=header)
    shared = client.get("/api/v1/search?q=grid&topic=ada~power", headers=header)

    assert everywhere.json()["items"] == []
    assert shared.status_code == 404


def test_a_page_of_an_own_and_a_shared_topic_is_shown_once(
    library: Library, store: IndexStore, power: Topic, bob: User, client: Client
) -> None:
    own = library.crawl("bobs", bob)
    url = Url.objects.get(url__endswith="/a")
    Harvest.objects.create(crawl=own, url=url, kept=True, score=0.9, first_seen=NOON)
    library.queue(url.page)
    drain_all(60, store)

    html = search(client, "operator")

    assert "1 page in" in html
    assert '<a href="/topics/bobs/">Bobs</a>' in html

"""Feeds as a reader gets them: valid, secret, cacheable, and only of one's own things."""

from datetime import UTC, datetime, timedelta
from typing import Any

import feedparser  # type: ignore[import-untyped]
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crawler.models import Harvest, Page, Story
from tests.topics.delivery.rules_and_channels import rule_of
from tests.topics.factories import Scene, scene_of
from tests.topics.feeds.feed_rules import broken_rules
from topics.feeds.addresses import KINDS, addresses_of, renew_address
from topics.feeds.publishing import MAX_A_MINUTE
from topics.models import Feed, SavedSearch, Topic
from topics.search.outbox import rebuild

NOW = datetime.now(UTC)
#: Feeds of a topic, read for the first time and again.
MOST_QUERIES = 18
HOSTILE = (
    "\x00\x01\x0b\x1b[31m",
    "]]><script>alert(1)</script><![CDATA[",
    "<b>&amp;&lt;&#0;&#xFFFE;</b>",
    "\u202e\u2066gpj.exe\u200f",
    "\ufffe\uffff\U0001fffe",
    "x" * 300,
    "电网 \u3000 🏳️‍🌈 é",
    "",
)


@pytest.fixture
def scene(ann: User) -> Scene:
    """A topic whose pages are new today."""
    scene = scene_of(ann, now=NOW)
    for number, title in enumerate(HOSTILE):
        story = Story.objects.create(crawl=scene.crawl, first_seen=NOW)
        page = scene.page(f"https://p{number}.test/", "t", story=story, text=f"CPU {title} cache.")
        Page.objects.filter(pk=page.url_id).update(title=title)
    return scene


def address(kind: str, target: Any, form: str = "atom") -> str:
    """The path of the feed that its owner is shown."""
    target = type(target).objects.get(pk=target.pk)
    found = dict(zip(("atom", "rss", "json"), addresses_of(kind, target).addresses, strict=True))
    return "/feeds/" + found[form][1].rpartition("/")[2]


def read(path: str, **headers: str) -> Any:
    """Read a feed as a program that has no cookie."""
    return Client().get(path, headers=headers)


@pytest.mark.parametrize("form", ["atom", "rss", "json"])
def test_a_feed_is_valid_whatever_titles_hold(scene: Scene, form: str) -> None:
    renew_address("topic", scene.topic, NOW)
    response = read(address("topic", scene.topic, form))
    text = response.content.decode()

    assert broken_rules(form, text) == []
    assert text.count("urn:uuid:") == len(HOSTILE) + (form == "atom")
    assert response.headers["Content-Type"].startswith(("application/", "text/"))


@pytest.mark.parametrize("form", ["atom", "rss", "json"])
def test_an_empty_feed_is_valid_and_does_not_change(ann: User, form: str) -> None:
    scene = scene_of(ann, now=NOW)
    renew_address("topic", scene.topic, NOW)
    path = address("topic", scene.topic, form)
    first, second = read(path), read(path)

    assert broken_rules(form, first.content.decode()) == []
    assert first.headers["ETag"] == second.headers["ETag"]
    assert first.content == second.content


def test_markup_of_a_page_is_text_in_the_feed(scene: Scene) -> None:
    renew_address("topic", scene.topic, NOW)
    entries = feedparser.parse(read(address("topic", scene.topic)).content, sanitize_html=False)

    summaries = "".join(entry.summary for entry in entries.entries)
    assert "&lt;script&gt;" in summaries
    assert "<script" not in summaries


@pytest.mark.parametrize("form", ["atom", "rss", "json"])
def test_a_feed_that_did_not_change_is_not_sent_again(scene: Scene, form: str) -> None:
    renew_address("topic", scene.topic, NOW)
    path = address("topic", scene.topic, form)
    first = read(path)
    etag, changed = first.headers["ETag"], first.headers["Last-Modified"]

    for headers in (
        {"if_none_match": etag},
        {"if_none_match": f"W/{etag}"},
        {"if_modified_since": changed},
        {"if_none_match": etag, "if_modified_since": "Thu, 01 Jan 1970 00:00:00 GMT"},
    ):
        answer = read(path, **headers)
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["ETag"] == etag
    Page.objects.filter(title__startswith="xxx").update(title="Another title")
    assert read(path, if_none_match=etag).status_code == 200


def test_the_formats_have_tags_of_their_own(scene: Scene) -> None:
    renew_address("topic", scene.topic, NOW)
    tags = {read(address("topic", scene.topic, form)).headers["ETag"] for form in ("atom", "rss")}
    assert len(tags) == 2


def test_a_feed_gives_no_cookie_and_may_be_kept_for_a_while(scene: Scene) -> None:
    renew_address("topic", scene.topic, NOW)
    response = read(address("topic", scene.topic))

    assert not response.cookies
    assert response.headers["Cache-Control"] == "private, max-age=900"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert Client().head(address("topic", scene.topic)).status_code == 200


def test_a_cookie_opens_no_feed(as_ann: Client, scene: Scene) -> None:
    assert as_ann.get(reverse("feed", args=["x", "atom"])).status_code == 404


def test_a_revoked_address_and_a_guess_are_answered_alike(as_ann: Client, scene: Scene) -> None:
    renew_address("topic", scene.topic, NOW)
    path = address("topic", scene.topic)
    assert read(path).status_code == 200
    as_ann.post(reverse("feed_change", args=["topic", scene.topic.pk]), {"do": "off"})

    revoked, guess = read(path), read("/feeds/fwf_" + "A" * 43 + ".atom")
    assert revoked.status_code == guess.status_code == 404
    assert revoked.content == guess.content


def test_an_unknown_format_is_not_found(scene: Scene) -> None:
    renew_address("topic", scene.topic, NOW)
    assert read(address("topic", scene.topic).replace(".atom", ".pdf")).status_code == 404


def test_the_language_is_that_of_its_maker_whoever_reads_it(as_ann: Client, scene: Scene) -> None:
    change = reverse("feed_change", args=["topic", scene.topic.pk])
    as_ann.post(change, {"do": "new"}, headers={"accept-language": "zh-hans"})

    text = read(address("topic", scene.topic), accept_language="en").content.decode()
    assert 'xml:lang="zh-Hans"' in text
    assert "提到" in text


def test_a_reader_that_comes_too_often_is_asked_to_wait(scene: Scene) -> None:
    renew_address("topic", scene.topic, NOW)
    path = address("topic", scene.topic)
    # The requests may fall into two minutes.
    statuses = [read(path).status_code for _ in range(2 * MAX_A_MINUTE + 1)]
    refused = read(path)

    assert statuses[:MAX_A_MINUTE] == [200] * MAX_A_MINUTE
    assert 429 in statuses
    if refused.status_code == 429:
        assert refused.headers["Retry-After"] == "60"


def things(scene: Scene) -> dict[str, Any]:
    """One of everything that has a feed."""
    owner = scene.topic.owner
    return {
        "topic": scene.topic,
        "rule": rule_of(scene),
        "search": SavedSearch.objects.create(owner=owner, name="s", query="cpu", created=NOW),
    }


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_its_page_shows_the_addresses_and_switches_them(
    as_ann: Client, scene: Scene, kind: str
) -> None:
    rebuild()
    target = things(scene)[kind]
    change = reverse("feed_change", args=[kind, target.pk])
    page = as_ann.post(change, {"do": "new"}, follow=True).content.decode()
    path = address(kind, target)

    assert path in page
    assert "Not read yet." in page
    assert read(path).status_code == 200
    assert path not in as_ann.post(change, {"do": "off"}, follow=True).content.decode()
    assert as_ann.post(change, {"do": "explode"}).status_code == 404
    assert as_ann.get(change).status_code == 405


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_nobody_makes_or_ends_the_feed_of_another(
    client: Client, scene: Scene, bob: User, kind: str
) -> None:
    target = things(scene)[kind]
    renew_address(kind, target, NOW)
    client.force_login(bob)
    change = reverse("feed_change", args=[kind, target.pk])

    for button in ("new", "off"):
        assert client.post(change, {"do": button}).status_code == 404
    assert read(address(kind, target)).status_code in (200, 503)
    assert client.post(reverse("feed_change", args=["user", 1]), {"do": "new"}).status_code == 404


def test_a_feed_holds_nothing_of_another_person(scene: Scene, bob: User) -> None:
    others = scene_of(bob, "secret", now=NOW)
    story = Story.objects.create(crawl=others.crawl, first_seen=NOW)
    page = others.page("https://canary.test/", "Canary CPU", story=story, text="CPU canary")
    Harvest.objects.create(crawl=scene.crawl, url=page.url, kept=False, first_seen=NOW)
    rebuild()
    for kind, target in things(scene).items():
        renew_address(kind, target, NOW)
        for form in ("atom", "rss", "json"):
            assert "anary" not in read(address(kind, target, form)).content.decode()


def test_a_feed_of_a_search_that_cannot_be_run_says_so(scene: Scene) -> None:
    search = SavedSearch.objects.create(
        owner=scene.topic.owner, name="s", query="topic:gone cpu", created=NOW
    )
    renew_address("search", search, NOW)
    answer = read(address("search", search))
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60")


@pytest.mark.parametrize("n_pages", [1, 40])
def test_a_feed_reads_the_database_little(ann: User, n_pages: int) -> None:
    scene = scene_of(ann, now=NOW)
    for number in range(n_pages):
        story = Story.objects.create(crawl=scene.crawl, first_seen=NOW)
        scene.page(f"https://p{number}.test/", f"Page {number}", story=story)
    renew_address("topic", scene.topic, NOW)
    path = address("topic", scene.topic)
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            assert read(path).status_code == 200
        assert len(queries) <= MOST_QUERIES


def test_the_use_of_a_feed_is_noted(scene: Scene) -> None:
    renew_address("topic", scene.topic, NOW)
    read(address("topic", scene.topic))
    feed = Feed.objects.get()
    assert feed.used is not None
    assert feed.used >= NOW
    Feed.objects.update(used=NOW - timedelta(hours=1))
    read(address("topic", scene.topic))
    feed.refresh_from_db()
    assert feed.used is not None
    assert feed.used >= NOW


def test_deleting_a_topic_deletes_its_feed(scene: Scene) -> None:
    renew_address("topic", scene.topic, NOW)
    path = address("topic", scene.topic)
    Topic.objects.get().delete()
    assert read(path).status_code == 404


def test_a_reader_with_a_date_of_a_wrong_clock_gets_what_is_new(scene: Scene) -> None:
    renew_address("topic", scene.topic, NOW)
    path = address("topic", scene.topic)
    assert read(path).status_code == 200
    Feed.objects.update(changed=NOW + timedelta(days=365), looked=None)
    date = read(path).headers["Last-Modified"]
    Topic.objects.update(name="Another name")

    assert read(path, if_modified_since=date).status_code == 200

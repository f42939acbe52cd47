"""The public page of a topic: off by default, read-only, without anything private."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crawler.models import Story
from tests.topics.factories import Scene, explanation, scene_of
from tests.topics.feeds.feed_rules import broken_rules
from topics.accounts.sign_ins import LANGUAGE_KEY
from topics.feeds.publishing import MAX_A_MINUTE
from topics.models import Newspaper, Reading, ReadingTag, SiteControl, Thumb

NOW = datetime.now(UTC)
MOST_QUERIES = 12


@pytest.fixture
def scene(ann: User) -> Scene:
    """A topic with two news, one of which its owner marked in every way."""
    ann.first_name, ann.email = "Annabel", "annabel@reader.test"
    ann.save()
    scene = scene_of(ann, now=NOW)
    for number in range(2):
        story = Story.objects.create(crawl=scene.crawl, first_seen=NOW)
        page = scene.page(
            f"https://p{number}.test/",
            f"Title <b>{number}</b>",
            story=story,
            text="A CPU has a cache.",
            explanation=explanation(site={"rule": "raise"}),
        )
    keys = {"user": ann, "topic": scene.topic}
    marks = {"starred": NOW, "read": NOW, "hidden": "dull", "note": "canary-note", "changed": NOW}
    row = Reading.objects.create(url=page.url, **marks, **keys)
    ReadingTag.objects.create(reading=row, name="canary-tag")
    Thumb.objects.create(url=page.url, value=1, created=NOW, **keys)
    SiteControl.objects.create(topic=scene.topic, site=page.url.site, rule=SiteControl.Rule.RAISE)
    return scene


def publish(client: Client, scene: Scene, name: str = "chips-today", **more: str) -> int:
    form = {"do": "publish", "name": name} | more
    return client.post(reverse("newspaper_change", args=[scene.topic.slug]), form).status_code


def test_a_topic_is_not_public_unless_its_owner_publishes_it(as_ann: Client, scene: Scene) -> None:
    assert Client().get("/paper/chips/").status_code == 404
    assert (
        "Publish the page" in as_ann.get(reverse("topic_sharing", args=["chips"])).content.decode()
    )
    assert publish(as_ann, scene) == 302

    assert Client().get("/paper/chips-today/").status_code == 200
    shared = as_ann.get(reverse("topic_sharing", args=["chips"])).content.decode()
    assert "/paper/chips-today/" in shared


def test_it_shows_what_a_stranger_needs_and_nothing_private(as_ann: Client, scene: Scene) -> None:
    publish(as_ann, scene)
    html = Client().get("/paper/chips-today/").content.decode()

    for said in ("Title &lt;b&gt;1&lt;/b&gt;", "p1.test", "has a", "via", "Mentions"):
        assert said in html
    for private in ("canary", "ann", "Annabel", "reader.test", "raised", "rated", "csrf", "form"):
        assert private not in html.replace("<html", "").replace("FocusWeb", ""), private


def test_it_gives_no_cookie_is_cached_and_hidden_from_search_engines(
    as_ann: Client, scene: Scene
) -> None:
    publish(as_ann, scene)
    answer = Client().get("/paper/chips-today/")

    assert not answer.cookies
    assert answer.headers["Cache-Control"] == "public, max-age=300"
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert b'name="robots"' in answer.content
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    again = Client().get("/paper/chips-today/", headers={"if-none-match": answer.headers["ETag"]})
    assert again.status_code == 304
    publish(as_ann, scene, indexed="on")
    listed = Client().get("/paper/chips-today/")
    assert "X-Robots-Tag" not in listed.headers
    assert b'name="robots"' not in listed.content


@pytest.mark.parametrize(
    ("query", "header", "lang"),
    [
        ("", "zh-CN,zh;q=0.9", "zh-hans"),
        ("", "en", "en"),
        ("?lang=zh-hans", "en", "zh-hans"),
        ("?lang=en", "zh-CN", "en"),
        ("?lang=xx", "zh-CN", "zh-hans"),
    ],
)
def test_it_is_in_the_language_of_its_reader(
    as_ann: Client, scene: Scene, query: str, header: str, lang: str
) -> None:
    publish(as_ann, scene)
    answer = Client().get(f"/paper/chips-today/{query}", headers={"accept-language": header})
    assert f'<html lang="{lang}">' in answer.content.decode()
    assert ("原因" in answer.content.decode()) is (lang == "zh-hans")


@pytest.mark.parametrize(("own", "wanted"), [("en", "zh-hans"), ("zh-hans", "en")])
def test_a_language_in_the_address_goes_before_the_one_that_a_reader_chose(
    as_ann: Client, scene: Scene, own: str, wanted: str
) -> None:
    publish(as_ann, scene)
    session = as_ann.session
    session[LANGUAGE_KEY] = own
    session.save()

    chosen = as_ann.get(f"/paper/chips-today/?lang={wanted}")
    usual = as_ann.get("/paper/chips-today/")

    assert chosen.headers["Content-Language"] == wanted
    assert usual.headers["Content-Language"] == own


def test_its_feed_needs_no_secret_and_says_the_same(as_ann: Client, scene: Scene) -> None:
    publish(as_ann, scene)
    path = "/paper/chips-today/feed.atom"
    assert path in Client().get("/paper/chips-today/").content.decode()
    answer = Client().get(path)
    text = answer.content.decode()

    assert broken_rules("atom", text) == []
    assert text.count("<entry>") == 2
    assert "raised" not in text
    assert "Annabel" not in text
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    etag = answer.headers["ETag"]
    assert Client().get(path, headers={"if-none-match": etag}).status_code == 304


def test_one_reader_of_its_feed_keeps_no_other_out(as_ann: Client, scene: Scene) -> None:
    publish(as_ann, scene)
    path = "/paper/chips-today/feed.atom"
    statuses = {Client().get(path).status_code for _ in range(MAX_A_MINUTE + 5)}
    assert statuses == {200}


def test_it_moves_and_ends(as_ann: Client, scene: Scene) -> None:
    publish(as_ann, scene)
    publish(as_ann, scene, "Another-Place")
    assert Client().get("/paper/chips-today/").status_code == 404
    assert Client().get("/paper/another-place/").status_code == 200
    as_ann.post(reverse("newspaper_change", args=["chips"]), {"do": "end"})

    for path in ("/paper/another-place/", "/paper/another-place/feed.atom"):
        assert Client().get(path).status_code == 404


def test_it_ends_with_the_account_of_its_owner(as_ann: Client, scene: Scene, ann: User) -> None:
    publish(as_ann, scene)
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert Client().get("/paper/chips-today/").status_code == 404


@pytest.mark.parametrize("name", ["", "a", "two words", "a/b", "电网", "x" * 61, "taken"])
def test_an_address_that_does_not_work_is_refused(
    as_ann: Client, scene: Scene, bob: User, name: str
) -> None:
    other = scene_of(bob, "other").topic
    Newspaper.objects.create(topic=other, name="taken", created=NOW)
    assert publish(as_ann, scene, name) == 422
    assert Newspaper.objects.count() == 1


def test_a_refused_address_is_told_what_it_may_hold(as_ann: Client, scene: Scene) -> None:
    form = {"do": "publish", "name": "two words"}
    answer = as_ann.post(reverse("newspaper_change", args=[scene.topic.slug]), form)

    assert "Use the letters a to z, digits and hyphens only." in answer.content.decode()


def test_only_its_owner_publishes_a_topic(client: Client, scene: Scene, bob: User) -> None:
    client.force_login(bob)
    assert publish(client, scene) == 404
    assert publish(Client(), scene) == 302
    assert not Newspaper.objects.exists()


def test_it_reads_the_database_little(as_ann: Client, scene: Scene) -> None:
    publish(as_ann, scene)
    Client().get("/paper/chips-today/")
    with CaptureQueriesContext(connection) as queries:
        Client().get("/paper/chips-today/")
    assert len(queries) <= MOST_QUERIES


def test_an_unknown_button_does_nothing(as_ann: Client, scene: Scene) -> None:
    path = reverse("newspaper_change", args=["chips"])
    assert as_ann.post(path, {"do": "explode"}).status_code == 404


def test_a_page_without_a_date_says_so(as_ann: Client, scene: Scene) -> None:
    publish(as_ann, scene)
    html = Client().get("/paper/chips-today/").content.decode().replace("\xa0", " ")
    assert html.count("date unknown, first seen 3 hours ago") == 2

"""*Delete my account* leaves no row, no file and no name of the person."""

from datetime import date, time
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import models
from django.test import Client

from crawler.judging.judged_by import is_judged, is_outdated
from crawler.models import Crawl, Harvest, Ontology, Page
from crawler.store.labels import load_labels
from tests.topics.delivery.rules_and_channels import channel_of, rule_of
from tests.topics.every_table import fill, left, tables
from tests.topics.factories import NOON, Scene, prove, scene_of, topic_of
from topics.accounts.removal import remove_account
from topics.delivery.ledger import mail_file
from topics.errors import TopicError
from topics.models import (
    ApiToken,
    Channel,
    Digest,
    DigestIssue,
    Invitation,
    Reading,
    ReadingTag,
    SavedSearch,
    SignIn,
    Thumb,
    Topic,
    TopicReader,
    Visit,
)
from topics.profile.feedback import set_thumb

EMAIL = "ann.unusual@reader.test"
NAME = "ann-the-unusual"


def all_values() -> list[tuple[str, Any]]:
    """Model and value of every text-like column of every row."""
    kept = (models.CharField, models.TextField, models.JSONField, models.BinaryField)
    found = []
    for model in apps.get_models():
        names = [field.attname for field in model._meta.concrete_fields if isinstance(field, kept)]
        for row in model._default_manager.values_list(*names) if names else ():
            found += [(model.__name__, value) for value in row]
    return found


def rows_of(user_pk: int) -> list[str]:
    """Models that have a row with a foreign key to this account."""
    return [
        f"{model.__name__}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if field.related_model is User
        and model._default_manager.filter(**{field.attname: user_pk}).exists()
    ]


def named(values: list[tuple[str, Any]]) -> list[str]:
    """Models in which the name or address of the person stands."""
    marks = (EMAIL, NAME)
    texts = [
        (
            model,
            bytes(value).decode("utf-8", "replace")
            if isinstance(value, bytes | memoryview)
            else str(value),
        )
        for model, value in values
    ]
    return [model for model, text in texts if any(mark in text for mark in marks)]


@pytest.fixture
def full(scene: Scene, bob: User, data_folder: Path) -> Scene:
    """Ann with something of each kind, beside Bob with a topic of his own."""
    ann, topic = scene.topic.owner, scene.topic
    ann.username, ann.first_name = NAME, NAME
    ann.save()
    prove(ann, EMAIL)
    url = scene.url("https://notes.test/cache")
    Thumb.objects.create(user=ann, topic=topic, url=url, value=1, created=NOON)
    reading = Reading.objects.create(user=ann, topic=topic, url=url, note=NAME, changed=NOON)
    ReadingTag.objects.create(reading=reading, name="tag")
    Visit.objects.create(user=ann, topic=topic, latest=NOON)
    SavedSearch.objects.create(owner=ann, name="mine", query="cache", created=NOON)
    rule_of(scene, channel_of(ann, target=EMAIL))
    digest = Digest(topic=topic, at=time(8), covered_until=NOON)
    digest.plan_next(NOON)
    digest.save()
    issue = DigestIssue.objects.create(
        digest=digest,
        local_date=date(2026, 5, 1),
        slot=time(8),
        covers_from=NOON,
        covers_until=NOON,
        created=NOON,
        recipient=EMAIL,
        message=f"To: {EMAIL}".encode(),
    )
    mail_file(issue).parent.mkdir(exist_ok=True)
    mail_file(issue).write_bytes(f"To: {EMAIL}".encode())
    ApiToken.objects.create(user=ann, name=NAME, digest="0" * 64, created=NOON)
    Ontology.objects.create(owner=ann, slug="own", title="Own", changed=NOON)
    Ontology.objects.create(owner=ann, slug="shared", title="Shared", shared=True, changed=NOON)
    Invitation.objects.create(made_by=bob, email=EMAIL, created=NOON, expires=NOON, used_by=ann)
    Invitation.objects.create(made_by=ann, email="c@reader.test", created=NOON, expires=NOON)
    channel_of(bob, target=EMAIL)
    TopicReader.objects.create(topic=topic, user=bob, created=NOON)
    LogEntry.objects.create(
        user=bob,
        content_type=ContentType.objects.get_for_model(User),
        object_id=str(ann.pk),
        object_repr=NAME,
        action_flag=CHANGE,
    )
    client = Client()
    client.force_login(ann)
    client.get("/")
    SignIn.objects.all().delete()  # The session alone must be found, too.
    others = scene_of(bob, "bobs")
    others.urls = scene.urls
    page = Page.objects.get(url=url)
    Harvest.objects.create(crawl=others.crawl, url=page.url, kept=True, first_seen=NOON)
    return scene


def test_no_row_no_name_and_no_file_is_left(full: Scene, bob: User, data_folder: Path) -> None:
    ann = full.topic.owner
    key, files = ann.pk, list((data_folder / "mail").iterdir())
    assert len(files) == 1
    assert len(set(rows_of(key))) >= 12
    assert len(set(named(all_values()))) >= 7

    remove_account(ann, NOON)

    assert rows_of(key) == []
    assert named(all_values()) == []
    assert not files[0].exists()
    assert not Session.objects.exists()
    assert not User.objects.filter(pk=key).exists()


#: What belongs to no user: addresses and sites, with their links, rules and repeated lines, and the
#: machines of the installation.
SHARED = {
    "Site",
    "SiteRobots",
    "SiteLines",
    "Url",
    "Link",
    "Machine",
    "IndexOutbox",
    "PolicyReport",
}


def test_of_every_table_only_what_belongs_to_no_user_is_left(
    scene: Scene, data_folder: Path
) -> None:
    fill(scene)
    scene.crawl.runs.update(ended=NOON)
    assert len(left(tables())) == len(tables())

    remove_account(scene.topic.owner, NOON)

    assert set(left(tables())) == SHARED


def test_what_is_of_others_stays(full: Scene, bob: User) -> None:
    remove_account(full.topic.owner, NOON)

    assert [crawl.key for crawl in Crawl.objects.all()] == ["crawl-bobs"]
    assert [page.url.url for page in Page.objects.all()] == ["https://notes.test/cache"]
    assert [(one.slug, one.owner) for one in Ontology.objects.all()] == [("shared", None)]


def test_channels_to_an_address_that_was_never_confirmed_stay(scene: Scene, bob: User) -> None:
    prove(bob, "bob@reader.test")
    channel_of(bob, target="bob@reader.test")
    Invitation.objects.create(made_by=bob, email="bob@reader.test", created=NOON, expires=NOON)
    ann = scene.topic.owner
    ann.email = "bob@reader.test"
    ann.save()

    remove_account(ann, NOON)

    assert [channel.owner for channel in Channel.objects.all()] == [bob]
    assert Invitation.objects.count() == 1


def test_ratings_of_a_topic_that_has_another_owner_now_go_from_its_crawl(
    scene: Scene, bob: User
) -> None:
    ann, topic = scene.topic.owner, scene.topic
    set_thumb(topic, ann, scene.page("https://a.test/", "A"), -1, NOON)
    Topic.objects.update(owner=bob)
    topic.refresh_from_db()
    assert len(load_labels(scene.crawl)) == 1
    assert is_judged(scene.crawl)

    remove_account(ann, NOON)

    assert load_labels(scene.crawl) == []
    assert is_outdated(scene.crawl)


def test_a_topic_that_is_crawled_is_stopped_first(full: Scene) -> None:
    full.crawl.runs.update(ended=None)

    with pytest.raises(TopicError, match="“Computing 计算机” is being crawled"):
        remove_account(full.topic.owner, NOON)

    assert full.crawl.runs.get().stop_asked
    assert User.objects.filter(username=NAME).exists()


def test_a_refused_deletion_leaves_topics_as_they_were(full: Scene) -> None:
    ann = full.topic.owner
    topic_of(ann, "off", active=False)
    full.crawl.runs.update(ended=None)

    with pytest.raises(TopicError, match="is being crawled"):
        remove_account(ann, NOON)

    assert dict(Topic.objects.filter(owner=ann).values_list("slug", "active")) == {
        "chips": True,
        "off": False,
    }


def test_the_last_superuser_stays(full: Scene, bob: User) -> None:
    ann = full.topic.owner
    ann.is_superuser = True
    ann.save()
    with pytest.raises(TopicError, match="only superuser"):
        remove_account(ann, NOON)
    User.objects.filter(pk=bob.pk).update(is_superuser=True)
    remove_account(ann, NOON)
    assert not User.objects.filter(username=NAME).exists()


def test_the_page_asks_for_the_password_and_signs_out(full: Scene) -> None:
    ann, client = full.topic.owner, Client()
    ann.set_password("a long password")
    ann.save()
    client.force_login(ann)

    assert "Computing 计算机" in client.get("/account/delete").content.decode()
    assert client.post("/account/delete", {"password": "wrong"}).status_code == 422
    assert User.objects.filter(username=NAME).exists()
    answer = client.post("/account/delete", {"password": "a long password"})

    assert answer.headers["Location"] == "/login/"
    assert not User.objects.filter(username=NAME).exists()
    assert client.get("/account/").headers["Location"].startswith("/login/")

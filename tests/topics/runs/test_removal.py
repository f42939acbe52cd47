"""A deleted topic leaves no row of its own, in any table."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crawler.models import Crawl, Harvest, IndexOutbox, Link, Page
from tests.topics.every_table import fill, left, owned_by
from tests.topics.factories import NOON, Scene, person, scene_of
from topics import tasks
from topics.delivery.ledger import mail_file
from topics.models import DigestIssue, Topic
from topics.runs import removal
from topics.runs.removal import remove_topic

LIST = "/admin/topics/topic/"


@pytest.fixture
def root(client: Client, db: None) -> Client:
    client.force_login(person("root", is_staff=True, is_superuser=True))
    return client


def chosen(scene: Scene) -> dict[str, Any]:
    return {"action": "delete_selected", "_selected_action": [scene.topic.pk], "post": "yes"}


def test_no_row_and_no_mail_of_the_topic_is_left(scene: Scene, data_folder: Path) -> None:
    fill(scene)
    scene.crawl.runs.update(ended=NOON)
    own = owned_by(Topic, Crawl)
    file = mail_file(DigestIssue.objects.get())
    file.parent.mkdir()
    file.write_bytes(b"To: somebody")
    assert len(left(own)) == len(own) > 30
    pages = set(Page.objects.values_list("pk", flat=True))

    remove_topic(scene.topic, NOON)

    assert left(own) == {}
    assert not Page.objects.exists()
    assert set(IndexOutbox.objects.values_list("page_id", flat=True)) >= pages
    assert not file.exists()


def test_pages_of_another_topic_stay(scene: Scene, bob: User) -> None:
    others = scene_of(bob, "bobs")
    page = Page.objects.get(url__url="https://notes.test/cache")
    Link.objects.all().delete()
    scene.link("https://portal.test/cpu", "https://notes.test/cache")
    Link.objects.create(source=page.url, target=page.url)
    Harvest.objects.create(crawl=others.crawl, url=page.url, kept=True, first_seen=NOON)

    remove_topic(scene.topic, NOON)

    assert [crawl.key for crawl in Crawl.objects.all()] == ["crawl-bobs"]
    assert list(Page.objects.all()) == [page]
    # Links on pages that are gone are gone; those of a page that stays are its own.
    assert {link.source_id for link in Link.objects.all()} == {page.pk}


def test_a_large_crawl_is_deleted_by_the_worker_in_pieces(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    Crawl.objects.update(key=f"topic-{scene.topic.pk}")
    for name in ("PIECES_AT_ONCE", "PIECES_A_TASK"):
        monkeypatch.setattr(removal, name, 1)
    monkeypatch.setattr("crawler.store.removal.PIECE", 1)
    for number in range(3):
        scene.page(f"https://notes.test/{number}", f"Page {number}")
    before = Harvest.objects.count()
    assert removal.crawls_without_topic() == []

    remove_topic(scene.topic, NOON)

    assert not Topic.objects.exists()
    assert Harvest.objects.count() == before - 1
    answers = [tasks.remove_crawls() for _ in range(20)]
    assert answers[0] == "some is left" and answers[-1] == "nothing is left"
    assert left(owned_by(Crawl)) == {}


def test_a_crawl_that_its_topic_does_not_name_yet_stays(scene: Scene) -> None:
    Crawl.objects.update(key=f"topic-{scene.topic.pk}")
    Topic.objects.update(crawl=None)
    assert removal.crawls_without_topic() == []


@pytest.mark.parametrize("at_once", [True, False])
def test_the_administration_deletes_the_crawl_too(
    root: Client, scene: Scene, at_once: bool
) -> None:
    path = LIST if at_once else f"{LIST}{scene.topic.pk}/delete/"

    assert root.post(path, chosen(scene) if at_once else {"post": "yes"}).status_code == 302

    assert left(owned_by(Topic, Crawl)) == {}


@pytest.mark.parametrize("at_once", [True, False])
def test_a_topic_that_is_crawled_is_not_deleted(root: Client, scene: Scene, at_once: bool) -> None:
    scene.crawl.runs.update(ended=None)
    path = LIST if at_once else f"{LIST}{scene.topic.pk}/delete/"

    answer = root.post(path, chosen(scene) if at_once else {"post": "yes"})

    assert "“Computing 计算机” is being crawled. Stop the run first." in answer.content.decode()
    assert Topic.objects.filter(pk=scene.topic.pk).exists()

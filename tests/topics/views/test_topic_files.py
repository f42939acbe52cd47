"""The pages on which a topic is downloaded and imported."""

import json

from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.topics.factories import Scene
from topics.models import Topic

PATH = "/new-topic/file"


def upload(client: Client, content: bytes, **more: str) -> tuple[int, str]:
    answer = client.post(PATH, {"file": SimpleUploadedFile("topic.json", content)} | more)
    return answer.status_code, answer.content.decode()


def test_a_topic_is_downloaded_by_one_person_and_imported_by_another(
    as_ann: Client, scene: Scene, bob: User
) -> None:
    answer = as_ann.get("/topics/chips/file")
    assert answer.headers["Content-Disposition"].startswith("attachment;")
    assert "/topics/chips/file" in as_ann.get("/topics/chips/sharing/").content.decode()
    as_ann.force_login(bob)

    assert upload(as_ann, answer.content)[0] == 302

    topic = Topic.objects.get(owner=bob)
    assert (topic.slug, topic.name, topic.seeds) == ("chips", scene.topic.name, scene.topic.seeds)


def test_an_own_topic_is_replaced_only_when_its_owner_says_so(as_ann: Client, scene: Scene) -> None:
    document = json.loads(as_ann.get("/topics/chips/file").content) | {"name": "Other"}
    data = json.dumps(document).encode()

    status, html = upload(as_ann, data)
    assert status == 422
    assert "You already have a topic with the short name “chips”." in html
    assert upload(as_ann, data, replace="on")[0] == 302
    assert Topic.objects.get().name == "Other"


def test_a_file_that_is_wrong_is_explained(as_ann: Client, ann: User) -> None:
    for content, words in ((b"{", "truncated"), (b'{"format": "opml"}', "format")):
        status, html = upload(as_ann, content)
        assert status == 422
        assert words in html
    assert not Topic.objects.exists()


def test_ontologies_come_only_from_who_may_import_them(as_ann: Client, scene: Scene) -> None:
    document = json.loads(as_ann.get("/topics/chips/file").content) | {
        "ontologies": [{"title": "New", "turtle": ""}],
        "slug": "more",
    }

    status, html = upload(as_ann, json.dumps(document).encode())

    assert status == 422
    assert "you may not import ontologies" in html

"""Chinese pages of ours are closed up, and nothing else."""

import pytest
from django.test import Client

from tests.topics.delivery.issues import digest_of
from tests.topics.factories import Scene
from topics.models import Digest


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", "weights later. If you choose"),
        ("zh-hans", "词语和权重以后可以更改。如果"),
        ("zh-hant", "詞語和權重以後可以更改。如果"),
    ],
)
def test_only_chinese_pages_are_closed_up(as_ann: Client, language: str, shown: str) -> None:
    as_ann.cookies["django_language"] = language
    html = " ".join(as_ann.get("/new-topic/?words=x").content.decode().split())
    assert shown in html


def test_a_mail_is_shown_as_it_is_sent(as_ann: Client, scene: Scene) -> None:
    scene.topic.name = "电网 （一）"
    scene.topic.save()
    digest_of(scene, language="en")
    as_ann.cookies["django_language"] = "zh-hans"
    mail = "/topics/chips/digest/preview/mail"
    assert "电网 （一）" in as_ann.get(mail).content.decode()
    assert "电网（一）" in as_ann.get("/topics/chips/").content.decode()
    Digest.objects.update(language="zh-hans")
    assert "电网（一）" in as_ann.get(mail).content.decode()

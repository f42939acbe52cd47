"""Preview, test and real mail are one and the same."""

import re

from django.conf import settings

from focusweb.mail_server import MailServer
from tests.topics.delivery.issues import digest_of, news, work
from tests.topics.delivery.post_office import PostOffice
from tests.topics.factories import NOON, Scene, prove, scene_of
from topics.delivery.mail_preview import draft, mail_parts, send_test
from topics.models import DigestIssue, DigestItem


def server() -> MailServer:
    found: MailServer | None = settings.MAIL_SERVER
    assert found is not None
    return found


#: Where a page is rated: with a token in a mail that was sent, by signing in from a draft.
ACT = re.compile(r"https://watch\.focus\.test/(m/[\w:-]+|topics/chips)/(?=\?do=|\s)")


def test_preview_and_test_are_the_mail_that_is_sent(scene: Scene, post: PostOffice) -> None:
    news(scene, "Cache <lines>", score=0.9)
    news(scene, "智能电网", score=0.4)
    digest = digest_of(scene, language="zh-hans")
    preview = mail_parts(draft(digest, NOON).message)
    assert send_test(digest, server(), NOON).sent
    work(digest, NOON)

    test, real = (mail_parts(letter.content) for letter in post.letters())

    assert preview.subject == real.subject
    assert ACT.sub("", preview.text) == ACT.sub("", real.text) == ACT.sub("", test.text)
    assert ACT.sub("", preview.html) == ACT.sub("", real.html)
    assert len(ACT.findall(preview.html)) == len(ACT.findall(real.html)) == 6
    assert test.subject == f"[测试] {real.subject}"
    ids = {letter.content.partition(b"Message-ID: ")[2].split()[0] for letter in post.letters()}
    assert len(ids) == 2


def test_pages_of_a_preview_lead_to_their_own_topics(scene: Scene) -> None:
    other = scene_of(scene.topic.owner, "energy")
    digest = digest_of(scene)
    digest.also_topics.add(other.topic)
    news(scene, "A cache")
    news(other, "A battery")

    text = mail_parts(draft(digest, NOON).message).text

    leads = re.findall(r"Rate or read later: \S+/topics/(\w+)/", text)
    assert leads == ["chips", "energy"]


def test_looking_and_testing_count_for_nothing(scene: Scene, post: PostOffice) -> None:
    news(scene)
    digest = digest_of(scene)
    draft(digest, NOON)
    send_test(digest, server(), NOON)
    assert not DigestIssue.objects.exists()
    assert not DigestItem.objects.exists()


def test_a_test_that_is_refused_says_why(scene: Scene, post: PostOffice) -> None:
    prove(scene.topic.owner, "unknown@reader.test")
    outcome = send_test(digest_of(scene), server(), NOON)
    assert outcome.problem == "550 5.1.1 no such mailbox here"

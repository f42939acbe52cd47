"""Digests and tests go to addresses that somebody confirmed, and to no others."""

import re
from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone, translation
from pytest_django import Settings

from focusweb.mail_server import MailServer
from tests.topics.delivery.issues import digest_of, news, work
from tests.topics.delivery.post_office import PostOffice
from tests.topics.factories import NOON, Scene, person, prove, scene_of
from tests.topics.views.delivery.test_digests import FORM, PAGE
from topics.delivery import confirmation, mail_preview, unsubscription
from topics.delivery.confirmation import TooManyLinksError
from topics.models import AddressProof, Digest

HOUR = timedelta(hours=1)


@pytest.fixture
def scene(ann: User) -> Scene:
    """Ann's topic; her address was never confirmed."""
    ann.email = "ann@reader.test"
    ann.save()
    return scene_of(ann)


@pytest.fixture
def server(post: PostOffice, settings: Settings) -> MailServer:
    assert isinstance(settings.MAIL_SERVER, MailServer)
    return settings.MAIL_SERVER


def letter(post: PostOffice) -> EmailMessage:
    return message_from_bytes(post.letters()[-1].content, _class=EmailMessage, policy=SMTP)


def link_in(post: PostOffice) -> str:
    """The path of the link in the last mail."""
    found = re.search(r"https://watch.focus.test(/confirm-address/\S+)", letter(post).get_content())
    assert found
    return found[1]


# --- The link ------------------------------------------------------------------------------------


def test_an_address_is_confirmed_by_a_form_behind_a_mailed_link(
    as_ann: Client, scene: Scene, post: PostOffice
) -> None:
    html = as_ann.post(PAGE, FORM, follow=True).content.decode()
    assert "A link was sent to ann@reader.test" in html
    assert "Waiting for confirmation" in html and "Send the link again" in html
    stranger, path = Client(enforce_csrf_checks=True), link_in(post)

    page = stranger.get(path).content.decode()

    assert "wants digests sent to ann@reader.test" in page
    assert stranger.head(path).status_code == 200
    assert confirmation.confirmed_address(scene.topic.owner) == ""  # programs follow links too
    assert stranger.post(path).status_code == 403
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    for _ in range(2):
        done = stranger.post(path, {"csrfmiddlewaretoken": token[1]}).content.decode()
        assert "ann@reader.test is confirmed" in done
    assert confirmation.confirmed_address(scene.topic.owner) == "ann@reader.test"
    html = as_ann.post(PAGE, FORM, follow=True).content.decode()
    assert "Waiting for confirmation" not in html
    assert len(post.letters()) == 1


def test_the_mail_asks_in_the_readers_language_and_quotes_nothing_of_the_sender(
    scene: Scene, post: PostOffice, server: MailServer
) -> None:
    with translation.override("zh-hans"):
        confirmation.send_link(scene.topic.owner, server, NOON)
    mail = letter(post)
    assert mail["Subject"] == "确认你的 FocusWeb 邮箱地址"
    assert mail["To"] == "ann@reader.test" and mail["Content-Language"] == "zh-Hans"
    assert "如果是你本人" in mail.get_content()
    assert scene.topic.name not in mail.get_content()


def test_the_mail_says_which_chinese_it_is_in(
    scene: Scene, post: PostOffice, server: MailServer
) -> None:
    with translation.override("zh-hant"):
        confirmation.send_link(scene.topic.owner, server, NOON)
    assert letter(post)["Content-Language"] == "zh-Hant"


def test_a_link_is_for_one_address_and_one_purpose(
    scene: Scene, post: PostOffice, server: MailServer
) -> None:
    ann = scene.topic.owner
    confirmation.send_link(ann, server, timezone.now())
    token = link_in(post).split("/")[2]
    proof = AddressProof.objects.get()
    digest = digest_of(scene)
    other = unsubscription.STOP.path(digest).split("/")[2]
    assert Client().post(f"/unsubscribe/{token}/").status_code == 404
    assert Client().post(f"/confirm-address/{other}/").status_code == 404
    assert Client().post(f"/confirm-address/{proof.pk}:forged/").status_code == 404
    ann.email = "other@reader.test"
    ann.save()

    Client().post(link_in(post))

    assert confirmation.confirmed_address(ann) == ""
    ann.email = "ann@reader.test"
    ann.save()
    assert confirmation.confirmed_address(ann) == "ann@reader.test"
    assert confirmation.confirmed_address(person("bob", email="ann@reader.test")) == ""


def test_a_link_that_is_too_old_confirms_nothing(
    scene: Scene, post: PostOffice, server: MailServer
) -> None:
    then = timezone.now() - confirmation.MAX_AGE
    confirmation.send_link(scene.topic.owner, server, then)

    for answer in (Client().get(link_in(post)), Client().post(link_in(post))):
        assert answer.status_code == 410
        assert "This link has expired" in answer.content.decode()
    assert confirmation.confirmed_address(scene.topic.owner) == ""
    assert not confirmation.is_waiting(scene.topic.owner, timezone.now())


def test_a_link_from_before_a_change_of_the_key_still_confirms(
    scene: Scene, post: PostOffice, server: MailServer, settings: Settings
) -> None:
    confirmation.send_link(scene.topic.owner, server, timezone.now())
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another key, made for this very test only"
    settings.SECRET_KEY_FALLBACKS = [old]
    assert Client().post(link_in(post)).status_code == 200
    assert confirmation.confirmed_address(scene.topic.owner)


# --- How many -------------------------------------------------------------------------------------


def test_a_person_gets_a_few_links_an_hour(
    scene: Scene, post: PostOffice, server: MailServer
) -> None:
    ann = scene.topic.owner

    def ask(number: int, now: datetime) -> bool:
        ann.email = f"a{number}@reader.test"
        ann.save()
        return confirmation.send_link(ann, server, now).sent

    assert all(ask(number, NOON) for number in range(confirmation.PER_HOUR))
    with pytest.raises(TooManyLinksError):
        ask(99, NOON + HOUR - timedelta(seconds=1))
    assert len(post.letters()) == confirmation.PER_HOUR
    assert ask(100, NOON + HOUR)


def test_an_address_gets_a_few_links_a_day_whoever_asks(
    scene: Scene, post: PostOffice, server: MailServer
) -> None:
    people = [person(f"p{n}", email="ann@reader.test") for n in range(confirmation.PER_DAY)]
    for one in people:
        confirmation.send_link(one, server, NOON)

    with pytest.raises(TooManyLinksError):
        confirmation.send_link(scene.topic.owner, server, NOON)

    assert len(post.letters()) == confirmation.PER_DAY
    assert confirmation.send_link(scene.topic.owner, server, NOON + 24 * HOUR).sent


def test_asking_too_often_is_reported(as_ann: Client, scene: Scene, post: PostOffice) -> None:
    digest_of(scene)
    for _ in range(confirmation.PER_HOUR):
        as_ann.post(f"{PAGE}link")
    html = as_ann.post(f"{PAGE}link", follow=True).content.decode()
    assert "Too many links were sent recently" in html
    assert len(post.letters()) == confirmation.PER_HOUR


@pytest.mark.parametrize(
    ("email", "problem"),
    [("unknown@reader.test", "550"), ("ann@א1.test", "This is not an e-mail address.")],
)
def test_a_link_that_was_not_sent_is_not_waited_for(
    as_ann: Client, scene: Scene, post: PostOffice, email: str, problem: str
) -> None:
    scene.topic.owner.email = email
    scene.topic.owner.save()
    html = as_ann.post(PAGE, FORM, follow=True).content.decode()
    assert f"The link could not be sent: {problem}" in html
    assert f"{email} is not confirmed" in html and "Send a link to confirm it" in html
    assert as_ann.get(f"{PAGE}preview/").status_code == 200
    assert not AddressProof.objects.exists()


# --- What is sent ---------------------------------------------------------------------------------


def test_an_issue_for_an_address_that_nobody_confirmed_is_kept(
    scene: Scene, post: PostOffice
) -> None:
    news(scene)
    issue = work(digest_of(scene), NOON)
    assert issue is not None
    assert (issue.state, issue.recipient) == ("filed", "")
    assert post.letters() == []


def test_no_test_goes_to_an_address_that_nobody_confirmed(
    as_ann: Client, scene: Scene, post: PostOffice, server: MailServer
) -> None:
    digest = digest_of(scene)
    html = as_ann.post(f"{PAGE}test", follow=True).content.decode()
    assert "Confirm your address first" in html
    assert not mail_preview.send_test(digest, server, NOON).sent
    assert post.letters() == []
    prove(scene.topic.owner, "ann@reader.test")
    as_ann.post(f"{PAGE}test")
    assert [one.recipients for one in post.letters()] == [("ann@reader.test",)]


def test_a_kept_issue_is_not_sent_by_hand_either(
    as_ann: Client, scene: Scene, post: PostOffice
) -> None:
    digest = digest_of(scene)
    news(scene)
    issue = work(digest, NOON)
    assert issue is not None
    path = f"{PAGE}{issue.pk}/"
    assert "/again" not in as_ann.get(path).content.decode()
    answer = as_ann.post(f"{path}again", follow=True)
    assert "confirmed address is missing" in answer.content.decode()
    prove(scene.topic.owner, "ann@reader.test")
    as_ann.post(f"{path}again")
    work(digest, NOON)
    assert [one.recipients for one in post.letters()] == [("ann@reader.test",)]


def test_a_changed_address_has_to_be_confirmed_too(
    as_ann: Client, scene: Scene, post: PostOffice
) -> None:
    prove(scene.topic.owner, "ann@reader.test")
    scene.topic.owner.email = "stranger@reader.test"
    scene.topic.owner.save()
    as_ann.post(PAGE, FORM)
    Digest.objects.update(next_due=NOON, covered_until=NOON - timedelta(days=1))
    news(scene)
    work(Digest.objects.get(), NOON)
    assert [one.recipients for one in post.letters()] == [("stranger@reader.test",)]
    assert letter(post)["Subject"] == "Confirm your address for FocusWeb"

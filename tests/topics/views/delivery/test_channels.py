"""Pages of channels: double opt-in, tests, the log; other people see none of it."""

import re
from email import message_from_bytes
from email.policy import SMTP
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from tests.topics.delivery.post_office import PostOffice
from tests.topics.delivery.rules_and_channels import channel_of
from tests.topics.factories import NOON
from topics.delivery.channels import deliveries
from topics.delivery.channels.opt_in import CONFIRM, STOP
from topics.delivery.channels.trial import add_test
from topics.delivery.signed_links import SignedLink
from topics.models import Channel, Delivery

NEW = {"kind": "mail", "name": "", "target": "friend@reader.test", "language": "en"}


def link_in(post: PostOffice) -> str:
    [letter] = post.letters()
    mail = message_from_bytes(letter.content, policy=SMTP)
    found = re.search(r"https://\S+/confirm-channel/\S+", mail.get_content())
    assert found is not None
    return found[0].removeprefix("https://watch.focus.test")


def test_a_reader_must_agree_before_anything_is_sent(
    as_ann: Client, ann: User, post: PostOffice
) -> None:
    as_ann.post("/channels/", NEW)
    channel = Channel.objects.get()
    assert not channel.is_usable
    link = link_in(post)

    reader = Client()
    assert b"Confirm" in reader.get(link).content
    assert not Channel.objects.get().is_usable  # GET changes nothing
    reader.post(link)
    assert Channel.objects.get().is_usable

    stop = STOP.path(channel)
    reader.get(stop)
    assert Channel.objects.get().is_usable
    assert reader.post(stop).status_code == 200
    assert not Channel.objects.get().is_usable
    assert reader.post(link).status_code == 410


def test_a_link_serves_one_purpose_only(ann: User) -> None:
    channel = channel_of(ann, confirmed=None, asked=NOON)
    confirm = CONFIRM.path(channel).split("/")[2]
    stop = STOP.path(channel).split("/")[2]
    reader = Client()
    assert reader.post(f"/stop-channel/{confirm}/").status_code == 404
    assert reader.post(f"/confirm-channel/{stop}/").status_code == 404
    assert reader.get(f"/stop-channel/{stop}x/").status_code == 404


@pytest.mark.parametrize("link", [CONFIRM, STOP])
def test_links_outlive_a_change_of_the_key(ann: User, settings: Settings, link: SignedLink) -> None:
    channel = channel_of(ann, confirmed=None, asked=NOON)
    path = link.path(channel)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "a new key of more than thirty-two characters"
    assert Client().get(path).status_code in (200, 410)


def test_a_stranger_is_not_flooded_with_links(as_ann: Client, ann: User, post: PostOffice) -> None:
    as_ann.post("/channels/", NEW)
    channel = Channel.objects.get()
    for _ in range(9):
        as_ann.post(f"/channels/{channel.pk}/change", {"do": "ask"})
    assert len(post.letters()) == 5


def test_links_that_no_server_took_do_not_count(as_ann: Client, post: PostOffice) -> None:
    as_ann.post("/channels/", NEW | {"target": "later@reader.test"})
    refused = Channel.objects.get()
    for _ in range(9):
        as_ann.post(f"/channels/{refused.pk}/change", {"do": "ask"})

    said = as_ann.post("/channels/", NEW, follow=True).content.decode()

    assert "A link was sent to friend@reader.test." in said
    assert [letter.recipients for letter in post.letters()] == [("friend@reader.test",)]


@pytest.mark.parametrize(
    "target",
    ["", "x", "a@b\r\nBcc: c@d.test", "a b@c.test", "a@b.test, c@d.test", "a@" + "x" * 999],
)
def test_what_is_no_address_is_refused(as_ann: Client, target: str) -> None:
    answer = as_ann.post("/channels/", NEW | {"target": target})
    assert answer.status_code == 422
    assert not Channel.objects.exists()


def test_a_webhooks_secret_is_shown_once(as_ann: Client, db: None) -> None:
    target = "https://example.org/hook?token=abc"
    answer = as_ann.post("/channels/", NEW | {"kind": "webhook", "target": target}, follow=True)
    channel = Channel.objects.get()
    assert channel.secret in answer.content.decode()
    page = as_ann.get(f"/channels/{channel.pk}/").content.decode()
    assert channel.secret not in page
    assert "token=abc" not in page


def test_the_log_is_shown_and_a_delivery_sent_again(
    as_ann: Client, ann: User, post: PostOffice
) -> None:
    channel = channel_of(ann, target="taken@reader.test")  # taken, then the connection breaks
    as_ann.post(f"/channels/{channel.pk}/change", {"do": "test"})
    row = Delivery.objects.get()
    deliveries.send_one(row.pk, lambda: NOON)
    page = as_ann.get(f"/channels/{channel.pk}/").content.decode()
    assert "may have been sent" in page
    assert deliveries.waiting_deliveries(NOON) == []  # never again by itself

    as_ann.post(f"/channels/deliveries/{row.pk}", {"do": "received"})
    row.refresh_from_db()
    assert row.state == "sent"
    as_ann.post(f"/channels/deliveries/{row.pk}", {"do": "again"})
    assert deliveries.waiting_deliveries(NOON) == [row.pk]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "It is sent within a minute."),
        ({"active": False}, "is switched off"),
        ({"stopped": NOON}, "its reader unsubscribed"),
        ({"kind": "gone"}, "is not loaded"),
        (None, "no mail server is set"),
    ],
)
def test_a_delivery_that_is_sent_again_names_what_it_waits_for(
    as_ann: Client,
    ann: User,
    post: PostOffice,
    settings: Settings,
    values: dict[str, Any] | None,
    said: str,
) -> None:
    channel = channel_of(ann)
    row = add_test(channel, NOON)
    assert row is not None
    deliveries.send_one(row.pk, lambda: NOON)
    if values is None:
        settings.MAIL_SERVER = None
    elif values:
        Channel.objects.update(**values)

    answer = as_ann.post(f"/channels/deliveries/{row.pk}", {"do": "again"}, follow=True)

    [message] = answer.context["messages"]
    assert said in str(message)
    assert ("within a minute" in str(message)) is (values == {})


def test_other_peoples_channels_do_not_exist(client: Client, ann: User, bob: User) -> None:
    channel = channel_of(ann)
    row = add_test(channel, NOON)
    assert row is not None
    client.force_login(bob)
    assert client.get(f"/channels/{channel.pk}/").status_code == 404
    assert client.post(f"/channels/{channel.pk}/change", {"do": "delete"}).status_code == 404
    assert client.post(f"/channels/deliveries/{row.pk}", {"do": "again"}).status_code == 404
    assert channel.target not in client.get("/channels/").content.decode()


def test_a_channel_whose_plugin_is_missing_offers_no_test(as_ann: Client, ann: User) -> None:
    channel = channel_of(ann, "board", "wall")
    page = as_ann.get(f"/channels/{channel.pk}/").content.decode()
    assert "Send a test" not in page
    answer = as_ann.post(f"/channels/{channel.pk}/change", {"do": "test"})
    assert answer.status_code == 404
    assert not Delivery.objects.exists()

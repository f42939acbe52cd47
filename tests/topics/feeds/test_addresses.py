"""A feed's address is secret, revocable, and not stored."""

from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import translation
from pytest_django import Settings

from tests.topics.factories import Scene
from topics.feeds.addresses import addresses_of, digest_of, find_feed, renew_address, switch_off
from topics.models import Feed, Topic


def token_of(topic: Topic) -> str:
    """The secret in the address that the owner sees."""
    topic = Topic.objects.get(pk=topic.pk)
    address = addresses_of("topic", topic).addresses[0][1]
    return address.rpartition("/")[2].removesuffix(".atom")


def test_the_owner_sees_three_addresses_with_one_secret_that_is_not_stored(
    scene: Scene, settings: Settings
) -> None:
    settings.BASE_URL = "https://watch.test/"
    renew_address("topic", scene.topic, scene.now)

    shown = addresses_of("topic", Topic.objects.get())
    token = token_of(scene.topic)

    assert [name for name, _address in shown.addresses] == ["Atom", "RSS", "JSON Feed"]
    assert shown.addresses[1][1] == f"https://watch.test/feeds/{token}.rss"
    assert token not in str(Feed.objects.values_list().get())
    # 256 bits in 43 characters, after the prefix.
    assert len(token) == len("fwf_") + 43


def test_two_addresses_have_nothing_in_common(scene: Scene) -> None:
    renew_address("topic", scene.topic, scene.now)
    first = token_of(scene.topic)
    renew_address("topic", scene.topic, scene.now)

    assert token_of(scene.topic) != first
    assert find_feed(first) is None


def test_an_address_is_found_until_it_is_switched_off(scene: Scene) -> None:
    feed = renew_address("topic", scene.topic, scene.now)
    token = token_of(scene.topic)
    assert find_feed(token) == feed
    switch_off("topic", scene.topic)

    assert find_feed(token) is None
    assert addresses_of("topic", Topic.objects.get()).is_on is False


@pytest.mark.parametrize("token", ["", "x", "fwf_", "fwf_" + "A" * 43, "\udcff", "é" * 43])
def test_a_guess_finds_nothing(scene: Scene, token: str) -> None:
    renew_address("topic", scene.topic, scene.now)
    switch_off("topic", scene.topic)
    assert find_feed(token) is None


def test_the_feed_of_somebody_who_left_is_not_found(scene: Scene, ann: User) -> None:
    renew_address("topic", scene.topic, scene.now)
    token = token_of(scene.topic)
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert find_feed(token) is None


def test_an_address_outlives_the_signing_key_but_is_not_shown(
    scene: Scene, settings: Settings
) -> None:
    renew_address("topic", scene.topic, scene.now)
    token, old = token_of(scene.topic), settings.SECRET_KEY
    settings.SECRET_KEY = "another" * 8
    shown = addresses_of("topic", Topic.objects.get())

    assert find_feed(token) is not None
    assert (shown.is_on, shown.addresses) == (True, ())
    settings.SECRET_KEY_FALLBACKS = [old]
    assert token_of(scene.topic) == token


@pytest.mark.parametrize(("active", "stored"), [("zh-hans", "zh-hans"), ("en", "en"), ("fr", "en")])
def test_a_feed_is_in_the_language_of_who_made_it(scene: Scene, active: str, stored: str) -> None:
    with translation.override(active):
        assert renew_address("topic", scene.topic, scene.now).language == stored


def test_a_feed_is_of_one_thing(scene: Scene, ann: User) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Feed.objects.create(owner=ann, created=scene.now)


def test_feeds_of_searches_keep_the_addresses_from_before(scene: Scene, ann: User) -> None:
    """As the migration carries them over: the rows of then are given to it by hand."""
    search = apps.get_model("topics", "SavedSearch")
    row: Any = search.objects.create(owner=ann, name="old", query="cpu", created=scene.now)

    class Before:
        """The table as it was, with the secret in a column of its own."""

        class objects:  # as a model has it
            @staticmethod
            def exclude(**_conditions: str) -> list[object]:
                row.feed_key = "old-secret"
                return [row]

    class Tables:
        @staticmethod
        def get_model(app: str, name: str) -> object:
            return Before if name == "SavedSearch" else apps.get_model(app, name)

    import_module("topics.migrations.0022_feeds").keep_addresses(Tables, None)

    found = find_feed("old-secret")
    assert found is not None
    assert found.search == row
    assert found.digest == digest_of("old-secret")
    assert addresses_of("search", row).addresses == ()

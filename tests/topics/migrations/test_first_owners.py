"""What an installation from before owners and confirmed addresses becomes."""

from importlib import import_module

from django.apps import apps
from django.contrib.auth.models import User

from crawler.models import Ontology
from tests.topics.delivery.issues import digest_of
from tests.topics.factories import NOON, Scene, person, scene_of
from topics.delivery.confirmation import confirmed_address

first_owner = import_module("crawler.migrations.0012_first_owner")
proved = import_module("topics.migrations.0005_proved_addresses")


def test_ontologies_go_to_the_first_administrator_and_stay_shared(ann: User) -> None:
    person("root", is_superuser=True)
    person("second", is_superuser=True)
    Ontology.objects.create(slug="old", title="Old", changed=NOON)

    first_owner.give_to_first_administrator(apps, None)

    old = Ontology.objects.get()
    assert old.owner is not None and old.owner.username == "root"
    assert old.shared
    assert list(Ontology.objects.visible_to(ann)) == [old]


def test_without_an_administrator_they_are_nobodys(ann: User) -> None:
    Ontology.objects.create(slug="old", title="Old", changed=NOON)
    first_owner.give_to_first_administrator(apps, None)
    assert (Ontology.objects.get().owner, Ontology.objects.get().shared) == (None, True)


def test_addresses_of_digests_count_as_confirmed_and_no_others(scene: Scene, bob: User) -> None:
    ann = scene.topic.owner
    for owner, address in ((ann, "ann@reader.test"), (bob, "bob@reader.test")):
        owner.email = address
        owner.save()
    digest_of(scene)
    digest_of(scene_of(ann, "second"))

    proved.confirm_present_addresses(apps, None)

    assert confirmed_address(ann) == "ann@reader.test"
    assert confirmed_address(bob) == ""

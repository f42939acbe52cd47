"""Changes of starred pages and seeds are noted once, small ones not at all."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from crawler.models import Harvest, Page
from crawler.models.web import pack_text
from crawler.page.duplicates.copies import content_hash
from crawler.page.parsed import NO_ARTICLE
from tests.topics.factories import NOON, Scene
from topics.changes import watching
from topics.changes.watching import MAX_CHANGES, MAX_CHARS, store_changes
from topics.models import PageChange, Reading, TopicReader, WatchedPage

TEXT = "The grid of the north is stable. Operators watch it day and night."
MORE = f"{TEXT} Another line failed near the coast this morning."


def write(page: Page, text: str, **more: Any) -> None:
    """Store a text as a visit does."""
    page.packed_text, page.content_hash = pack_text(text), content_hash(text)
    for name, value in more.items():
        setattr(page, name, value)
    page.save()


def star(scene: Scene, page: Harvest, user: User | None = None) -> Reading:
    told = {"user": user or scene.topic.owner, "topic": scene.topic}
    return Reading.objects.create(url=page.url, starred=NOON, changed=NOON, **told)


@pytest.fixture
def page(scene: Scene) -> Harvest:
    page = Harvest.objects.get(url__url="https://notes.test/cache")
    write(page.page, TEXT)
    return page


def test_a_change_of_a_starred_page_is_noted_once(scene: Scene, page: Harvest) -> None:
    star(scene, page)
    assert store_changes(NOON) == 0
    write(page.page, MORE)

    assert [store_changes(NOON + timedelta(hours=hour)) for hour in (1, 2, 3)] == [1, 0, 0]
    change = PageChange.objects.get()
    assert (change.before, change.after) == (TEXT, MORE)
    assert (change.n_inserted, change.n_deleted, change.is_seed) == (8, 0, False)
    assert ["inserted", " Another line failed near the coast this morning."] in change.summary


def test_what_was_changed_before_the_star_is_not_a_change(scene: Scene, page: Harvest) -> None:
    store_changes(NOON)
    write(page.page, MORE)
    star(scene, page)

    assert store_changes(NOON) == store_changes(NOON) == 0
    assert not PageChange.objects.exists()


def test_pages_without_a_star_are_not_stored(scene: Scene, page: Harvest) -> None:
    store_changes(NOON)
    assert not WatchedPage.objects.exists()
    star(scene, page)
    store_changes(NOON)
    assert WatchedPage.objects.get().url == page.url
    Reading.objects.update(starred=None)
    store_changes(NOON)
    assert not WatchedPage.objects.exists()


def test_a_seed_is_watched(scene: Scene) -> None:
    seed = scene.page("https://seed.test/", "Seed", text=TEXT)
    scene.topic.seeds = "https://seed.test/\nhttps://unknown.test/"
    scene.topic.save()
    store_changes(NOON)
    write(seed.page, MORE)

    assert store_changes(NOON) == 1
    assert PageChange.objects.get().is_seed


def test_a_front_page_is_watched_only_if_it_is_starred(scene: Scene) -> None:
    seed = scene.page("https://seed.test/", "Seed", text=TEXT)
    write(seed.page, TEXT, flags=NO_ARTICLE)
    scene.topic.seeds = "https://seed.test/"
    scene.topic.save()
    store_changes(NOON)
    assert not WatchedPage.objects.exists()
    star(scene, seed)
    store_changes(NOON)
    assert WatchedPage.objects.get().url == seed.url


def test_a_feed_or_sitemap_is_not_watched(scene: Scene, page: Harvest) -> None:
    write(page.page, TEXT, flags="feed")
    star(scene, page)
    store_changes(NOON)
    assert not WatchedPage.objects.exists()


def test_small_changes_are_left_out_and_add_up(scene: Scene, page: Harvest) -> None:
    star(scene, page)
    store_changes(NOON)
    for text in (TEXT.replace("north", "south"), TEXT.replace("stable", "fine")):
        write(page.page, text)
        assert store_changes(NOON) == 0
    write(page.page, TEXT.replace("north", "south").replace("stable", "not at all stable"))

    assert store_changes(NOON) == 1
    assert PageChange.objects.get().before == TEXT


def test_another_way_of_reading_is_not_a_change(scene: Scene, page: Harvest) -> None:
    star(scene, page)
    store_changes(NOON)
    write(page.page, MORE, reader_version=99)
    assert store_changes(NOON) == 0
    write(page.page, TEXT)

    assert store_changes(NOON) == 1
    assert PageChange.objects.get().before == MORE


def test_texts_and_changes_are_bounded(scene: Scene, page: Harvest) -> None:
    star(scene, page)
    store_changes(NOON)
    for number in range(MAX_CHANGES + 3):
        text = " ".join(f"word{letter}" for letter in "abcdefgh"[: 2 + 6 * (number % 2)])
        write(page.page, f"{text} and a lot of other things that make the text of page long")
        store_changes(NOON + timedelta(hours=number))
    write(page.page, "long " * MAX_CHARS)
    store_changes(NOON)

    assert PageChange.objects.count() == MAX_CHANGES
    assert len(PageChange.objects.order_by("-pk")[0].after) == MAX_CHARS


def test_a_topic_watches_so_many(scene: Scene, page: Harvest) -> None:
    for number in range(3):
        other = scene.page(f"https://more{number}.test/", "More", text=TEXT)
        star(scene, other)
    scene.topic.seeds = "\n".join(f"https://s{n}.test/" for n in range(watching.MAX_WATCHED + 5))
    scene.topic.save()
    for line in scene.topic.seeds.splitlines():
        scene.url(line)
    store_changes(NOON)
    # The places are the seeds', which have no page yet.
    assert not WatchedPage.objects.exists()


def test_a_star_of_somebody_who_reads_the_topic_no_longer_takes_no_place(
    scene: Scene, page: Harvest, bob: User
) -> None:
    reader = TopicReader.objects.create(topic=scene.topic, user=bob, created=NOON)
    star(scene, page, bob)
    store_changes(NOON)
    assert WatchedPage.objects.get().url == page.url

    reader.delete()
    store_changes(NOON)

    assert not WatchedPage.objects.exists()


def test_a_reader_sees_changes_of_seeds_and_of_what_they_starred_themselves(
    scene: Scene, page: Harvest, bob: User
) -> None:
    TopicReader.objects.create(topic=scene.topic, user=bob, created=NOON)
    star(scene, page)
    store_changes(NOON)
    write(page.page, MORE)
    store_changes(NOON + timedelta(hours=1))
    ann = scene.topic.owner
    late = star(scene, page, bob)
    Reading.objects.filter(pk=late.pk).update(starred=NOON + timedelta(hours=2))

    assert PageChange.objects.visible_to(ann, scene.topic).count() == 1
    assert PageChange.objects.visible_to(bob, scene.topic).count() == 0
    PageChange.objects.update(is_seed=True)
    assert PageChange.objects.visible_to(bob, scene.topic).count() == 1

"""One mail for several topics and searches, several times a day, to several readers."""

import re
from datetime import UTC, datetime, time, timedelta

from django.contrib.auth.models import User
from django.test import Client

from crawler.models import Harvest
from tests.topics.delivery.issues import DAY, digest_of, news, titles_of, work
from tests.topics.delivery.post_office import PostOffice, texts
from tests.topics.factories import NOON, Scene, scene_of
from topics.delivery.sections import choose_pages
from topics.models import Digest, Reading, SavedSearch, Thumb


def search_of(owner: User, query: str, name: str) -> SavedSearch:
    return SavedSearch.objects.create(owner=owner, name=name, query=query, created=NOON)


def test_sections_share_the_places_and_no_page_stands_twice(scene: Scene, ann: User) -> None:
    other = scene_of(ann, "energy")
    for number in range(4):
        news(scene, f"chips {number}", score=0.9 - number / 100)
    for number in range(2):
        news(other, f"storage {number}", score=0.5 - number / 100)
    digest = digest_of(scene, max_items=5)
    digest.also_topics.add(other.topic)
    digest.searches.add(search_of(ann, "chips OR storage", "All of it"))

    choice = choose_pages(digest, NOON - DAY, NOON)

    shown = [(page.section, page.harvest.page.title) for page in choice.pages]
    assert [title for _section, title in shown] == [
        *("chips 0", "chips 1", "chips 2"),
        *("storage 0", "storage 1"),
    ]
    assert choice.n_more == 1


def test_a_saved_search_is_a_section(scene: Scene, ann: User, post: PostOffice) -> None:
    other = scene_of(ann, "energy")
    news(other, "Pumped storage", text="Pumped storage stores power.")
    news(other, "Solar", text="Cells.")
    digest = digest_of(scene)
    digest.searches.add(search_of(ann, "storage", "Storage anywhere"))
    assert titles_of(work(digest, NOON)) == ["Pumped storage"]
    [text] = texts(post).values()
    assert "== Storage anywhere ==" in text
    assert titles_of(work(digest, NOON + DAY)) == []


def test_a_broken_search_stops_no_digest(scene: Scene, ann: User, post: PostOffice) -> None:
    news(scene, "Chips")
    digest = digest_of(scene)
    digest.searches.add(search_of(ann, "topic:gone", "Broken"))
    assert titles_of(work(digest, NOON)) == ["Chips"]


def test_the_limit_for_one_site_is_said(scene: Scene, post: PostOffice) -> None:
    for number in range(8):
        news(scene, str(number), site="rich.test")
    issue = work(digest_of(scene), NOON)
    assert issue is not None
    assert (issue.items.count(), issue.n_more, issue.n_of_full_sites) == (3, 5, 5)
    [text] = texts(post).values()
    assert "5 more on the topic's page" in text
    assert "(5 of them because a digest has at most 3 pages of one site.)" in text


def test_what_is_left_out_of_several_topics_is_not_said_to_be_on_the_page_of_one(
    scene: Scene, ann: User, post: PostOffice
) -> None:
    other = scene_of(ann, "energy")
    for number in range(3):
        news(other, f"storage {number}")
    digest = digest_of(scene, max_items=1)
    digest.also_topics.add(other.topic)

    issue = work(digest, NOON)

    assert issue is not None and issue.n_more == 2
    [text] = texts(post).values()
    assert "2 more on the pages of the topics: http" in text
    assert "on the topic's page" not in text


def test_it_comes_at_each_of_its_times_once(scene: Scene, post: PostOffice) -> None:
    digest = digest_of(scene, at=time(8), also_at="12:30, 18:00", skip_empty=False)
    now = datetime(2026, 4, 30, 16, 0, tzinfo=UTC)  # midnight in Shanghai
    digest.plan_next(now)
    digest.save()
    for minute in range(0, 48 * 60, 5):
        work(digest, now + timedelta(minutes=minute))
    slots = digest.issues.order_by("pk").values_list("local_date", "slot")
    assert [f"{day:%d} {slot:%H:%M}" for day, slot in slots] == [
        *("01 08:00", "01 12:30", "01 18:00"),
        *("02 08:00", "02 12:30", "02 18:00"),
    ]


def acting_path(post: PostOffice) -> str:
    found = re.search(r"https://\S+(/m/\S+)", texts(post)["ann@reader.test"])
    assert found is not None
    return found[1]


def test_a_page_is_rated_and_starred_from_the_mail_by_post_only(
    scene: Scene, post: PostOffice
) -> None:
    page = news(scene)
    work(digest_of(scene), NOON)
    path, reader = acting_path(post), Client()
    for verb in ("up", "down", "star"):
        assert reader.get(f"{path}?do={verb}").status_code == 200
    assert not Thumb.objects.exists()
    assert not Reading.objects.exists()

    assert b"Saved: Read later." in reader.post(path, {"do": "star"}).content
    reader.post(path, {"do": "up"})

    assert Reading.objects.get().starred is not None
    assert Thumb.objects.get().value == 1
    assert Thumb.objects.get().url_id == page.url_id
    assert reader.post(path, {"do": "delete"}).status_code == 404
    assert reader.post(path.rstrip("/") + "x/", {"do": "up"}).status_code == 404
    Harvest.objects.all().delete()
    assert b"not stored any more" in reader.post(path, {"do": "up"}).content


def test_the_links_of_a_deactivated_account_lead_nowhere(scene: Scene, post: PostOffice) -> None:
    news(scene)
    work(digest_of(scene), NOON)
    path, reader = acting_path(post), Client()
    User.objects.update(is_active=False)

    assert reader.get(path).status_code == 404
    assert reader.post(path, {"do": "up"}).status_code == 404
    assert not Thumb.objects.exists()


def test_the_form_offers_only_what_is_the_owners(
    as_ann: Client, scene: Scene, ann: User, bob: User
) -> None:
    mine, theirs = scene_of(ann, "energy").topic, scene_of(bob, "theirs").topic
    data = {
        "frequency": "daily",
        "at": "08:00",
        "also_at": "18:00，12:30",
        "zone": "UTC",
        "language": "en",
        "max_items": "20",
        "active": "on",
    }
    path = "/topics/chips/digest/"
    assert as_ann.post(path, data | {"also_topics": [theirs.pk]}).status_code == 422
    assert as_ann.post(path, data | {"also_at": "25:00"}).status_code == 422
    assert as_ann.post(path, data | {"also_topics": [mine.pk]}).status_code == 302
    digest = Digest.objects.get()
    assert list(digest.also_topics.all()) == [mine]
    assert digest.schedule().also_at == (time(12, 30), time(18))

"""Stuffed pages stand apart from a topic's news, and are never delivered."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from crawler.models import Harvest, Site, Story
from crawler.store.stuffed import farms
from tests.topics.delivery.issues import digest_of
from tests.topics.factories import Scene, scene_of
from tests.topics.views.conftest import LOCAL, get
from topics.delivery import alerts
from topics.delivery.sections import choose_pages
from topics.home.topic_lines import topic_lines
from topics.models import SiteControl, Thumb
from topics.pages.not_spam import fair_news, stuffed_pages

#: Trusts of the kept pages of each site.
SITES = {
    "fair.test": (1.0, 1.0, 0.9),
    # Most of its known pages are stuffed.
    "farm.test": (0.05, 0.05, 1.0),
    # Half is not most, and of two pages one says nothing of a site.
    "half.test": (0.05, 0.05, 1.0, 1.0),
    "pair.test": (0.05, 0.2),
    "new.test": (1.0,),
}
FAIR = {"fair.test": 3, "half.test": 2, "new.test": 1}


@pytest.fixture
def news(ann: User) -> Scene:
    scene = scene_of(ann, now=timezone.now())
    for site, trusts in SITES.items():
        for number, trust in enumerate(trusts):
            address = f"https://{site}/{number}"
            story = Story.objects.create(crawl=scene.crawl, first_seen=scene.now)
            scene.page(address, f"{site} {trust}", story=story, trust=trust, score=trust)
    return scene


def of_sites(pages: list[Harvest]) -> dict[str, int]:
    names = [page.url.site.name for page in pages]
    return {name: names.count(name) for name in names}


def test_each_piece_of_news_is_fair_or_stuffed(news: Scene) -> None:
    fair = fair_news(news.topic, news.now)
    stuffed = news.topic.news(news.now).filter(pk__in=stuffed_pages(news.topic))

    assert farms(Harvest.objects.all()) == {"farm.test"}
    assert of_sites(list(fair)) == FAIR
    assert of_sites(list(stuffed)) == {"farm.test": 3, "half.test": 2, "pair.test": 2}
    assert not set(fair) & set(stuffed)


def test_pages_from_before_tell_a_farm_and_dropped_ones_do_not(news: Scene) -> None:
    of_farm = Harvest.objects.filter(url__site__name="farm.test", trust__lt=0.5)
    last = Harvest.objects.get(url__site__name="farm.test", trust=1.0)
    of_farm.update(baseline=True)
    assert last.pk in stuffed_pages(news.topic)

    of_farm.update(kept=False)
    assert last in fair_news(news.topic, news.now)


def test_a_persons_word_is_stronger(news: Scene, ann: User) -> None:
    page = Harvest.objects.get(url__url="https://pair.test/0")
    other = Harvest.objects.get(url__url="https://pair.test/1")
    word = {"user": ann, "topic": news.topic, "created": news.now}
    Thumb.objects.create(url=page.url, value=1, **word)
    Thumb.objects.create(url=other.url, value=-1, **word)
    for name, rule in (("farm.test", "pin"), ("half.test", "lower")):
        site = Site.objects.get(name=name)
        SiteControl.objects.create(topic=news.topic, site=site, rule=rule)

    fair = of_sites(list(fair_news(news.topic, news.now)))

    assert fair == FAIR | {"pair.test": 1, "farm.test": 3}
    assert other.pk in stuffed_pages(news.topic)


def test_they_stand_in_a_part_of_their_own(as_ann: Client, news: Scene) -> None:
    html = get(as_ann, LOCAL)
    first, _, rest = html.partition("7 new pages with keyword stuffing")

    assert "6 new pages in the last" in first
    assert "farm.test" not in first and "pair.test" not in first
    assert "farm.test 1.0" in rest and "pair.test 0.2" in rest
    assert [line.n_fresh for line in topic_lines(news.topic.owner, news.now)] == [6]


def test_they_are_shown_where_there_is_no_other_news(as_ann: Client, news: Scene) -> None:
    Harvest.objects.filter(trust__gte=0.5).update(baseline=True)
    html = get(as_ann, LOCAL)

    assert "Nothing new" in html
    assert html.index("Nothing new") < html.index("6 new pages with keyword stuffing")


def test_no_digest_and_no_alert_tells_of_them(news: Scene) -> None:
    choice = choose_pages(digest_of(news), news.now - timedelta(days=2), news.now)

    assert of_sites([one.harvest for one in choice.pages]) == FAIR
    assert choice.n_more == 0
    assert of_sites(list(alerts.news_for_alerts(news.topic, news.now))) == FAIR

"""What the crawler is given of a topic, and its version."""

from django.contrib.auth.models import User

from crawler.models import Crawl
from tests.topics.factories import NOON, topic_of
from topics.models import Topic
from topics.profile.crawl import save_crawl


def test_two_saves_at_one_moment_have_two_versions(ann: User) -> None:
    """Each of them read the crawl before the other saved it."""
    save_crawl(topic_of(ann, "sun"), NOON)
    first, second = (Topic.objects.select_related("crawl").get() for _ in range(2))
    first.threshold, second.threshold = 0.3, 0.4

    versions = [save_crawl(topic, NOON).version for topic in (first, second)]

    assert len(set(versions)) == 2
    stored = Crawl.objects.get()
    assert (stored.version, stored.settings.threshold) == (versions[1], 0.4)


def test_a_save_without_a_change_keeps_the_version(ann: User) -> None:
    topic = topic_of(ann, "sun")
    before = save_crawl(topic, NOON).version

    assert save_crawl(Topic.objects.get(), NOON).version == before

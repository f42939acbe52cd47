"""Which of a topic's news are fair, and which are stuffed with its words to be found."""

from datetime import datetime

from crawler.models import Harvest
from crawler.models.crawls import HarvestQuerySet
from topics.models import Topic


def fair_news(topic: Topic, now: datetime) -> HarvestQuerySet:
    """A topic's news without stuffed pages, and without what else stands on farms of them."""
    return topic.news(now).fair(farms(topic))


def stuffed_news(topic: Topic, now: datetime) -> HarvestQuerySet:
    """The other news: they are shown apart, and sent to nobody."""
    return topic.news(now).stuffed(farms(topic))


def farms(topic: Topic) -> frozenset[str]:
    """Domains of which most kept pages are stuffed, whether they are news or not."""
    return Harvest.objects.filter(crawl__topic=topic).kept().farms()

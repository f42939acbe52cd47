"""Which of a topic's news are fair, and which are stuffed with its words to be found."""

from datetime import datetime

from crawler.models import Harvest
from crawler.models.crawls import HarvestQuerySet
from topics.models import Topic

#: Nobody looks through more of them; a database takes only so many numbers at once.
MAX_STUFFED = 5000


def fair_news(topic: Topic, now: datetime) -> HarvestQuerySet:
    """A topic's news without stuffed pages, and without what else stands on farms of them."""
    return topic.news(now).fair(farms(topic))


def stuffed_news(topic: Topic, now: datetime) -> HarvestQuerySet:
    """The other news: they are shown apart, and sent to nobody."""
    return topic.news(now).filter(pk__in=_kept(topic).stuffed(farms(topic))[:MAX_STUFFED])


def farms(topic: Topic) -> frozenset[str]:
    """Domains of which most kept pages are stuffed, whether they are news or not."""
    return _kept(topic).farms()


def _kept(topic: Topic) -> HarvestQuerySet:
    return Harvest.objects.filter(crawl__topic=topic).kept()

"""Which of a topic's news are fair, and which are stuffed with its words to be found."""

from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from crawler.api.judging import stuffed_among
from crawler.api.tables import Harvest, HarvestQuerySet
from topics.models import SiteControl, Thumb, Topic


def fair_news(topic: Topic, now: datetime) -> HarvestQuerySet:
    """Return a topic's news without what is stuffed."""
    return topic.news(now).exclude(pk__in=stuffed_pages(topic))


def is_trusted() -> Q:
    """Return the condition for harvests that a person's word makes fair, see `stuffed_pages`."""
    liked = Thumb.objects.filter(value__gt=0, topic__crawl=OuterRef("crawl"), url=OuterRef("url"))
    raised = SiteControl.objects.filter(
        topic__crawl=OuterRef("crawl"), site=OuterRef("url__site"), rule__in=SiteControl.TRUSTING
    )
    return Q(Exists(liked) | Exists(raised))


def is_trusted_in(topic: Topic) -> Q:
    """Return the same condition for the harvests of one topic, whose subqueries run only once."""
    liked = topic.thumbs.filter(value__gt=0).values("url")
    raised = topic.sites.filter(rule__in=SiteControl.TRUSTING).values("site")
    return Q(url__in=liked) | Q(url__site__in=raised)


def stuffed_pages(topic: Topic) -> list[int]:
    """Numbers of the harvests that look stuffed or stand on farms of such pages, newest first.

    A person's word is stronger: a page with a thumb up is fair, and all of a site that is
    raised or pinned. They are few, and found without reading the others.
    """
    kept = Harvest.objects.filter(crawl__topic=topic).kept()
    return stuffed_among(kept.exclude(is_trusted_in(topic)), kept)

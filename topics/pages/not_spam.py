"""Which of a topic's news are fair, and which are stuffed with its words to be found."""

from datetime import datetime

from django.db.models import Count

from crawler.knowledge.stuffing import LEAST_TRUST, is_farm
from crawler.models import Harvest
from crawler.models.crawls import HarvestQuerySet
from topics.models import SiteControl, Topic

#: Most pages in the list; a database takes only so many numbers at once.
MAX_STUFFED = 5000


def fair_news(topic: Topic, now: datetime) -> HarvestQuerySet:
    """A topic's news without what is stuffed."""
    return topic.news(now).exclude(pk__in=stuffed_pages(topic))


def stuffed_news(topic: Topic, now: datetime) -> HarvestQuerySet:
    """The other news: they are shown apart, and never delivered."""
    return topic.news(now).filter(pk__in=stuffed_pages(topic))


def stuffed_pages(topic: Topic) -> list[int]:
    """Numbers of the harvests that look stuffed or stand on farms of such pages, newest first.

    A person's word is stronger: a page with a thumb up is fair, and all of a site that is
    raised or pinned. They are few, and found without reading the others.
    """
    kept = Harvest.objects.filter(crawl__topic=topic).kept()
    doubtful = kept.exclude(url__in=topic.thumbs.filter(value__gt=0).values("url")).exclude(
        url__site__in=topic.sites.filter(
            rule__in=(SiteControl.Rule.RAISE, SiteControl.Rule.PIN)
        ).values("site")
    )
    alone = doubtful.filter(trust__lt=LEAST_TRUST)
    on_farms = doubtful.filter(url__site__domain__in=farms(kept))
    numbers = {*alone.values_list("pk", flat=True), *on_farms.values_list("pk", flat=True)}
    return sorted(numbers, reverse=True)[:MAX_STUFFED]


def farms(kept: HarvestQuerySet) -> frozenset[str]:
    """The domains of which most kept pages look stuffed, whether they are news or not."""
    by_domain = kept.values_list("url__site__domain")
    n_stuffed = dict(by_domain.filter(trust__lt=LEAST_TRUST).annotate(n=Count("pk")))
    n_pages = by_domain.filter(url__site__domain__in=n_stuffed).annotate(n=Count("pk"))
    return frozenset(domain for domain, n in n_pages if is_farm(n, n_stuffed[domain]))

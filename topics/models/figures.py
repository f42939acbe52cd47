"""Counts of a topic that take long to compute: the timer renews them, pages only read them."""

from datetime import datetime, timedelta

from django.db import models

from crawler.api.tables import Crawl

#: Older figures are renewed even if no run changed anything: pages grow old.
RENEW_AFTER = timedelta(minutes=15)


class TopicFiguresQuerySet(models.QuerySet["TopicFigures"]):
    def forget(self, crawl: Crawl) -> None:
        """Drop the figures of a crawl's topic, as a person changed what is kept."""
        self.filter(topic__crawl=crawl).delete()


class TopicFigures(models.Model):
    """Counts of a topic's pages and sources for the home page and the head of its page."""

    topic = models.OneToOneField(
        "topics.Topic", on_delete=models.CASCADE, primary_key=True, related_name="figures"
    )
    counted = models.DateTimeField()
    #: What they depend on, as it was then.
    state = models.CharField(max_length=80, blank=True)
    #: Stories that are news, and those that are not.
    n_news = models.PositiveIntegerField(default=0)
    n_known = models.PositiveIntegerField(default=0)
    n_outdated = models.PositiveIntegerField(
        default=0, help_text="pages stored before articles were extracted"
    )
    n_failing = models.PositiveIntegerField(default=0, help_text="sources that fail")
    seeds_since = models.DateTimeField(null=True, help_text="since then no seed responds")
    lacks_words = models.BooleanField(
        default=False, help_text="no fetched page contains a word of the topic"
    )
    #: Numbers of the harvests of the best known pages, one a story.
    best_known = models.JSONField(default=list)
    farms = models.JSONField(default=list, help_text="domains with keyword stuffing")
    quotes = models.JSONField(
        default=dict, help_text="of the news listed first; `topics.pages.extracts.stored_quotes`"
    )
    news = models.JSONField(default=list, help_text="rows of `topics.pages.listing.stored_news`")

    objects = TopicFiguresQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.topic_id}: {self.n_news} news"

    def is_due(self, state: str, now: datetime) -> bool:
        """True if what they depend on has changed, or if they are old."""
        return self.state != state or self.counted <= now - RENEW_AFTER

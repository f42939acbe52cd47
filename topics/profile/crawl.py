"""The crawl of a topic: what the crawler is given when the topic changes."""

from datetime import datetime

from crawler.api.judging import note_judged
from crawler.api.tables import Crawl
from topics.models import Topic
from topics.profile.concepts import profile_of

#: The key of a topic's crawl begins with it, and ends with the topic's number.
KEY_PREFIX = "topic-"


def save_crawl(topic: Topic, now: datetime) -> Crawl:
    """Save the crawl of a topic; a changed topic is judged again."""
    crawl = topic.crawl or Crawl(key=f"{KEY_PREFIX}{topic.pk}", first_seen=now)
    changed = crawl.describe(profile_of(topic), topic.crawl_settings())
    if crawl.pk is None:
        crawl.save()
        note_judged(crawl)
    elif changed:
        # Only these: the manager agent writes the others while a run goes on.
        crawl.save(update_fields=["profile_json", "settings_json", "version"])
    if topic.crawl_id != crawl.pk:
        topic.crawl = crawl
        topic.save(update_fields=["crawl"])
    return crawl

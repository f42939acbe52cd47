"""The crawl of a topic: what the crawler is given when the topic changes."""

from datetime import datetime

from django.db.models import F

from crawler.api.judging import note_judged
from crawler.api.tables import Crawl
from focusweb.database import write_transaction
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
        _save_content(crawl)
    if topic.crawl_id != crawl.pk:
        topic.crawl = crawl
        topic.save(update_fields=["crawl"])
    return crawl


@write_transaction()
def _save_content(crawl: Crawl) -> None:
    # Only these: the manager agent writes the others while a run goes on. The table counts the
    # versions, so that two saves at one moment have two.
    Crawl.objects.filter(pk=crawl.pk).update(
        profile_json=crawl.profile_json,
        settings_json=crawl.settings_json,
        version=F("version") + 1,
    )
    crawl.refresh_from_db(fields=["version"])

"""Delete topics, with all that was stored for them alone."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from django.utils.translation import gettext as _

from crawler.api.sites import remove_crawl
from focusweb.database import write_transaction
from topics.delivery.ledger import mail_file
from topics.models import DigestIssue, Topic


def running_sentences(topics: Iterable[Topic]) -> list[str]:
    """A sentence for each topic that is being crawled, which must end first."""
    sentence = _("“%(name)s” is being crawled. Stop the run first.")
    return [sentence % {"name": topic.name} for topic in topics if topic.open_run() is not None]


def remove_topic(topic: Topic, now: datetime) -> None:
    """Delete a topic with its crawl, the pages that no other topic has, and its mails."""
    with write_transaction():
        files = delete_topic_rows(topic, now)
    # After the rows: if this is interrupted, no page shows an issue without its file.
    for file in files:
        file.unlink(missing_ok=True)


def delete_topic_rows(topic: Topic, now: datetime) -> list[Path]:
    """Delete the rows of a topic; return the files to remove once that is committed."""
    issues = DigestIssue.objects.filter(digest__topic=topic).select_related("digest")
    files, crawl = [mail_file(issue) for issue in issues], topic.crawl
    topic.delete()
    if crawl is not None:
        remove_crawl(crawl, now)
    return files

"""Delete topics, with all that was stored for them alone."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from django.utils.translation import gettext as _

from crawler.api.sites import remove_crawl
from crawler.api.tables import Crawl
from focusweb.database import write_transaction
from topics.delivery.ledger import mail_file
from topics.models import DigestIssue, Topic
from topics.profile.crawl import KEY_PREFIX

#: Pieces of a crawl that are deleted before the person gets an answer; a piece takes about 0.2 s.
PIECES_AT_ONCE = 4
#: Pieces that one task of the worker deletes.
PIECES_A_TASK = 100


def running_sentences(topics: Iterable[Topic]) -> list[str]:
    """Return a sentence for each topic that is being crawled, which must end first."""
    sentence = _("“%(name)s” is being crawled. Stop the run first.")
    return [sentence % {"name": topic.name} for topic in topics if topic.open_run() is not None]


def remove_topic(topic: Topic, now: datetime) -> None:
    """Delete a topic with its crawl, the pages that no other topic has, and its mails."""
    with write_transaction():
        files = delete_topic_rows(topic)
    clear_up([topic], files, now)


def delete_topic_rows(topic: Topic) -> list[Path]:
    """Delete a topic but not its crawl; return the files to remove once that is committed."""
    issues = DigestIssue.objects.filter(digest__topic=topic).select_related("digest")
    files = [mail_file(issue) for issue in issues]
    topic.delete()
    return files


def clear_up(deleted: Iterable[Topic], files: Iterable[Path], now: datetime) -> None:
    """Remove the files of deleted topics and their crawls; of a large crawl the worker does it."""
    # After the rows: if this is interrupted, no page shows an issue without its file.
    for file in files:
        file.unlink(missing_ok=True)
    for topic in deleted:
        if topic.crawl is not None:
            remove_crawl(topic.crawl, now, PIECES_AT_ONCE)


def crawls_without_topic() -> list[Crawl]:
    """Crawls whose topic is deleted."""
    alone = Crawl.objects.filter(topic=None, key__startswith=KEY_PREFIX).order_by("pk")
    owners = {crawl.key.removeprefix(KEY_PREFIX): crawl for crawl in alone}
    # A crawl is stored shortly before its topic names it.
    for key in Topic.objects.filter(pk__in=owners).values_list("pk", flat=True):
        del owners[str(key)]
    return list(owners.values())


def finish_removals(now: datetime) -> bool:
    """Delete more of the crawls whose topic is deleted; False if some are left."""
    return all(remove_crawl(crawl, now, PIECES_A_TASK) for crawl in crawls_without_topic())

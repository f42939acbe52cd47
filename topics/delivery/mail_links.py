"""Links of a mail's pages: rate or star a page without a login, once its owner confirms it."""

from enum import StrEnum
from typing import Final

from django.utils import timezone

from crawler.api.tables import Harvest
from topics.delivery.signed_links import SignedLink
from topics.models import DigestItem, Topic
from topics.pages.reading import set_starred
from topics.profile.feedback import set_thumb

#: Leads the owner of a digest to a form that acts on a page, without signing in.
LINK: Final = SignedLink("mail_link", "topics.delivery.mail_links")


class MailAction(StrEnum):
    """What the owner of a digest can do with a page from inside the mail."""

    UP = "up"
    DOWN = "down"
    STAR = "star"


def find_item(token: str) -> DigestItem | None:
    """Return the page of a signed link.

    None if the link is forged, its topic is gone, or the owner may no longer sign in.
    """
    items = DigestItem.objects.select_related("issue__digest__topic__owner", "topic__crawl", "url")
    return LINK.find(token, items.filter(issue__digest__topic__owner__is_active=True))


def topic_of_item(item: DigestItem) -> Topic:
    """Return the topic that a page of an issue is of."""
    return item.topic if item.topic is not None else item.issue.digest.topic


def act(item: DigestItem, action: MailAction) -> bool:
    """Do what the owner confirmed; False if the page is not stored any more."""
    topic, now = topic_of_item(item), timezone.now()
    harvest = Harvest.objects.filter(crawl__topic=topic, url=item.url_id).first()
    if harvest is None:
        return False
    if action is MailAction.STAR:
        set_starred(topic, topic.owner, item.url_id, now, starred=True)
    else:
        set_thumb(topic, topic.owner, harvest, 1 if action is MailAction.UP else -1, now)
    return True

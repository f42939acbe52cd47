"""The public page of a topic: what it shows to the public, and how it is published."""

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse
from django.utils.text import slugify

from focusweb.database import write_transaction
from topics.feeds.addresses import language_now
from topics.feeds.entries import public_why, safe_link
from topics.home.figures import figures_of
from topics.models import Feed, Newspaper, Topic
from topics.pages.filters import Filters
from topics.pages.listing import list_pages
from topics.pages.news import in_order
from topics.pages.opening import open_address_outside
from topics.pages.rows import ShownPage, shown_pages

#: News on the page, the best now.
MAX_PAGES: Final = 30


@dataclass(frozen=True, slots=True)
class NewspaperArticle:
    """A page with the reason that the public may read; `link` is "" if it is not a web address."""

    row: ShownPage
    why: str
    link: str


def find_newspaper(name: str) -> Newspaper | None:
    """Return the public page of a name, if its owner may still sign in."""
    rows = Newspaper.objects.select_related(
        "topic__crawl", "topic__owner", "topic__figures", "feed__owner"
    )
    return rows.filter(name=name, topic__owner__is_active=True).first()


def articles_of(topic: Topic, now: datetime) -> list[NewspaperArticle]:
    """Return the best news of a topic, for a reader without marks."""
    if topic.crawl is None:
        return []
    began, farms = topic.crawl.baseline_end(), figures_of(topic, now).farms
    listing = list_pages(topic, AnonymousUser(), Filters(), now, began=began, farms=farms)
    pages = in_order(listing.numbers[:MAX_PAGES])
    rows = shown_pages(topic.crawl, pages, now, began=began)
    return [
        NewspaperArticle(row, public_why(row), safe_link(open_address_outside(row.harvest.url.url)))
        for row in rows
    ]


@write_transaction()
def publish_newspaper(newspaper: Newspaper, now: datetime) -> None:
    """Store a public page and give it a feed, in the language of the person who publishes it."""
    if newspaper.pk is None:
        newspaper.created = now
    newspaper.save()
    Feed.objects.update_or_create(
        newspaper=newspaper,
        defaults={"owner": newspaper.topic.owner, "language": language_now()},
        create_defaults={
            "owner": newspaper.topic.owner,
            "language": language_now(),
            "created": now,
        },
    )


def proposed_name(topic: Topic) -> str:
    """Return an address for a topic's public page that cannot be guessed from its name."""
    return f"{slugify(topic.slug)[:40] or 'topic'}-{secrets.token_hex(4)}"


def whole_address(newspaper: Newspaper) -> str:
    """Where the public page of a topic is read."""
    return f"{settings.BASE_URL.rstrip('/')}{reverse('newspaper', args=[newspaper.name])}"

"""Write an issue: the very bytes that are sent, stored before the mail server gets them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from typing import Final
from zoneinfo import ZoneInfo

import msgspec
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from topics.delivery import unsubscription
from topics.delivery.coverage import Coverage, coverage_of, listed, warning
from topics.delivery.digest_extras import MailPart, n_changes
from topics.delivery.mime import (
    Envelope,
    full_address,
    html_bytes,
    html_lang,
    new_message,
    new_part,
    one_line,
    raw_headers,
    sender_domain,
)
from topics.delivery.plan import covered_days
from topics.delivery.sections import PER_SITE, sections_of, topics_of_digest
from topics.models import Digest, DigestIssue

#: Most bytes of the HTML part as it travels: mail programs cut off what is longer than 102 KB.
MAX_HTML_BYTES: Final = 90_000


class IssueItem(msgspec.Struct, frozen=True):
    """One item of an issue."""

    title: str
    url: str
    site: str
    why: str
    first_seen: datetime
    published: datetime | None = None
    new_site: bool = False
    #: Other sites with the same story.
    also: tuple[str, ...] = ()
    #: What it says of the topic, and the language of that; "" for unknown.
    extract: str = ""
    lang: str = ""
    #: False for a front page or a list of links.
    has_article: bool = True
    #: Its heading; "" in a digest of one topic.
    section: str = ""
    score: float = 0.0
    #: Where its owner rates or stars it; in a preview the topic; "" in a copy for another reader.
    act_url: str = ""


@dataclass(frozen=True, slots=True)
class IssueText:
    """What the two templates of a mail are given."""

    topic: str
    heading: str
    subject: str
    lang: str
    zone: str
    made: datetime
    pages: tuple[IssueItem, ...]
    n_more: int
    #: Of those, pages whose site had all its places, and how many places that are.
    n_of_full_sites: int
    per_site: int
    days: int
    #: How the topic was watched since the reader's last mail, the day of that mail, and a warning
    #: if no source could be visited; "" for none.
    watch: Coverage
    watched_since: str
    warning: str
    topic_url: str
    #: Where all its news are, and its failing sources; of several topics, pages about all topics.
    more_url: str
    sources_url: str
    digest_url: str
    #: Where it stops without signing in; "" for a digest that is not stored yet.
    stop_url: str
    #: One link for each page instead of three, where the mail would be too long.
    compact: bool = False
    #: What is below the pages: changes, alerts, rising terms, quiet topics.
    besides: tuple[MailPart, ...] = ()
    #: The user who has a copy of it sent; "" in the owner's own mail.
    sent_by: str = ""
    #: Whether its pages may be of several topics.
    is_of_several: bool = False

    @property
    def has_nothing(self) -> bool:
        """Whether neither a new page nor a change was found."""
        return not self.pages and not n_changes(self.besides)

    @property
    def has_only_changes(self) -> bool:
        """Whether there is nothing in it but changes of watched pages."""
        return not self.pages and not self.warning and n_changes(self.besides) > 0


@dataclass(frozen=True, slots=True)
class WrittenMail:
    """A mail as bytes, and how many pages and changes of watched pages it holds."""

    message: bytes
    subject: str
    n_pages: int
    n_changes: int = 0


def with_act_url(page: IssueItem, act_url: str) -> IssueItem:
    """Return a page of an issue with the link by which its owner acts on it; "" for none."""
    return msgspec.structs.replace(page, act_url=act_url)


def issue_text(
    digest: Digest,
    pages: Sequence[IssueItem],
    covers_from: datetime,
    covers_until: datetime,
    *,
    made: datetime,
    n_more: int,
    n_of_full_sites: int = 0,
    besides: Sequence[MailPart] = (),
    issue: DigestIssue | None = None,
) -> IssueText:
    """Put together the content of an issue; without `issue`, what one made now would say."""
    seen_from = min((page.first_seen for page in pages), default=None)
    watch = coverage_of(digest, covers_from, covers_until, before=issue, seen_from=seen_from)
    topic, n_more_sections = digest.topic, len(sections_of(digest)) - 1
    name = one_line(topic.name)
    with translation.override(digest.language):
        if n_more_sections:
            both = ngettext(
                "%(topic)s and %(count)d more", "%(topic)s and %(count)d more", n_more_sections
            )
            name = both % {"topic": name, "count": n_more_sections}
        if pages:
            found = ngettext(
                "%(topic)s: %(count)d new page", "%(topic)s: %(count)d new pages", len(pages)
            ) % {"topic": name, "count": len(pages)}
        elif changed := n_changes(besides):
            found = ngettext(
                "%(topic)s: %(count)d watched page changed",
                "%(topic)s: %(count)d watched pages changed",
                changed,
            ) % {"topic": name, "count": changed}
        else:
            found = _("%(topic)s: nothing new") % {"topic": name}
        if not pages and watch.unwatched_since:
            blind = listed(watch.unwatched) or name
            found = _("%(topic)s: sources could not be checked") % {"topic": blind}
        caution = warning(watch, digest.zone)
    topic_url = full_address(reverse("topic_detail", args=[topic.slug]))
    sources_url = full_address(reverse("topic_sources", args=[topic.slug]))
    is_of_several = len(topics_of_digest(digest)) > 1
    return IssueText(
        topic=name,
        heading=f"{name} · {made.astimezone(ZoneInfo(digest.zone)):%Y-%m-%d}",
        subject=found,
        zone=digest.zone,
        made=made,
        lang=html_lang(digest.language),
        pages=tuple(pages),
        n_more=n_more,
        n_of_full_sites=n_of_full_sites,
        per_site=PER_SITE,
        watch=watch,
        watched_since=f"{watch.since.astimezone(ZoneInfo(digest.zone)):%Y-%m-%d}",
        warning=caution,
        days=covered_days(digest.schedule(), covers_from, covers_until),
        topic_url=topic_url,
        more_url=full_address(reverse("topic_list")) if is_of_several else topic_url,
        sources_url=full_address(reverse("system")) if is_of_several else sources_url,
        is_of_several=is_of_several,
        digest_url=full_address(reverse("topic_digest", args=[topic.slug])),
        besides=tuple(besides),
        stop_url=full_address(unsubscription.STOP.path(digest)) if digest.pk else "",
    )


def write(digest: Digest, text: IssueText, envelope: Envelope) -> WrittenMail:
    """Write a mail with an HTML part below `MAX_HTML_BYTES`: links go first, then last pages."""
    with translation.override(digest.language):
        while True:
            message = _message(text, envelope)
            if html_bytes(message) <= MAX_HTML_BYTES or not text.pages:
                break
            if text.compact:
                text = replace(text, pages=text.pages[:-1], n_more=text.n_more + 1)
            text = replace(text, compact=True)
    changed = n_changes(text.besides)
    data = _list_headers(digest, text.stop_url) + message.as_bytes(policy=SMTP)
    return WrittenMail(data, envelope.subject_prefix + text.subject, len(text.pages), changed)


def _list_headers(digest: Digest, stop_url: str) -> bytes:
    list_id = {"List-Id": f"<digest-{digest.pk or 0}.focusweb.{sender_domain()}>"}
    return raw_headers(list_id | unsubscription.one_click_headers(stop_url))


def message_id(issue: DigestIssue) -> str:
    """Return the Message-ID of an issue; it never changes."""
    key = f"digest-{issue.digest_id}-{issue.local_date:%Y%m%d}-{issue.slot:%H%M}"
    # Another installation with the same sender has other keys.
    mark = salted_hmac("topics.delivery.message_id", key).hexdigest()[:16]
    return f"<{key}.{mark}@{sender_domain()}>"


def _message(text: IssueText, envelope: Envelope) -> EmailMessage:
    message = new_message(text.subject, envelope, text.made)
    message.make_alternative()
    for subtype, template in (("plain", "mail/digest.txt"), ("html", "mail/digest.html")):
        message.attach(new_part(render_to_string(template, {"issue": text}), subtype, text.lang))
    return message

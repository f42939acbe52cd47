"""Write a frozen issue: the second step of the ledger, for its owner and all channels at once."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter

import msgspec

from focusweb.database import write_transaction
from topics.delivery import copies, mail_links
from topics.delivery.channels.registry import find_kind
from topics.delivery.digest_extras import MailPart, restored
from topics.delivery.mime import Envelope, full_address
from topics.delivery.rendering import (
    IssueItem,
    IssueText,
    issue_text,
    message_id,
    with_act_url,
    write,
)
from topics.models import Channel, Delivery, DigestIssue, DigestItem


@write_transaction()
def render(issue_pk: int, now: datetime) -> bool:
    """Write a frozen issue; False if another process did."""
    frozen = DigestIssue.objects.select_for_update().filter(state=DigestIssue.State.FROZEN)
    issue = frozen.filter(pk=issue_pk).first()
    if issue is None:
        return False
    items = list(issue.items.all())
    text = _stored_text(issue, items, now, besides=restored(issue.besides))
    envelope = Envelope(message_id(issue), issue.recipient)
    written = write(issue.digest, text, envelope)
    # A page without room in the mail was not delivered: it may come with the next one.
    issue.items.filter(pk__in=[item.pk for item in items[written.n_pages :]]).delete()
    issue.state, issue.message = DigestIssue.State.RENDERED, written.message
    issue.subject, issue.message_id = written.subject, envelope.message_id
    left = len(items) - written.n_pages
    issue.n_more += left
    issue.save(update_fields=["state", "message", "subject", "message_id", "n_more"])
    # Sent again, it goes to its owner: a reader who was added later gets no old issue.
    is_empty = text.has_only_changes and issue.digest.skip_empty
    if not issue.asked_again and not is_empty:
        copies.add_copies(issue, _stored_text(issue, items[: written.n_pages], now), now)
    return True


def write_copies(now: datetime) -> int:
    """Write the copies whose plugin or package was missing or failed. Return how many.

    One that fails again waits for `copies.WRITING_PAUSE`.
    """
    rows = Delivery.objects.rested(now).filter(
        state=Delivery.State.FROZEN, channel__in=Channel.objects.usable()
    )
    rows = rows.select_related("channel__owner", "issue__digest__topic__owner")
    n_written = 0
    for issue, of_issue in groupby(rows.order_by("issue_id", "pk"), attrgetter("issue")):
        ready = [row for row in of_issue if find_kind(row.channel.kind) is not None]
        if ready:
            # All copies of an issue were made at one time.
            text = _stored_text(issue, issue.items.all(), ready[0].created)
            n_written += sum(copies.write_copy(row, text, now) for row in ready)
    return n_written


def _stored_text(
    issue: DigestIssue,
    items: Iterable[DigestItem],
    made: datetime,
    *,
    besides: Sequence[MailPart] = (),
) -> IssueText:
    """Return what an issue says; without `besides` as readers of copies get it."""
    pages = [
        with_act_url(
            msgspec.convert(item.shown, IssueItem), full_address(mail_links.LINK.path(item))
        )
        for item in items
    ]
    return issue_text(
        issue.digest,
        pages,
        issue.covers_from,
        issue.covers_until,
        made=made,
        n_more=issue.n_more,
        n_of_full_sites=issue.n_of_full_sites,
        besides=besides,
        issue=issue,
    )

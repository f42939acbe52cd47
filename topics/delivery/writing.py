"""Write a frozen issue: the second step of the ledger, for its owner and all channels at once."""

from dataclasses import replace
from datetime import datetime

import msgspec

from focusweb.database import write_transaction
from topics.delivery import copies, mail_links
from topics.delivery.digest_extras import restored
from topics.delivery.mime import Envelope, full_address
from topics.delivery.rendering import IssueItem, issue_text, message_id, with_act_url, write
from topics.models import DigestIssue


@write_transaction()
def render(issue_pk: int, now: datetime) -> bool:
    """Write a frozen issue; False if another process did."""
    frozen = DigestIssue.objects.select_for_update().filter(state=DigestIssue.State.FROZEN)
    issue = frozen.filter(pk=issue_pk).first()
    if issue is None:
        return False
    items = list(issue.items.all())
    pages = [
        with_act_url(
            msgspec.convert(item.shown, IssueItem), full_address(mail_links.LINK.path(item))
        )
        for item in items
    ]
    text = issue_text(
        issue.digest,
        pages,
        issue.covers_from,
        issue.covers_until,
        made=now,
        n_more=issue.n_more,
        n_of_full_sites=issue.n_of_full_sites,
        besides=restored(issue.besides),
        issue=issue,
    )
    envelope = Envelope(message_id(issue), issue.recipient)
    written = write(issue.digest, text, envelope)
    # A page without room in the mail was not delivered: it may come with the next one.
    issue.items.filter(pk__in=[item.pk for item in items[written.n_pages :]]).delete()
    issue.state, issue.message = DigestIssue.State.RENDERED, written.message
    issue.subject, issue.message_id = written.subject, envelope.message_id
    issue.n_more += len(pages) - written.n_pages
    issue.save(update_fields=["state", "message", "subject", "message_id", "n_more"])
    left = len(pages) - written.n_pages
    shorter = replace(text, pages=text.pages[: written.n_pages], n_more=text.n_more + left)
    copies.add_copies(issue, shorter, now)
    return True

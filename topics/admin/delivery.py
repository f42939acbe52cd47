"""Digests, their issues and alerts in the administration: read-only, each owner their own."""

from django.contrib import admin

from topics.admin.read_only import ReadOnlyAdmin
from topics.models import Alert, Digest, DigestIssue


@admin.register(Digest)
class DigestAdmin(ReadOnlyAdmin):
    """Digests: each is set up on its topic's own page."""

    owner_path = "topic__owner"
    list_display = ["topic", "active", "frequency", "at", "zone", "language", "next_due"]
    list_select_related = ["topic"]
    fields = (
        ("topic", "active"),
        ("frequency", "at", "weekdays", "zone"),
        ("language", "max_items", "min_items", "skip_empty"),
        ("besides", "paused_until"),
        ("covered_until", "next_due"),
    )


@admin.register(DigestIssue)
class DigestIssueAdmin(ReadOnlyAdmin):
    owner_path = "digest__topic__owner"
    list_display = ["digest", "local_date", "slot", "state", "recipient", "attempts", "problem"]
    list_filter = ["state"]
    list_select_related = ["digest"]
    fields = (
        ("digest", "local_date", "slot"),
        ("covers_from", "covers_until"),
        ("state", "attempts", "not_before", "problem"),
        ("recipient", "subject", "message_id"),
        ("created", "ended"),
    )


@admin.register(Alert)
class AlertAdmin(ReadOnlyAdmin):
    owner_path = "topic__owner"
    list_display = ["topic", "harvest", "score", "needed", "state", "fired"]
    list_filter = ["state"]
    list_select_related = ["topic", "harvest"]
    fields = (("topic", "harvest"), ("score", "needed"), ("state", "fired"))

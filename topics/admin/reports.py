"""What browsers reported, in the administration."""

from django.contrib import admin

from topics.admin.read_only import ReadOnlyAdmin
from topics.models import PolicyReport


@admin.register(PolicyReport)
class PolicyReportAdmin(ReadOnlyAdmin):
    """Reports about the content policy: a sign that something foreign got into a page."""

    list_display = ["directive", "blocked", "view", "n", "first_seen", "last_seen"]
    list_filter = ["directive"]
    ordering = ["-last_seen"]

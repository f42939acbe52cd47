"""Read-only rows of the administration."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Read-only rows: the program alone writes them."""

    #: Where a row's topic owner is found; None where rows have no owner.
    owner_path: str | None = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Keep what belongs to the person's own topics; all for a superuser."""
        rows = super().get_queryset(request)
        if self.owner_path is None or request.user.is_superuser:
            return rows
        return rows.filter(**{self.owner_path: request.user.pk})

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

"""Whether a person still wants to see the first steps."""

from django.conf import settings
from django.db import models


class Tour(models.Model):
    """The first steps of a person; without a row they are shown."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tour"
    )
    put_away = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"{self.user_id}: {'put away' if self.put_away else 'shown'}"

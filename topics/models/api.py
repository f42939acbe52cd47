"""Tokens with which programs act for a person, and the answers to requests with a key."""

from django.conf import settings
from django.db import models


class ApiToken(models.Model):
    """A secret that identifies a user in the API; only its digest is stored."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens"
    )
    name = models.CharField(max_length=80)
    digest = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created = models.DateTimeField()
    used = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created", "-pk"]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.name}"


class ApiAnswer(models.Model):
    """The answer to a request with an idempotency key, so that a repetition does nothing."""

    token = models.ForeignKey(ApiToken, on_delete=models.CASCADE, related_name="answers")
    key = models.CharField(max_length=100)
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.JSONField()
    created = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["token", "key"], name="one_answer_per_key")]

    def __str__(self) -> str:
        return f"{self.token_id}: {self.key}"

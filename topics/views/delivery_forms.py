"""The forms of a digest and of an alert score."""

from datetime import time
from typing import Any

from django import forms
from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import get_language, gettext_lazy

from topics import rules
from topics.models import Digest, Topic
from topics.validators import validate_finite

EIGHT = time(8)


class DigestForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """When a topic's digest comes, in which language, and to which address."""

    email = forms.EmailField(
        label=gettext_lazy("your e-mail address"), required=False, max_length=254,
        help_text=gettext_lazy("where all your digests go; without one they are kept here"),
    )  # fmt: skip

    class Meta:
        model = Digest
        fields = [
            *("active", "frequency", "at", "weekdays", "zone"),
            *("language", "max_items", "skip_empty"),
        ]
        widgets = {"at": forms.TimeInput(attrs={"type": "time"}, format="%H:%M")}

    def __init__(self, topic: Topic, data: Any = None) -> None:
        digest = Digest.objects.filter(topic=topic).first() or Digest(
            topic=topic, at=EIGHT, zone=settings.TIME_ZONE if topic.zone == "UTC" else topic.zone,
            language=Digest.Language.CHINESE
            if (get_language() or "").startswith("zh") else Digest.Language.ENGLISH,
        )  # fmt: skip
        super().__init__(data, instance=digest)
        self.fields["email"].initial = topic.owner.email

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if {"frequency", "at", "weekdays"} <= cleaned.keys():
            told = rules.schedule_errors(cleaned["frequency"], cleaned["at"], cleaned["weekdays"])
            for name, message in told.items():
                self.add_error(name, message)
        return cleaned


class AlertScoreForm(forms.Form):
    """From which score on a fresh page is an alert."""

    score = forms.FloatField(
        label=gettext_lazy("alert from score"), required=False,
        validators=[validate_finite, MinValueValidator(0.0), MaxValueValidator(1.0)],
        widget=forms.NumberInput(attrs={"min": "0", "max": "1", "step": "0.01"}),
        help_text=gettext_lazy("from 0 to 1; empty for none"),
    )  # fmt: skip

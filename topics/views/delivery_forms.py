"""The forms of a digest and of an alert score."""

from datetime import datetime, time
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

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

    #: What says when, then what is in it and where it goes.
    field_order = (
        *("frequency", "at", "weekdays", "zone"),
        *("email", "language", "max_items", "active", "skip_empty"),
    )

    class Meta:
        model = Digest
        fields = [
            *("active", "frequency", "at", "weekdays", "zone"),
            *("language", "max_items", "skip_empty"),
        ]
        labels = {"frequency": gettext_lazy("how often")}
        help_texts = {
            "weekdays": gettext_lazy("for weekly, such as mon, thu"),
            "skip_empty": gettext_lazy("otherwise a mail says that nothing is new"),
        }
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
            if "weekdays" in told:
                told["weekdays"] = _("A weekly digest needs at least one day, such as mon.")
            for name, message in told.items():
                self.add_error(name, message)
        return cleaned

    def unsaved(self, now: datetime) -> Digest:
        """The digest as the form has it, for a look at it; one that is new covers from now on."""
        digest: Digest = self.instance
        if digest.pk is None:
            digest.covered_until = now
        return digest

    def as_query(self) -> str:
        """What was entered, as part of an address; not whom it goes to, which is personal."""
        return urlencode({name: self.data[name] for name in self.Meta.fields if name in self.data})


class AlertScoreForm(forms.Form):
    """From which score on a fresh page is an alert."""

    score = forms.FloatField(
        label=gettext_lazy("alert from score"), required=False,
        validators=[validate_finite, MinValueValidator(0.0), MaxValueValidator(1.0)],
        widget=forms.NumberInput(attrs={"min": "0", "max": "1", "step": "0.01"}),
        help_text=gettext_lazy("from 0 to 1; empty for none"),
    )  # fmt: skip

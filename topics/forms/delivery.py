"""The forms of a digest and of an alert score."""

from datetime import date, datetime, time
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.dates import WEEKDAYS_ABBR
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from topics.forms.topic import RowsField, ZoneField, offer_own_zone
from topics.models import Channel, Digest, SavedSearch, Topic
from topics.rules import parts, topic_rules
from topics.rules.schedule import WEEKDAYS, parse_weekdays
from topics.rules.validators import validate_finite

EIGHT = time(8)


def mail_language() -> Digest.Language:
    """Return the language of a new digest or channel: the one in which a person reads the pages."""
    return Digest.Language(get_language() or settings.LANGUAGE_CODE)


class WeekdaysField(forms.MultipleChoiceField):
    """Days of the week to tick; kept as the words that a schedule reads."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, **options: Any) -> None:
        days = zip(WEEKDAYS, WEEKDAYS_ABBR.values(), strict=True)
        super().__init__(choices=list(days), required=False, **options)

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return [WEEKDAYS[day] for day in sorted(parse_weekdays(value))]

    def clean(self, value: Any) -> str:
        ticked = super().clean([day for day in value or [] if day])
        return ", ".join(day for day in WEEKDAYS if day in ticked)


class PartsField(forms.MultipleChoiceField):
    """What a mail has in addition to pages, to tick; kept as names."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, **options: Any) -> None:
        labels = {
            parts.CHANGES: gettext_lazy("changes of starred pages and seeds"),
            parts.ALERTS: gettext_lazy("alerts whose pages are not in the mail"),
            parts.TERMS: gettext_lazy("terms that are much more frequent than before"),
            parts.QUIET: gettext_lazy("topics without a new page, if there are several"),
        }
        super().__init__(choices=list(labels.items()), required=False, **options)

    def prepare_value(self, value: Any) -> Any:
        return sorted(parts.parse_parts(value)) if isinstance(value, str) else value

    def clean(self, value: Any) -> str:
        ticked = super().clean(value or [])
        return ", ".join(name for name in parts.NAMES if name in ticked)


class DigestForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """When a topic's digest comes, in which language, and what is in it."""

    #: What most people set; the rest is folded.
    MAIN = ("frequency", "at", "weekdays", "zone", "language", "active")
    field_order = (
        *MAIN,
        *("also_at", "paused_until", "max_items", "min_items", "skip_empty"),
        *("also_topics", "searches", "channels", "besides"),
    )

    weekdays = WeekdaysField(
        label=gettext_lazy("on days"), help_text=gettext_lazy("for weekly digests")
    )

    besides = PartsField(label=gettext_lazy("also in the mail"))

    zone = ZoneField()

    channels = RowsField(
        Channel.objects.none(),
        label=gettext_lazy("copies to"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("other readers and services; each gets a message of its own"),
    )

    class Media:
        js = ("zone.js",)

    class Meta:
        model = Digest
        fields = [
            *("active", "frequency", "at", "also_at", "weekdays", "zone"),
            *("language", "max_items", "min_items", "besides", "skip_empty", "paused_until"),
            *("also_topics", "searches"),
        ]
        field_classes = {"also_topics": RowsField, "searches": RowsField}
        labels = {"frequency": gettext_lazy("how often")}
        help_texts = {
            "min_items": gettext_lazy(
                "fewer pages wait for the next issue, at most a week, of a weekly digest four weeks"
            ),
            "skip_empty": gettext_lazy("if unchecked, an e-mail says that there is nothing new"),
        }
        widgets = {
            "paused_until": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
            "at": forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
            "also_topics": forms.CheckboxSelectMultiple,
            "searches": forms.CheckboxSelectMultiple,
        }

    def __init__(self, topic: Topic, data: Any = None) -> None:
        digest = Digest.objects.filter(topic=topic).first() or Digest(
            topic=topic,
            at=EIGHT,
            zone=settings.TIME_ZONE if topic.zone == "UTC" else topic.zone,
            language=mail_language(),
        )
        super().__init__(data, instance=digest)
        self._offer_parts(topic, digest)
        self.fields["min_items"].required = False
        if digest.pk is None and data is None:
            offer_own_zone(self)

    def _offer_parts(self, topic: Topic, digest: Digest) -> None:
        """Offer what its owner has; a field without a choice is left out."""
        choices: dict[str, QuerySet[Any]] = {
            "also_topics": Topic.objects.visible_to(topic.owner).exclude(pk=topic.pk),
            "searches": SavedSearch.objects.filter(owner=topic.owner),
            "channels": Channel.objects.filter(owner=topic.owner),
        }
        for name, own in choices.items():
            field = self.fields[name]
            assert isinstance(field, forms.ModelMultipleChoiceField)
            field.queryset = own
            if not own.exists():
                del self.fields[name]
        if "channels" in self.fields and digest.pk:
            self.fields["channels"].initial = list(digest.channels.all())

    @property
    def main(self) -> list[forms.BoundField]:
        """The fields that are always shown."""
        return [self[name] for name in self.MAIN]

    @property
    def more(self) -> list[forms.BoundField]:
        """The fields that are folded."""
        return [self[name] for name in self.fields if name not in self.MAIN]

    @property
    def opens_more(self) -> bool:
        """Whether a folded field has an error."""
        return any(field.errors for field in self.more)

    def save_parts(self) -> None:
        """Save further sections and channels, once the digest is stored."""
        self.save_m2m()
        if "channels" in self.fields:
            self.instance.channels.set(self.cleaned_data["channels"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if {"frequency", "at", "weekdays"} <= cleaned.keys():
            wrong = topic_rules.schedule_errors(
                cleaned["frequency"], cleaned["at"], cleaned["weekdays"]
            )
            if "weekdays" in wrong:
                wrong["weekdays"] = _("A weekly digest needs at least one day.")
            for name, message in wrong.items():
                self.add_error(name, message)
        least, most = cleaned.get("min_items"), cleaned.get("max_items")
        if least and most and least > most:
            self.add_error("min_items", _("The minimum must not be above the maximum."))
        return cleaned

    def clean_min_items(self) -> int:
        least: int | None = self.cleaned_data["min_items"]
        return 1 if least is None else least

    def clean_paused_until(self) -> date | None:
        day: date | None = self.cleaned_data["paused_until"]
        # A calendar ends, and no next issue could be planned there.
        if day is not None and not 2000 <= day.year < 2100:
            raise forms.ValidationError(_("Enter a day from 2000 to 2099."))
        return day

    def unsaved(self, now: datetime) -> Digest:
        """Return the digest as the form has it, for a preview.

        A new one, and one that is switched on, covers from now on.
        """
        digest: Digest = self.instance
        if digest._state.adding or (digest.active and "active" in self.changed_data):
            digest.covered_until = now
        if self.is_bound:
            parts = (self.cleaned_data.get(name, ()) for name in ("also_topics", "searches"))
            digest.preview = next(parts), next(parts)
        return digest

    def as_query(self) -> str:
        """What was entered, as part of an address; not where copies go, which is personal."""
        entered = dict(cast(QueryDict, self.data).lists())
        return urlencode({n: entered[n] for n in self.Meta.fields if n in entered}, doseq=True)


class AlertScoreForm(forms.Form):
    """From which score on a fresh page is an alert."""

    score = forms.FloatField(
        label=gettext_lazy("alert threshold"),
        required=False,
        validators=[validate_finite, MinValueValidator(0.0), MaxValueValidator(1.0)],
        widget=forms.NumberInput(attrs={"min": "0", "max": "1", "step": "0.01"}),
        help_text=gettext_lazy("from 0 to 1; empty for none"),
    )

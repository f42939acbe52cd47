"""The forms of channels and alert rules."""

from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from topics.delivery.channels.base import ChannelKind, TargetError
from topics.delivery.channels.registry import channel_kinds, check_address
from topics.delivery.rules.conditions import (
    PAGE_CONDITIONS,
    WRITTEN,
    ConditionError,
    stored_condition,
)
from topics.forms.delivery import mail_language
from topics.forms.topic import RowsField, ZoneField, offer_own_zone
from topics.models import AlertRule, Channel, SavedSearch, Topic
from topics.models.alert_rules import MAX_RULES
from topics.models.channels import MAX_CHANNELS


class ChannelForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """A new channel: its kind, where it leads, and its language."""

    kind = forms.ChoiceField(label=gettext_lazy("kind"))
    #: What was chosen, of a valid form.
    chosen: ChannelKind

    class Meta:
        model = Channel
        fields = ["kind", "name", "target", "language"]

    def __init__(self, owner: Any, data: Any = None) -> None:
        super().__init__(data, instance=Channel(owner=owner, language=mail_language()))
        self._kinds = kinds = channel_kinds()
        kind, target = self.fields["kind"], self.fields["target"]
        assert isinstance(kind, forms.ChoiceField)
        kind.choices = [(name, one.label) for name, one in kinds.items()]
        target.help_text = " · ".join(
            _("%(name)s: %(words)s") % {"name": one.label, "words": one.hint}
            for one in kinds.values()
        )
        self.fields["name"].required = False

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if {"kind", "target"} <= cleaned.keys():
            self.chosen = self._kinds[cleaned["kind"]]
            try:
                target = check_address(self.chosen, cleaned["target"])
            except TargetError as error:
                self.add_error("target", str(error))
                return cleaned
            cleaned["target"] = self.instance.target = target
            cleaned["name"] = cleaned.get("name") or _name_of(cleaned["kind"], target)
            own = Channel.objects.filter(owner=self.instance.owner)
            if own.filter(kind=cleaned["kind"], target=target).exists():
                self.add_error("target", _("You already have a channel with this address."))
            if own.count() >= MAX_CHANNELS:
                self.add_error(None, _("You have 50 channels. Delete one first."))
        return cleaned


def _name_of(kind: str, target: str) -> str:
    """What a channel is called by default: nothing of a URL that may be a password."""
    if kind == "mail":
        return target[:80]
    if kind == "webhook":
        return (urlsplit(target).hostname or kind)[:80]
    scheme, found, _rest = target.partition("://")
    return scheme[:80] if found and scheme else kind


class RuleForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """Which pages are sent, where, and how often."""

    zone = ZoneField()

    class Media:
        js = ("zone.js",)

    class Meta:
        model = AlertRule
        fields = [
            *("name", "watches", "topic", "after_days", "min_score", "term", "query", "search"),
            *("site", "not_site", "new_site", "language", "within_hours", "min_sites"),
            *("channels", "rate", "max_per_day", "quiet_from", "quiet_until", "zone"),
        ]
        field_classes = {"channels": RowsField}
        help_texts = {
            "search": gettext_lazy("only pages that this search finds"),
            "min_score": gettext_lazy("from 0 to 1; empty for any"),
            "term": gettext_lazy("these words, in this order, in the title or text"),
            "after_days": gettext_lazy("if no page comes, or no source can be visited"),
            "query": gettext_lazy(
                "as on the search page, for example title:grid OR /v\\d+/ -site:example.org"
            ),
            "site": gettext_lazy("for example example.org, example.com, with their subdomains"),
            "not_site": gettext_lazy("for example example.org, example.com"),
            "within_hours": gettext_lazy("before it was found; empty for any; at most 168"),
            "min_sites": gettext_lazy("at least so many sites have the same story; empty for any"),
            "language": gettext_lazy("code such as zh or en; empty for any"),
            "max_per_day": gettext_lazy("more alerts wait for the next day"),
            "quiet_from": gettext_lazy("alerts wait until the quiet hours end; none is lost"),
        }
        widgets = {
            "quiet_from": forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
            "quiet_until": forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
            "channels": forms.CheckboxSelectMultiple,
            "min_score": forms.NumberInput(attrs={"min": "0", "max": "1", "step": "0.01"}),
        }

    #: A change of one of these makes the rule check pages from now on only.
    LOOKS_AT = ("watches", "topic", "after_days", *PAGE_CONDITIONS)

    def __init__(self, rule: AlertRule, data: Any = None) -> None:
        super().__init__(data, instance=rule)
        owner = rule.owner
        for name, own in (
            ("topic", Topic.objects.visible_to(owner)),
            ("search", SavedSearch.objects.filter(owner=owner)),
            ("channels", Channel.objects.filter(owner=owner)),
        ):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = own
            if name != "topic" and not own.exists():
                del self.fields[name]
        self.fields["topic"].empty_label = _("all your topics")  # type: ignore[attr-defined]
        for name in ("watches", "after_days"):
            self.fields[name].required = False
        if rule.pk is None and data is None:
            offer_own_zone(self)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name in filter(cleaned.__contains__, WRITTEN):
            try:
                cleaned[name] = stored_condition(name, cleaned[name])
            except ConditionError as error:
                self.add_error(name, str(error))
        if (cleaned.get("quiet_from") is None) != (cleaned.get("quiet_until") is None):
            self.add_error("quiet_until", _("Quiet hours need a beginning and an end."))
        if cleaned.get("watches", AlertRule.Watches.PAGES) != AlertRule.Watches.PAGES:
            for condition in PAGE_CONDITIONS:
                if cleaned.get(condition):
                    self.add_error(condition, _("This is a condition on new pages. Leave it out."))
        name = cleaned.get("name", "")
        others = AlertRule.objects.filter(owner=self.instance.owner).exclude(pk=self.instance.pk)
        if others.filter(name=name).exists():
            self.add_error("name", _("You already have a rule with this name."))
        if others.count() >= MAX_RULES:
            self.add_error(None, _("You have 100 rules. Delete one first."))
        return cleaned

    def clean_watches(self) -> str:
        return self.cleaned_data["watches"] or AlertRule.Watches.PAGES

    def clean_after_days(self) -> int:
        days: int | None = self.cleaned_data["after_days"]
        return 7 if days is None else days

    @property
    def has_channels(self) -> bool:
        """Whether there is a channel to send to."""
        return "channels" in self.fields

    @property
    def groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields under their headings."""
        names = list(self.fields)
        pages = names.index("min_score")
        sending = names.index("min_sites") + 1
        return [
            (_("The rule"), [self[name] for name in names[:pages]]),
            (_("Conditions on a new page"), [self[name] for name in names[pages:sending]]),
            (_("Where and when it is sent"), [self[name] for name in names[sending:]]),
        ]

    @property
    def conditions_changed(self) -> bool:
        """Whether a condition was changed."""
        return any(name in self.changed_data for name in self.LOOKS_AT)

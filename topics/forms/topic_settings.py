"""The form of what people change of a topic without the administration: name and times."""

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from topics.forms.delivery import WeekdaysField
from topics.forms.topic import ZoneField
from topics.models import Topic


class TopicSettingsForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """What a topic is called, and when it runs."""

    weekdays = WeekdaysField(label=_("on days"), help_text=_("for weekly runs"))
    zone = ZoneField()

    class Media:
        js = ("zone.js",)

    class Meta:
        model = Topic
        fields = ["name", "schedule_kind", "every_hours", "at", "weekdays", "zone", "active"]
        labels = {"active": _("crawl on schedule")}
        help_texts = {"active": _("if unchecked, runs start only when you press “Crawl now”")}
        widgets = {"at": forms.TimeInput(attrs={"type": "time"}, format="%H:%M")}

    def _update_errors(self, errors: ValidationError) -> None:
        """Name what this form can mend: a topic that has lost its seeds can be switched off."""
        shown = {*self.fields, "__all__"}
        wrong = {name: said for name, said in errors.error_dict.items() if name in shown}
        if wrong:
            super()._update_errors(ValidationError(wrong))  # type: ignore[misc]  # not in the stubs

    @property
    def times(self) -> list[forms.BoundField]:
        """The fields besides the name."""
        return [self[name] for name in self.fields if name != "name"]

"""The form of a topic, with its terms."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _

from focusweb.plugins import by_name
from topics.models import Topic
from topics.rules import term_key


class TopicForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """A topic; crawl orders and judges are those that are installed."""

    strategy = forms.ChoiceField()
    judge = forms.ChoiceField()

    class Meta:
        model = Topic
        fields = "__all__"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, hook in (("strategy", "strategies"), ("judge", "judges")):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            model_field = Topic._meta.get_field(name)
            field.label = model_field.verbose_name  # type: ignore[union-attr]
            field.initial = model_field.default  # type: ignore[union-attr]
            field.choices = [(found, found) for found in sorted(by_name(hook))]
        if not settings.SEARXNG_URL:
            self.fields["queries"].help_text = _(
                "One search a line. No search engine is set up, so these are kept but not "
                "used: the seed URLs carry the crawl. FOCUSWEB_SEARXNG_URL names one."
            )


class TermFormSet(forms.BaseInlineFormSet):  # type: ignore[type-arg]
    """The terms of a topic; one that stands there twice is refused at its field."""

    def clean(self) -> None:
        super().clean()
        seen: set[str] = set()
        for form in self.forms:
            text = getattr(form, "cleaned_data", {}).get("text", "")
            if not text or form.cleaned_data.get("DELETE"):
                continue
            if term_key(text) in seen:
                form.add_error("text", _("This term stands in the list twice; keep one of them."))
            seen.add(term_key(text))

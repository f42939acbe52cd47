"""The form of a topic, with its terms."""

from typing import Any, ClassVar
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from crawler.api.tables import Ontology
from focusweb.demo.server import SEARCH_HOST
from focusweb.plugins import by_name
from topics.models import Topic
from topics.rules import parameters
from topics.rules.choice_words import choice_label
from topics.rules.topic_rules import term_key
from topics.rules.zones import UTC_NAME, zone_meant, zone_names


class ZoneInput(forms.TextInput):
    """A text field that offers the IANA zones; a new form's UTC becomes the browser's zone."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        listed = f"{(attrs or {}).get('id', name)}_zones"
        field = super().render(name, value, {**(attrs or {}), "list": listed}, renderer)
        options = format_html_join("", '<option value="{}">', ((zone,) for zone in zone_names()))
        return format_html('{}<datalist id="{}">{}</datalist>', field, listed, options)


#: Digits that the number of a row has at most.
_MAX_DIGITS = 18


class RowsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # not generic at run time
    """Rows to tick; a number that no table can hold is refused like any other wrong one."""

    def clean(self, value: Any) -> Any:
        for number in value or ():
            if len(str(number)) > _MAX_DIGITS:
                raise forms.ValidationError(
                    self.error_messages["invalid_choice"],
                    code="invalid_choice",
                    params={"value": number},
                )
        return super().clean(value)


class ZoneField(forms.CharField):
    """The name of a time zone; the model refuses what is none."""

    widget = ZoneInput

    def __init__(self, **options: Any) -> None:
        super().__init__(
            label=capfirst(_lazy("time zone")),
            help_text=_lazy("for example Asia/Shanghai"),
            max_length=60,
            **options,
        )

    def to_python(self, value: Any) -> str:
        return zone_meant(super().to_python(value) or "")


def offer_own_zone(form: forms.BaseForm) -> None:
    """The browser replaces UTC by its own zone, as the user has not chosen yet."""
    form.fields["zone"].widget.attrs["data-own-zone"] = ""


class ParametersField(forms.CharField):
    """Settings of a strategy or judge, one `name = number` a line; empty for the defaults."""

    widget = forms.Textarea(attrs={"rows": 3, "class": "parameters"})

    def prepare_value(self, value: Any) -> Any:
        return parameters.parameter_lines(value) if isinstance(value, dict) else value

    def to_python(self, value: Any) -> Any:
        return parameters.read_written(super().to_python(value) or "")

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)


def parameter_help(hook: str) -> SafeString:
    """Return the parameters of each kind, in a closed list that can be opened."""
    kinds = format_html_join(
        "",
        "<li><strong>{}</strong><br>{}</li>",
        (
            (kind, format_html_join("", "{}<br>", ((line,) for line in lines)))
            for kind, lines in parameters.described(hook)
        ),
    )
    return format_html(
        "{}<details><summary>{}</summary><ul>{}</ul></details>",
        _("one per line, as name = number; empty for the defaults"),
        _("available settings"),
        kinds,
    )


def choices_of(hook: str, present: str) -> list[tuple[str, str]]:
    """What is installed, and what the topic has now.

    Without the latter a form for anything else would quietly put the first one in its place;
    so it is refused until a user chooses.
    """
    known = by_name(hook)
    gone = _("%(name)s (unavailable: its plugin is not loaded)") % {"name": present}
    return [
        (name, choice_label(hook, name) if name in known else gone)
        for name in sorted({*known, present})
    ]


class OwnedForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """The form of something that belongs to a person, also where it has no field for that."""

    #: Who owns what is made by this form; the administration says it.
    maker: ClassVar[Any] = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is None and self.maker is not None:
            self.instance.owner = self.maker


class OntologyForm(OwnedForm):
    """An ontology without its concepts."""

    class Meta:
        model = Ontology
        fields = ["title", "slug", "shared", "owner"]


class TopicForm(OwnedForm):
    """A topic; strategies, judges and rankings are those that are installed."""

    strategy = forms.ChoiceField()
    judge = forms.ChoiceField()
    ranker = forms.ChoiceField()
    zone = ZoneField(initial=UTC_NAME)
    strategy_parameters = ParametersField(required=False, strip=False)
    judge_parameters = ParametersField(required=False, strip=False)

    class Meta:
        model = Topic
        fields = "__all__"

    class Media:
        js = ("zone.js",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = {"strategy": "strategies", "judge": "judges", "ranker": "rankers"}
        for name, hook in offered.items():
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            model_field = Topic._meta.get_field(name)
            field.label = capfirst(model_field.verbose_name)  # type: ignore[union-attr]
            field.initial = model_field.default  # type: ignore[union-attr]
            field.choices = choices_of(hook, getattr(self.instance, name))
            if name == "ranker":
                field.help_text = model_field.help_text  # type: ignore[union-attr]
                continue
            numbers = self.fields[f"{name}_parameters"]
            numbers_field = Topic._meta.get_field(f"{name}_parameters")
            numbers.label = capfirst(numbers_field.verbose_name)  # type: ignore[union-attr]
            numbers.help_text = parameter_help(hook)
        if self.instance.pk is None and not self.is_bound:
            offer_own_zone(self)
        if not settings.SEARXNG_URL:
            self.fields["queries"].help_text = _(
                "One search query per line. No search engine is set up, so the queries are "
                "stored but not used. To use them, set FOCUSWEB_SEARXNG_URL."
            )
        elif urlsplit(settings.SEARXNG_URL).hostname == SEARCH_HOST:
            self.fields["queries"].help_text = _(
                "One search query per line. The demo's search engine answers them; it covers "
                "only the demo web. To use another one, set FOCUSWEB_SEARXNG_URL."
            )


class LabelledFormSet(forms.BaseInlineFormSet):  # type: ignore[type-arg]
    """Rows of a table. Each field gets an accessible name, as a column's title is not its label."""

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        for field in form.fields.values():
            # The administration wraps the fields that lead to other rows.
            widget = getattr(field.widget, "widget", field.widget)
            if field.label and not widget.is_hidden:
                widget.attrs.setdefault("aria-label", capfirst(field.label))


class TermFormSet(LabelledFormSet):
    """The terms of a topic; one that is listed twice is refused at its field."""

    def clean(self) -> None:
        super().clean()
        seen: set[str] = set()
        for form in self.forms:
            text = getattr(form, "cleaned_data", {}).get("text", "")
            if not text or form.cleaned_data.get("DELETE"):
                continue
            if term_key(text) in seen:
                form.add_error("text", _("This term is listed twice. Keep only one."))
            seen.add(term_key(text))

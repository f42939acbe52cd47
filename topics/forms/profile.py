"""The forms of a topic's profile: its terms and the settings the preview moves."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.forms import inlineformset_factory
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from crawler.api.profiles import WeightedTerm
from topics.forms.topic import TermFormSet, choices_of
from topics.models import Topic, TopicTerm
from topics.profile.preview import ProfileDraft
from topics.rules.topic_rules import term_key

#: Characters of a pasted example.
MAX_PASTED = 100_000


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """How a topic's pages are judged and ranked."""

    judge = forms.ChoiceField(label=gettext_lazy("relevance judge"))
    ranker = forms.ChoiceField(label=gettext_lazy("ranking"))
    #: What the form was filled from: a user must see the last change before saving.
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    class Meta:
        model = Topic
        fields = ["judge", "threshold", "link_weight", "link_scale", "ranker", "half_life_days"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, hook in (("judge", "judges"), ("ranker", "rankers")):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = choices_of(hook, getattr(self.instance, name))
        for name in ("ranker", "link_scale"):
            self.fields[name].required = False
        self.fields["seen"].initial = self.instance.crawl.version if self.instance.crawl else 0
        for name in ("threshold", "link_weight"):
            self.fields[name].widget.attrs.update(min="0", max="1", step="0.05")
        # Here, as the weight of the content is derived from it before the topic is validated.
        self.fields["link_weight"].validators += [MinValueValidator(0.0), MaxValueValidator(1.0)]

    def clean(self) -> dict[str, Any]:
        """The two weights add up to 1: one of them decides."""
        cleaned = super().clean() or {}
        for name in ("ranker", "link_scale"):
            # A form that leaves them out leaves them as they are.
            if name not in self.errors and not cleaned.get(name):
                cleaned[name] = getattr(self.instance, name)
        if "half_life_days" not in self.data:
            cleaned["half_life_days"] = self.instance.half_life_days
        weight = cleaned.get("link_weight")
        if weight is not None:
            self.instance.content_weight = round(1.0 - weight, 6)
        if "judge" in self.changed_data:
            # They are settings of the judge there was.
            self.instance.judge_parameters = {}
        return cleaned

    def _get_validation_exclusions(self) -> set[str]:
        """A user can change the terms although a ranking is missing for a while."""
        kept = {"ranker"} if self.cleaned_data.get("ranker") == self.instance.ranker else set()
        return super()._get_validation_exclusions() | kept  # type: ignore[misc,no-any-return]

    def is_outdated(self) -> bool:
        """True if the topic was changed since the form was shown."""
        version = self.instance.crawl.version if self.instance.crawl else 0
        seen = self.cleaned_data.get("seen")
        return seen is not None and seen != version


TermForms = inlineformset_factory(
    Topic,
    TopicTerm,
    formset=TermFormSet,
    fields=["text", "weight", "required", "excluded"],
    extra=2,
    can_delete=True,
)


class AddTermForm(forms.Form):
    """One more term of a topic, with the usual weight."""

    text = forms.CharField(max_length=80)

    def __init__(self, data: QueryDict, *, topic: Topic) -> None:
        super().__init__(data)
        self.topic = topic

    def clean_text(self) -> str:
        """Refuse a term that the topic has already, and what no term can be."""
        text: str = self.cleaned_data["text"]
        known = self.topic.terms.values_list("text", flat=True)
        if term_key(text) in map(term_key, known):
            raise ValidationError(_("The topic has this term already."))
        TopicTerm(topic=self.topic, text=text).full_clean()
        return text

    def save(self) -> TopicTerm:
        """Add the term to the topic; only for a valid form."""
        return TopicTerm.objects.create(topic=self.topic, text=self.cleaned_data["text"])


def draft_of(form: ProfileForm, terms: Any) -> ProfileDraft:
    """Return the content of two valid forms, as a draft."""
    rows = [row.cleaned_data for row in terms.forms if row.cleaned_data.get("text")]
    return ProfileDraft(
        terms=tuple(
            WeightedTerm(row["text"], row["weight"], row["required"], row["excluded"])
            for row in rows
            if not row.get("DELETE")
        ),
        judge=form.cleaned_data["judge"],
        threshold=form.cleaned_data["threshold"],
        link_weight=form.cleaned_data["link_weight"],
        link_scale=form.cleaned_data["link_scale"],
        ranker=form.cleaned_data["ranker"],
    )


class ExampleForm(forms.Form):
    """A page that shows what the topic is, or is not."""

    url = forms.CharField(label=gettext_lazy("URL"), required=False, max_length=2000)
    text = forms.CharField(
        label=gettext_lazy("or paste its text"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    good = forms.TypedChoiceField(
        label=gettext_lazy("this page is"),
        coerce=lambda value: value == "1",
        choices=[("1", gettext_lazy("relevant")), ("0", gettext_lazy("not relevant"))],
    )

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"]
        if len(text) > MAX_PASTED:
            raise forms.ValidationError(
                _("The text has %(count)d characters; the limit is %(limit)d. Paste a part of it.")
                % {"limit": MAX_PASTED, "count": len(text)}
            )
        return text

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and bool(cleaned.get("url")) == bool(cleaned.get("text", "").strip()):
            self.add_error("url", _("Enter either a URL or a text."))
        return cleaned

"""The parts of a topic in its form of the administration: terms, concepts, example pages."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from crawler.api.tables import Concept, Ontology
from topics.errors import TopicError
from topics.forms.profile import MAX_PASTED
from topics.forms.topic import LabelledFormSet, TermFormSet
from topics.models import AttachedConcept, ExamplePage, TopicTerm
from topics.profile import examples
from topics.profile.concepts import check_languages


class TermInline(admin.TabularInline):  # type: ignore[type-arg]  # not generic at run time
    """Weighted terms."""

    model = TopicTerm
    formset = TermFormSet
    extra = 3


class ConceptFormSet(LabelledFormSet):
    """The concepts of a topic; one in no language of the topic is refused at its field."""

    def clean(self) -> None:
        super().clean()
        for form in self.forms:
            concept = getattr(form, "cleaned_data", {}).get("concept")
            if concept is None or form in self.deleted_forms:
                continue
            try:
                check_languages(self.instance, concept)
            except ValidationError as error:
                form.add_error("concept", error)


class ConceptInline(admin.TabularInline):  # type: ignore[type-arg]
    """Concepts whose names the topic looks for."""

    model = AttachedConcept
    formset = ConceptFormSet
    autocomplete_fields = ["concept"]
    extra = 1

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Offer concepts of ontologies that the person may see."""
        if db_field.name == "concept":
            visible = Ontology.objects.visible_to(request.user)
            kwargs["queryset"] = Concept.objects.filter(ontology__in=visible)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)


class ExampleAdminForm(forms.ModelForm):  # type: ignore[type-arg]
    """An example page: a URL or a pasted text. Of one that is stored, only `good` changes."""

    class Meta:
        model = ExamplePage
        fields = ["good", "url", "text"]
        widgets = {"url": forms.TextInput, "text": forms.Textarea(attrs={"rows": 2})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].widget.attrs["maxlength"] = MAX_PASTED
        for name in ("url", "text"):
            self.fields[name].disabled = self.instance.pk is not None

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        url, text = given.get("url", ""), given.get("text", "")
        if self.instance.pk is None and bool(url) == bool(text):
            raise ValidationError(_("Enter a URL or paste a text, not both."))
        try:
            examples.fill_example(self.instance, url, text[:MAX_PASTED], timezone.now())
        except TopicError as error:
            raise ValidationError(str(error)) from error
        given["url"] = self.instance.url
        return given


class ExampleFormSet(LabelledFormSet):
    """The example pages of a topic; each URL once."""

    def clean(self) -> None:
        super().clean()
        left = [form for form in self.forms if form not in self.deleted_forms]
        urls = [form.instance.url for form in left if form.instance.url]
        if len(urls) != len(set(urls)):
            raise ValidationError(_("This URL is listed twice. Keep only one."))
        if sum(bool(form.instance.url or form.instance.text) for form in left) > (
            examples.MAX_EXAMPLES
        ):
            raise ValidationError(examples.no_room())


class ExampleInline(admin.TabularInline):  # type: ignore[type-arg]
    """Pages that show what the topic is about, and pages that only look similar."""

    model = ExamplePage
    form = ExampleAdminForm
    formset = ExampleFormSet
    extra = 1
    readonly_fields = ("state",)

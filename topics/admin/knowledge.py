"""Ontologies by hand: concepts, labels, relations and degrees."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from crawler.api.tables import Concept, Label, Ontology, Relation
from topics.forms.topic import LabelledFormSet, OntologyForm
from topics.profile.ontologies import delete_ontology
from topics.profile.ontology_use import OntologyUse, detach_hidden, note_change, use_of
from topics.views.sentences import use_sentence


def _may_edit(request: HttpRequest, ontology: Ontology) -> bool:
    return Ontology.objects.editable_by(request.user).filter(pk=ontology.pk).exists()


def _note(request: HttpRequest, ontology: Ontology, use: OntologyUse) -> None:
    now = timezone.now()
    ontology.touch(now)
    note_change(ontology, use, now, by=request.user)


def _warn(request: HttpRequest, ontology: Ontology) -> None:
    """Show who uses the ontology on the pages that change or delete it."""
    sentence = use_sentence(use_of(ontology))
    if sentence and "post" not in request.POST:
        messages.warning(request, f"{ontology.title}: {sentence}")


class _Warned(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows of an ontology: its owner changes them, warned of who else uses it."""

    def ontology_of(self, row: Any) -> Ontology:
        raise NotImplementedError

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        may = super().has_change_permission(request, obj)
        return may and (obj is None or _may_edit(request, self.ontology_of(obj)))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        may = super().has_delete_permission(request, obj)
        return may and (obj is None or _may_edit(request, self.ontology_of(obj)))

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        for ontology in {self.ontology_of(row) for row in objs}:
            _warn(request, ontology)
        return super().get_deleted_objects(objs, request)

    def render_change_form(
        self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        row = kwargs.get("obj")
        if row is not None and self.has_change_permission(request, row):
            _warn(request, self.ontology_of(row))
        return super().render_change_form(request, context, *args, **kwargs)


class LabelForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at run time
    """A label, with its language as files give it: topics look for it so."""

    class Meta:
        model = Label
        fields = ["text", "language", "kind"]

    def clean_language(self) -> str:
        return str(self.cleaned_data["language"]).lower().replace("_", "-")


class LabelInline(admin.TabularInline):  # type: ignore[type-arg]  # not generic at run time
    model = Label
    form = LabelForm
    formset = LabelledFormSet
    extra = 2


class RelationInline(admin.TabularInline):  # type: ignore[type-arg]
    """Relations out of a concept; those into it are listed at the other concept."""

    model = Relation
    fk_name = "source"
    formset = LabelledFormSet
    autocomplete_fields = ["target"]
    extra = 2


@admin.register(Ontology)
class OntologyAdmin(_Warned):
    """Ontologies: a person's own, and those of others that are shared, read-only."""

    list_display = ["title", "owner", "shared", "slug", "changed"]
    list_select_related = ["owner"]
    form = OntologyForm
    prepopulated_fields = {"slug": ["title"]}

    def ontology_of(self, row: Ontology) -> Ontology:
        return row

    def get_queryset(self, request: HttpRequest) -> QuerySet[Ontology]:
        return Ontology.objects.visible_to(request.user)

    def get_fields(self, request: HttpRequest, obj: Ontology | None = None) -> Any:
        return ["title", "slug", "shared", *(["owner"] if request.user.is_superuser else [])]

    def get_prepopulated_fields(self, request: HttpRequest, obj: Ontology | None = None) -> Any:
        # A read-only page has no fields to fill in.
        return self.prepopulated_fields if self.has_change_permission(request, obj) else {}

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"owner": request.user.pk, **super().get_changeform_initial_data(request)}

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        form: Any = super().get_form(request, obj, change, **kwargs)
        form.maker = request.user  # the class is created for each request
        return form

    def save_model(self, request: HttpRequest, obj: Ontology, form: Any, change: bool) -> None:
        obj.changed = timezone.now()
        super().save_model(request, obj, form, change)
        detach_hidden(obj, obj.changed)

    def delete_model(self, request: HttpRequest, obj: Ontology) -> None:
        delete_ontology(obj, timezone.now(), by=request.user)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Ontology]) -> None:
        for ontology in queryset:
            delete_ontology(ontology, timezone.now(), by=request.user)


@admin.register(Concept)
class ConceptAdmin(_Warned):
    """Concepts; whatever is changed reaches the topics that use the ontology."""

    list_display = ["shown_name", "ontology", "iri"]
    list_filter = [("ontology", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["ontology"]
    ordering = ["ontology", "iri"]
    search_fields = ["labels__text", "iri"]
    inlines = [LabelInline, RelationInline]
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Concept]:
        visible = Ontology.objects.visible_to(request.user)
        concepts: QuerySet[Concept] = super().get_queryset(request)
        return concepts.filter(ontology__in=visible).prefetch_related("labels")

    def ontology_of(self, row: Concept) -> Ontology:
        return row.ontology

    def get_readonly_fields(self, request: HttpRequest, obj: Concept | None = None) -> Any:
        return [] if obj is None else ["ontology"]

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "ontology":
            kwargs["queryset"] = Ontology.objects.editable_by(request.user)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    @admin.display(description=_("concept"))
    def shown_name(self, concept: Concept) -> str:
        return concept.name()

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        _note(request, form.instance.ontology, use_of(form.instance.ontology))

    def delete_model(self, request: HttpRequest, obj: Concept) -> None:
        ontology, use = obj.ontology, use_of(obj.ontology, [obj.pk])
        super().delete_model(request, obj)
        _note(request, ontology, use)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Concept]) -> None:
        keys = list(queryset.values_list("pk", flat=True))
        touched = list(Ontology.objects.filter(concepts__in=queryset).distinct())
        uses = [(ontology, use_of(ontology, keys)) for ontology in touched]
        super().delete_queryset(request, queryset)
        for ontology, use in uses:
            _note(request, ontology, use)

"""Ontologies by hand: concepts, labels, relations and degrees."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from crawler.models import Concept, Label, Ontology, Relation
from topics.ontologies import note_change


class LabelInline(admin.TabularInline):  # type: ignore[type-arg]  # not generic at run time
    model = Label
    extra = 2


class RelationInline(admin.TabularInline):  # type: ignore[type-arg]
    """Relations out of a concept; those into it stand at the other concept."""

    model = Relation
    fk_name = "source"
    autocomplete_fields = ["target"]
    extra = 2


@admin.register(Ontology)
class OntologyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    list_display = ["title", "slug", "changed"]
    prepopulated_fields = {"slug": ["title"]}

    def save_model(self, request: HttpRequest, obj: Ontology, form: Any, change: bool) -> None:
        obj.changed = timezone.now()
        super().save_model(request, obj, form, change)


@admin.register(Concept)
class ConceptAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Concepts; whatever is changed reaches the topics that use the ontology."""

    list_display = ["shown_name", "ontology", "iri"]
    list_filter = ["ontology"]
    list_select_related = ["ontology"]
    search_fields = ["labels__text", "iri"]
    inlines = [LabelInline, RelationInline]
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Concept]:
        return super().get_queryset(request).prefetch_related("labels")

    @admin.display(description=_("concept"))
    def shown_name(self, concept: Concept) -> str:
        return concept.name()

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        note_change(form.instance.ontology, timezone.now())

    def delete_model(self, request: HttpRequest, obj: Concept) -> None:
        ontology = obj.ontology
        super().delete_model(request, obj)
        note_change(ontology, timezone.now())

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Concept]) -> None:
        touched = list(Ontology.objects.filter(concepts__in=queryset).distinct())
        super().delete_queryset(request, queryset)
        for ontology in touched:
            note_change(ontology, timezone.now())

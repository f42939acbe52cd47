"""Ontologies: concepts, their labels, the relations between them, and whose they are."""

import math
import uuid
from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Any, Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from crawler.knowledge.ontology import concepts as core
from crawler.knowledge.ontology.concept_graph import ConceptGraph


def validate_degree(value: float) -> None:
    """Above 0 and at most 1; nan is neither."""
    if not (math.isfinite(value) and 0 < value <= 1):
        raise ValidationError(gettext("A degree is a number above 0 and at most 1."), code="degree")


class OntologyQuerySet(models.QuerySet["Ontology"]):
    """Permissions for ontologies: every page, form, command and search uses these methods."""

    def visible_to(self, user: Any) -> Self:
        """Keep ontologies that a person may see, use and export."""
        if user.is_superuser:
            return self
        return self.filter(models.Q(owner=user.pk) | models.Q(shared=True))

    def editable_by(self, user: Any) -> Self:
        """Keep ontologies that a person may replace, edit and delete."""
        return self if user.is_superuser else self.filter(owner=user.pk)

    def named(self, name: str) -> Self:
        """Keep ontologies of a short name, `person/short name`, or `/short name` for those without
        owner.
        """
        person, slash, slug = name.rpartition("/")
        found = self.filter(slug=slug)
        if not slash:
            return found
        return found.filter(owner__username=person) if person else found.filter(owner=None)


class Ontology(models.Model):
    """A named concept graph."""

    #: None: it came with the program, or its owner is gone; only administrators change it.
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="ontologies",
        verbose_name=_("owner"),
    )
    shared = models.BooleanField(
        _("shared"),
        default=False,
        help_text=_("other users can use and export it, but not change it"),
    )
    slug = models.SlugField(_("short name"), max_length=80, allow_unicode=True)
    title = models.CharField(_("name"), max_length=200)
    #: Another one after every change, so that graphs in memory are known to be old.
    revision = models.UUIDField(default=uuid.uuid4, editable=False)
    changed = models.DateTimeField(_("changed"), editable=False)

    objects = OntologyQuerySet.as_manager()

    class Meta:
        verbose_name = _("ontology")
        verbose_name_plural = _("ontologies")
        ordering = ["title", "pk"]
        constraints = [
            # Rows without an owner do not count here: two of them may share a name.
            models.UniqueConstraint(fields=["owner", "slug"], name="one_ontology_per_name")
        ]

    def __str__(self) -> str:
        return self.title

    def full_name(self) -> str:
        """Return the unique name on a command line; see `OntologyQuerySet.named`."""
        return f"{self.owner.get_username() if self.owner else ''}/{self.slug}"

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        """Refuse a short name that another ontology of its owner has, at its field.

        Here, as a form for people who own what they make has no field for the owner.
        """
        others = Ontology.objects.filter(owner=self.owner_id, slug=self.slug).exclude(pk=self.pk)
        if "slug" not in (exclude or ()) and self.owner_id is not None and others.exists():
            raise ValidationError(
                {
                    "slug": gettext(
                        "The owner already has an ontology with this short name. "
                        "Choose another one."
                    )
                }
            )
        super().validate_constraints(exclude)

    def touch(self, now: datetime) -> None:
        """Note that something of it changed."""
        self.revision, self.changed = uuid.uuid4(), now
        self.save(update_fields=["revision", "changed"])

    def graph(self) -> ConceptGraph:
        """Read the whole graph, with three queries whatever its size.

        Raises
        ------
        crawler.knowledge.ontology.concepts.OntologyError
            If a row breaks a rule of the graph; forms and imports refuse them.
        """
        labels: dict[int, list[core.Label]] = defaultdict(list)
        rows = Label.objects.filter(concept__ontology=self)
        for key, *label in rows.values_list("concept_id", "text", "language", "kind"):
            labels[key].append(core.Label(*label))
        for found in labels.values():
            found.sort(key=lambda x: (core.LABEL_KINDS.index(x.kind), x.language, x.text))
        names = dict(self.concepts.values_list("pk", "iri"))
        relations = Relation.objects.filter(source__ontology=self)
        return ConceptGraph(
            (core.Concept(iri, tuple(labels[key])) for key, iri in names.items()),
            (
                core.Relation(names[source], core.RelationKind(kind), names[target], degree)
                for source, kind, target, degree in relations.values_list(
                    "source_id", "kind", "target_id", "degree"
                )
            ),
        )


class Concept(models.Model):
    """A node of an ontology."""

    ontology = models.ForeignKey(
        Ontology, on_delete=models.CASCADE, related_name="concepts", verbose_name=_("ontology")
    )
    iri = models.CharField(
        _("identifier"), max_length=2000, help_text=_("an IRI; FocusWeb never opens it")
    )

    class Meta:
        verbose_name = _("concept")
        verbose_name_plural = _("concepts")
        constraints = [
            models.UniqueConstraint(fields=["ontology", "iri"], name="one_concept_per_iri")
        ]

    def __str__(self) -> str:
        return self.name()

    def name(self, language: str = "") -> str:
        """The label to show in a language, else the identifier."""
        labels = tuple(core.Label(x.text, x.language, x.kind) for x in self.labels.all())
        return core.Concept(self.iri, labels).name(language)


class Label(models.Model):
    """One name of a concept."""

    class Kind(models.TextChoices):
        PREFERRED = core.PREFERRED, _("preferred")
        ALTERNATIVE = core.ALTERNATIVE, _("alternative")
        HIDDEN = core.HIDDEN, _("hidden (matched, never shown)")

    concept = models.ForeignKey(Concept, on_delete=models.CASCADE, related_name="labels")
    text = models.CharField(_("label"), max_length=500)
    language = models.CharField(
        _("language"), max_length=40, blank=True, help_text=_("such as zh or en")
    )
    kind = models.CharField(_("kind"), max_length=12, choices=Kind.choices, default=Kind.PREFERRED)

    class Meta:
        verbose_name = _("label")
        verbose_name_plural = _("labels")
        constraints = [
            models.UniqueConstraint(
                fields=["concept", "language", "text"], name="one_label_per_language"
            )
        ]

    def __str__(self) -> str:
        return self.text


class Relation(models.Model):
    """A stated relation: the target is the `kind` of the source."""

    class Kind(models.TextChoices):
        SYNONYM = core.RelationKind.SYNONYM, _("means the same as")
        HAS = core.RelationKind.HAS, _("has part")
        ONE_OF = core.RelationKind.ONE_OF, _("is part of")
        IS_A = core.RelationKind.IS_A, _("includes (narrower)")
        KIND_OF = core.RelationKind.KIND_OF, _("is a kind of (broader)")

    source = models.ForeignKey(
        Concept, on_delete=models.CASCADE, related_name="relations", verbose_name=_("concept")
    )
    kind = models.CharField(_("relation"), max_length=8, choices=Kind.choices)
    target = models.ForeignKey(
        Concept,
        on_delete=models.CASCADE,
        related_name="related_from",
        verbose_name=_("other concept"),
    )
    degree = models.FloatField(
        _("degree"),
        null=True,
        blank=True,
        validators=[validate_degree],
        help_text=_("how strongly the two are related, from 0 to 1; empty for the default"),
    )

    class Meta:
        verbose_name = _("relation")
        verbose_name_plural = _("relations")
        constraints = [
            models.UniqueConstraint(
                fields=["source", "kind", "target"], name="one_relation_per_fact"
            ),
            models.CheckConstraint(
                condition=~models.Q(source=models.F("target")), name="no_relation_to_itself"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source_id} {self.kind} {self.target_id}"

    def clean(self) -> None:
        """Refuse a relation that no graph may hold."""
        if not (self.source_id and self.target_id):
            return  # a form that left one out has said so already
        if self.source_id == self.target_id:
            raise ValidationError(
                {"target": gettext("A concept cannot be related to itself; choose another one.")}
            )
        if self.source.ontology_id != self.target.ontology_id:
            raise ValidationError(
                {"target": gettext("Both concepts must be of the same ontology.")}
            )

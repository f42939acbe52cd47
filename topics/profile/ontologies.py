"""Ontologies come in, as a whole or not at all, and go out as Turtle."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Any

from django.utils.text import slugify
from django.utils.translation import gettext as _

from crawler.api.ontologies import ParsedOntology, read_ontology, write_turtle
from crawler.api.tables import Concept, Label, Ontology, Relation, chunks, insert_rows
from focusweb.database import write_transaction
from focusweb.failpoints import pass_point
from topics.errors import TopicError
from topics.models import OntologyNotice, Topic
from topics.profile import concepts
from topics.profile.crawl import save_crawl
from topics.profile.ontology_use import OntologyUse, detach_hidden, note_change, use_of

MAX_TITLE = 200
MAX_SLUG = 80

LabelKey = tuple[str, str, str, str]  # identifier, language, text, kind
RelationKey = tuple[str, str, str, float | None]  # source, kind, target, degree
_Rows = tuple[dict[str, int], dict[LabelKey, int], dict[RelationKey, int]]


@dataclass(frozen=True, slots=True)
class OntologyChanges:
    """What an import would do, or did, to the rows that are stored."""

    concepts_added: int = 0
    concepts_removed: int = 0
    labels_added: int = 0
    labels_removed: int = 0
    relations_added: int = 0
    relations_removed: int = 0

    @property
    def total(self) -> int:
        """Rows in all; 0 when the same file is imported again."""
        return sum(getattr(self, name) for name in self.__slots__)


@dataclass(frozen=True, slots=True)
class _Difference:
    """Stored rows by their content, and the content of the file."""

    ids: Mapping[str, int]
    labels: Mapping[LabelKey, int]
    relations: Mapping[RelationKey, int]
    new_ids: frozenset[str]
    new_labels: frozenset[LabelKey]
    new_relations: frozenset[RelationKey]

    def lost_concepts(self) -> list[int]:
        """Keys of the stored concepts that the file does not have."""
        return [key for iri, key in self.ids.items() if iri not in self.new_ids]

    def changes(self) -> OntologyChanges:
        """Count what differs."""
        return OntologyChanges(
            concepts_added=len(self.new_ids - self.ids.keys()),
            concepts_removed=len(self.ids.keys() - self.new_ids),
            labels_added=len(self.new_labels - self.labels.keys()),
            labels_removed=len(self.labels.keys() - self.new_labels),
            relations_added=len(self.new_relations - self.relations.keys()),
            relations_removed=len(self.relations.keys() - self.new_relations),
        )


def clean_title(title: str) -> str:
    """The name of an ontology as it is stored.

    Raises
    ------
    TopicError
        If nothing in it can be read aloud.
    """
    title = " ".join(title.split())[:MAX_TITLE]
    if not slugify(title, allow_unicode=True):
        raise TopicError(_("The ontology needs a name with at least one letter or digit."))
    return title


def slug_of(title: str) -> str:
    """Return the unique name of an ontology among its owner's: the title, spelled for URLs."""
    return slugify(title, allow_unicode=True)[:MAX_SLUG]


def find_ontology(title: str, owner: Any) -> Ontology | None:
    """Return a user's ontology of a name; one without owner if `owner` is None."""
    return Ontology.objects.filter(owner=owner, slug=slug_of(title)).order_by("pk").first()


def planned_changes(read: ParsedOntology, ontology: Ontology | None) -> OntologyChanges:
    """Return what saving over an ontology, or a new one, would change; nothing is written."""
    return _difference(ontology, read).changes()


@write_transaction()
def save_ontology(
    read: ParsedOntology, title: str, now: datetime, *, owner: Any
) -> tuple[Ontology, OntologyChanges]:
    """Make the owner's ontology of this name what was read, all or nothing.

    Rows that do not differ stay as they are, so the same file again changes none. Topics that use
    the ontology are updated, and their owners are notified.

    Parameters
    ----------
    owner : user or None
        None for what comes with the program: it is shared.

    Raises
    ------
    TopicError
        If the name is none.
    """
    title = clean_title(title)
    pass_point("import.parsed")
    ontology = find_ontology(title, owner)
    if ontology is None:
        ontology, _created = Ontology.objects.get_or_create(
            owner=owner,
            slug=slug_of(title),
            defaults={"title": title, "changed": now, "shared": owner is None},
        )
    difference = _difference(ontology, read)
    changes = difference.changes()
    if changes.total:
        use = use_of(ontology, difference.lost_concepts())
        _remove(difference)
        _add(ontology, difference)
        ontology.touch(now)
        note_change(ontology, use, now, by=owner)
    return ontology, changes


@write_transaction()
def delete_ontology(ontology: Ontology, now: datetime, *, by: Any) -> OntologyUse:
    """Delete an ontology and notify the owners of topics that used it; return its use."""
    use = use_of(ontology, ontology.concepts.values_list("pk", flat=True))
    ontology.delete()
    note_change(ontology, use, now, by=by, what=OntologyNotice.What.DELETED)
    return use


@write_transaction()
def set_shared(ontology: Ontology, shared: bool, now: datetime) -> None:
    """Share an ontology, or end that and notify its users."""
    ontology.shared = shared
    ontology.save(update_fields=["shared"])
    detach_hidden(ontology, now)


@write_transaction()
def copy_ontology(ontology: Ontology, now: datetime, *, owner: Any) -> Ontology:
    """Copy an ontology under a name that `owner` has not used yet; return the copy."""
    title = free_title(ontology.title, slugs_of(owner))
    copy = Ontology.objects.create(owner=owner, slug=slug_of(title), title=title, changed=now)
    ids, labels, relations = _stored_rows(ontology)
    wanted = frozenset(ids), frozenset(labels), frozenset(relations)
    _add(copy, _Difference({}, {}, {}, *wanted))
    return copy


def slugs_of(owner: Any) -> set[str]:
    """Return the short names of a user's ontologies."""
    return set(Ontology.objects.filter(owner=owner).values_list("slug", flat=True))


def free_title(title: str, taken: Collection[str]) -> str:
    """Return a title, with a number if its short name is taken."""
    names = chain([title], (_numbered(title, number) for number in count(2)))
    return next(name for name in names if slug_of(name) not in taken)


def _numbered(title: str, number: int) -> str:
    """Return a title with a number, cut so that its short name holds the number, too."""
    title = title[: MAX_TITLE - 10]
    while len(slugify(f"{title} ({number})", allow_unicode=True)) > MAX_SLUG:
        title = title[:-1]
    return f"{title.rstrip()} ({number})"


def export_turtle(ontology: Ontology) -> str:
    """Return the ontology as Turtle that reads back to the same graph."""
    return write_turtle(ontology.graph(), ontology.title)


def attach_demo(topic: Topic, folder: Path, now: datetime) -> int:
    """Import the sample ontology of a sample topic and attach what its terms name.

    Parameters
    ----------
    folder : Path
        Holds the file of the topic's own short name; without one nothing is done.

    Returns
    -------
    int
        Concepts attached.
    """
    file = folder / f"{topic.slug}.ttl"
    if not file.is_file():
        return 0
    read = read_ontology(file.read_bytes())
    ontology, _changes = save_ontology(read, read.title or topic.slug, now, owner=None)
    attached = sum(concepts.attach(topic, c) for c in concepts.named_concepts(topic, ontology))
    save_crawl(topic, now)
    return attached


def _difference(ontology: Ontology | None, read: ParsedOntology) -> _Difference:
    return _Difference(
        *_stored_rows(ontology),
        frozenset(concept.id for concept in read.concepts),
        frozenset((c.id, x.language, x.text, x.kind) for c in read.concepts for x in c.labels),
        frozenset((r.source, str(r.kind), r.target, r.degree) for r in read.relations),
    )


def _stored_rows(ontology: Ontology | None) -> _Rows:
    """Read the stored concepts, labels and relations, with the key of each row."""
    if ontology is None:
        return {}, {}, {}
    labels = Label.objects.filter(concept__ontology=ontology).values_list(
        "pk", "concept__iri", "language", "text", "kind"
    )
    relations = Relation.objects.filter(source__ontology=ontology).values_list(
        "pk", "source__iri", "kind", "target__iri", "degree"
    )
    return (
        dict(ontology.concepts.values_list("iri", "pk")),
        {(iri, language, text, kind): pk for pk, iri, language, text, kind in labels},
        {(source, kind, target, degree): pk for pk, source, kind, target, degree in relations},
    )


def _remove(difference: _Difference) -> None:
    for model, stored, wanted in (
        (Relation, difference.relations, difference.new_relations),
        (Label, difference.labels, difference.new_labels),
        (Concept, difference.ids, difference.new_ids),
    ):
        gone = [key for row, key in stored.items() if row not in wanted]
        for part in chunks(gone):
            model._default_manager.filter(pk__in=part).delete()


def _add(ontology: Ontology, difference: _Difference) -> None:
    # Without a model object for each row: others wait meanwhile, and there may be 200,000 rows.
    new_ids = sorted(difference.new_ids - difference.ids.keys())
    insert_rows(
        Concept, ("ontology_id", "iri"), [(ontology.pk, iri) for iri in new_ids], conflict=""
    )
    pass_point("import.half")
    ids = dict(ontology.concepts.values_list("iri", "pk"))
    new_labels = sorted(difference.new_labels - difference.labels.keys())
    insert_rows(
        Label,
        ("concept_id", "language", "text", "kind"),
        [(ids[iri], *label) for iri, *label in new_labels],
        conflict="",
    )
    new_relations = sorted(difference.new_relations - difference.relations.keys(), key=str)
    insert_rows(
        Relation,
        ("source_id", "kind", "target_id", "degree"),
        [
            (ids[source], kind, ids[target], degree)
            for source, kind, target, degree in new_relations
        ],
        conflict="",
    )

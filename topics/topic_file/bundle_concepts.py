"""The ontologies of a topic file, and the concepts that the topic takes from them."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError

from crawler.api.ontologies import OntologyError, ParsedOntology, read_ontology
from crawler.api.tables import Concept, Ontology
from topics.errors import TopicError
from topics.models import Topic
from topics.profile.concepts import attach
from topics.profile.ontologies import (
    clean_title,
    export_turtle,
    find_ontology,
    free_title,
    save_ontology,
    slug_of,
    slugs_of,
)
from topics.topic_file.document import ConceptRow, OntologyRow, TopicBundle

_NUMBER: Final = re.compile(r" \([0-9]+\)$")
#: By title: an ontology that is there, or one to be added.
Ontologies = dict[str, Ontology | ParsedOntology]


def titles_of(used: Iterable[Ontology], owner: AbstractBaseUser) -> dict[int, str]:
    """Return a title for each ontology of a topic, by key.

    An ontology of somebody else gets a number if its title would mean one of the owner's.
    """
    titles, taken = {}, slugs_of(owner)
    for one in used:
        titles[one.pk] = one.title
        if one.owner_id != owner.pk:
            titles[one.pk] = free_title(one.title, taken)
            taken.add(slug_of(titles[one.pk]))
    return titles


def read_ontologies(bundle: TopicBundle, owner: AbstractBaseUser, *, may_add: bool) -> Ontologies:
    """Find the ontologies of a file among those that the owner has or sees, or read them.

    One of the owner's with the same name is used as it is, so that no other topic changes.

    Raises
    ------
    TopicError
        If one is new and cannot be read, or the owner may not add it.
    """
    found: Ontologies = {}
    for number, row in enumerate(bundle.ontologies):
        place = f"ontologies[{number}]"
        try:
            title = clean_title(row.title)
        except TopicError as error:
            raise TopicError(f"{place}.title: {error}") from error
        known = find_ontology(title, owner) or _same(row, owner)
        if known is not None:
            found[row.title] = known
            continue
        if not may_add:
            raise TopicError(
                f"{place}: {row.title!r} is not here, and you may not import ontologies. "
                "Ask an administrator to import it."
            )
        try:
            found[row.title] = read_ontology(row.turtle.encode())
        except OntologyError as error:
            raise TopicError(f"{place}.turtle: {error.detail or error.problem}") from error
    return found


def _same(row: OntologyRow, owner: AbstractBaseUser) -> Ontology | None:
    """A shared ontology with the same content and name, apart from a number of the file."""
    names = {row.title, _NUMBER.sub("", row.title)}
    visible = Ontology.objects.visible_to(owner).filter(title__in=names)
    return next((one for one in visible if export_turtle(one) == row.turtle), None)


def replace_concepts(
    topic: Topic, rows: list[ConceptRow], ontologies: Ontologies, now: datetime
) -> None:
    """Replace a topic's concepts by these."""
    stored = {title: _stored(found, title, topic, now) for title, found in ontologies.items()}
    topic.concepts.all().delete()
    for number, row in enumerate(rows):
        try:
            attach(topic, _concept(row, stored))
        except TopicError as error:
            raise TopicError(f"concepts[{number}].{error}") from error
        except ValidationError as error:
            raise TopicError(f"concepts[{number}]: {error.messages[0]}") from error


def _stored(found: Ontology | ParsedOntology, title: str, topic: Topic, now: datetime) -> Ontology:
    if isinstance(found, Ontology):
        return found
    return save_ontology(found, title, now, owner=topic.owner)[0]


def _concept(row: ConceptRow, ontologies: Mapping[str, Ontology]) -> Concept:
    ontology = ontologies.get(row.ontology)
    if ontology is None:
        raise TopicError(f"ontology: {row.ontology!r} is not among the ontologies of the file")
    concept = Concept.objects.filter(ontology=ontology, iri=row.iri).first()
    if concept is None:
        raise TopicError(f"iri: {row.iri!r} is not in the ontology {ontology.title!r}")
    return concept

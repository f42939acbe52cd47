"""Find concepts by a part of a name, with what is above and below each."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from django.db.models import Min, QuerySet
from django.db.models.functions import Length

from crawler.api.tables import Concept, Label, Ontology, Relation
from topics.models import Topic

MAX_FOUND: Final = 20
#: Levels above a concept, and concepts directly below it, that are shown.
MAX_ABOVE: Final = 5
MAX_BELOW: Final = 12


@dataclass(frozen=True, slots=True)
class FoundConcept:
    """A concept in its tree.

    Attributes
    ----------
    above : tuple of str
        Names of the broader concepts, from the top down.
    below : tuple of str
        Names of the narrower ones.
    is_attached : bool
        The topic has it already.
    """

    pk: int
    name: str
    ontology: str
    above: tuple[str, ...]
    below: tuple[str, ...]
    is_attached: bool


def search_concepts(
    topic: Topic, words: str, ontologies: QuerySet[Ontology], language: str
) -> list[FoundConcept]:
    """Return the concepts with a name that holds some words, those with the shortest name first."""
    words = " ".join(words.split())
    if not words:
        return []
    labels = Label.objects.filter(text__icontains=words, concept__ontology__in=ontologies)
    nearest = labels.exclude(kind=Label.Kind.HIDDEN).values("concept")
    order = nearest.annotate(chars=Min(Length("text"))).order_by("chars", "concept")[:MAX_FOUND]
    wanted = [row["concept"] for row in order]
    below, above = _related(wanted), _above(wanted)
    shown = {*wanted, *(pk for pks in (*below.values(), *above.values()) for pk in pks)}
    rows = Concept.objects.filter(pk__in=shown).select_related("ontology")
    known = {row.pk: row for row in rows.prefetch_related("labels")}
    attached = set(topic.concepts.values_list("concept_id", flat=True))
    return [
        FoundConcept(
            pk=pk,
            name=known[pk].name(language),
            ontology=known[pk].ontology.title,
            above=tuple(known[one].name(language) for one in above[pk]),
            below=tuple(known[one].name(language) for one in below[pk][:MAX_BELOW]),
            is_attached=pk in attached,
        )
        for pk in wanted
    ]


def _related(concepts: Collection[int], *, broader: bool = False) -> Mapping[int, list[int]]:
    """The narrower concepts of some, or the broader ones."""
    kinds = (Relation.Kind.KIND_OF, Relation.Kind.IS_A)
    forth, back = kinds if broader else kinds[::-1]
    found: dict[int, list[int]] = defaultdict(list)
    pairs = [
        *Relation.objects.filter(source__in=concepts, kind=forth).values_list("source", "target"),
        *Relation.objects.filter(target__in=concepts, kind=back).values_list("target", "source"),
    ]
    for concept, other in sorted(set(pairs)):
        found[concept].append(other)
    return found


def _above(concepts: Collection[int]) -> Mapping[int, list[int]]:
    """For each concept one way up, from the top down; a ring is walked once."""
    ways: dict[int, list[int]] = {concept: [] for concept in concepts}
    ends = {concept: concept for concept in concepts}
    for _level in range(MAX_ABOVE):
        broader = _related(set(ends.values()), broader=True)
        ends = {
            concept: broader[end][0]
            for concept, end in ends.items()
            if broader.get(end) and broader[end][0] not in (concept, *ways[concept])
        }
        for concept, end in ends.items():
            ways[concept].insert(0, end)
        if not ends:
            break
    return ways

"""From the concepts attached to a topic to the terms they bring."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from uuid import UUID

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from crawler.api.ontologies import ConceptGraph, ExpandedTerm, LabelIndex, expand, label_key
from crawler.api.profiles import TopicConcept, TopicProfile
from crawler.api.tables import Concept, Ontology
from topics.models import AttachedConcept, SwitchedOffTerm, Topic

#: Most ontology terms one topic carries; the nearest by degree stay.
MAX_TERMS = 2_000
#: Beside the topic's own languages: a page in the other of the two is found too.
ALWAYS_WANTED = ("zh", "en")


@dataclass(frozen=True, slots=True)
class KnownGraph:
    """A graph in memory, ready for look-ups."""

    graph: ConceptGraph
    index: LabelIndex


@dataclass(frozen=True, slots=True)
class ExpandedLabel:
    """A term an ontology brings to a topic, with the path that brought it."""

    term: ExpandedTerm
    concept: str
    path: tuple[tuple[str, str, str], ...]  # source's name, relation, target's name
    key: str
    is_on: bool = True

    @property
    def path_text(self) -> str:
        """The concepts on the way, as one line."""
        return " → ".join([step[0] for step in self.path] + [self.concept]) if self.path else ""


def known_graph(ontology: Ontology) -> KnownGraph:
    """Return the graph of an ontology; read again only after it has changed."""
    return _read(ontology.pk, ontology.revision)


@lru_cache(maxsize=4)
def _read(pk: int, revision: UUID) -> KnownGraph:
    graph = Ontology.objects.get(pk=pk).graph()
    return KnownGraph(graph, LabelIndex(graph))


@dataclass(frozen=True, slots=True)
class ConceptChoice:
    """What a topic takes from ontologies: concepts, without the terms that are switched off."""

    attached: frozenset[Concept]
    switched_off: frozenset[str]


def choice_of(topic: Topic) -> ConceptChoice:
    """Return what a topic takes from ontologies now."""
    rows = AttachedConcept.objects.filter(topic=topic).select_related("concept__ontology")
    return ConceptChoice(
        frozenset(row.concept for row in rows),
        frozenset(topic.switched_off.values_list("text", flat=True)),
    )


def expanded_labels(
    topic: Topic,
    choice: ConceptChoice | None = None,
    *,
    with_switched_off: bool = False,
    language: str = "",
) -> list[ExpandedLabel]:
    """Return what the attached concepts bring, best degree first; each spelling once a language.

    With `with_switched_off` terms that a person switched off come along, marked. Paths
    name concepts in `language`, or else in the topic's first one.
    """
    choice = choice or choice_of(topic)
    off = choice.switched_off
    language = language or next(iter(topic.profile().languages), "")
    best: dict[tuple[str, str], ExpandedLabel] = {}
    for ontology, start in _starts(choice.attached):
        known = known_graph(ontology)
        wanted = _wanted_languages(topic)
        terms = expand(known.graph, start, languages=wanted, index=known.index)
        for term in terms:
            key = label_key(term.text), term.language
            known_term = best.get(key)
            if known_term is None or term.degree > known_term.term.degree:
                best[key] = _brought(term, known.graph, language, off)
    ordered = sorted(best.values(), key=lambda brought: -brought.term.degree)
    kept = [brought for brought in ordered if with_switched_off or brought.is_on]
    return kept[:MAX_TERMS]


def _brought(
    term: ExpandedTerm, graph: ConceptGraph, language: str, off: Collection[str]
) -> ExpandedLabel:
    def name(iri: str) -> str:
        return graph.concepts[iri].name(language)

    path = tuple((name(step.source), str(step.kind), name(step.target)) for step in term.path)
    key = label_key(term.text)
    return ExpandedLabel(term, name(term.concept), path, key, key not in off)


def _starts(attached: Iterable[Concept]) -> list[tuple[Ontology, list[str]]]:
    """The attached concepts' identifiers, by ontology."""
    starts: dict[Ontology, list[str]] = {}
    for concept in sorted(attached, key=lambda one: (one.ontology_id, one.iri)):
        starts.setdefault(concept.ontology, []).append(concept.iri)
    return list(starts.items())


def _wanted_languages(topic: Topic) -> tuple[str, ...]:
    own = topic.profile().languages
    return (*own, *ALWAYS_WANTED) if own else ()


def profile_of(topic: Topic, choice: ConceptChoice | None = None) -> TopicProfile:
    """Return what the topic is, with the terms that its concepts, or others, bring."""
    return replace(
        topic.profile(),
        concepts=tuple(
            TopicConcept(
                text=brought.term.text,
                language=brought.term.language,
                degree=brought.term.degree,
                concept=brought.concept,
                path=brought.path_text,
            )
            for brought in expanded_labels(topic, choice)
        ),
    )


def find_concepts(text: str, ontologies: Iterable[Ontology]) -> list[Concept]:
    """Return the concepts that go by a name, in every ontology."""
    found: list[Concept] = []
    for ontology in ontologies:
        ids = known_graph(ontology).index.find(text.strip())
        found += Concept.objects.filter(ontology=ontology, iri__in=ids).order_by("iri")
    return found


def attach(topic: Topic, concept: Concept) -> bool:
    """Let a topic reach its ontology terms from a concept; False if it does already.

    Raises
    ------
    ValidationError
        As `check_languages`.
    """
    check_languages(topic, concept)
    _row, created = AttachedConcept.objects.get_or_create(topic=topic, concept=concept)
    return created


def check_languages(topic: Topic, concept: Concept) -> None:
    """Refuse a concept whose names no page of the topic could hold.

    Raises
    ------
    ValidationError
        If no label of the ontology is in a language of the topic.
    """
    languages = topic.language_list()
    spoken = _languages_of(known_graph(concept.ontology).graph)
    if languages and "" not in spoken and not spoken.intersection(languages):
        raise ValidationError(
            _(
                "The labels of “%(ontology)s” are in %(found)s. This topic uses %(wanted)s, so "
                "no label would match. Add a language to the topic, or choose another ontology."
            ),
            code="language",
            params={
                "ontology": concept.ontology.title,
                "found": ", ".join(sorted(spoken)[:10]),
                "wanted": ", ".join(languages),
            },
        )


def _languages_of(graph: ConceptGraph) -> set[str]:
    return {
        label.language.partition("-")[0]
        for concept in graph.concepts.values()
        for label in concept.labels
    }


def named_concepts(topic: Topic, ontology: Ontology) -> list[Concept]:
    """Return the concepts of an ontology that the topic's name or terms name."""
    profile = topic.profile()
    texts = [profile.name, *(term.text for term in profile.terms if not term.excluded)]
    index = known_graph(ontology).index
    ids = {iri for text in texts for iri in index.find(text)}
    return list(Concept.objects.filter(ontology=ontology, iri__in=ids).order_by("iri"))


def switch_term(topic: Topic, text: str, *, on: bool) -> None:
    """Switch one ontology term on or off for a topic."""
    key = label_key(text)[:500]
    if on:
        SwitchedOffTerm.objects.filter(topic=topic, text=key).delete()
    else:
        SwitchedOffTerm.objects.get_or_create(topic=topic, text=key)


def switch_below(topic: Topic, concept: Concept, *, on: bool) -> None:
    """Switch all terms on or off that a topic reaches from a concept, but its own names."""
    keys = keys_below(topic, concept)
    if on:
        SwitchedOffTerm.objects.filter(topic=topic, text__in=keys).delete()
    else:
        SwitchedOffTerm.objects.bulk_create(
            [SwitchedOffTerm(topic=topic, text=key) for key in sorted(keys)], ignore_conflicts=True
        )


def keys_below(topic: Topic, concept: Concept) -> frozenset[str]:
    """The terms, as they are switched off, that a topic reaches from a concept's relations."""
    return frozenset(
        brought.key[:500]
        for brought in expanded_labels(topic, with_switched_off=True)
        if brought.term.path and brought.term.path[0].source == concept.iri
    )

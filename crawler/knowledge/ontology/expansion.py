"""From a topic's terms to the terms around them: best paths in the concept graph [P1]."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from crawler.knowledge.ontology.concept_graph import ConceptGraph
from crawler.knowledge.ontology.concepts import DEFAULT_DEGREES, PREFERRED, Label, RelationKind
from crawler.knowledge.ontology.matching import LabelIndex, label_key

DEFAULT_DEPTH = 2
#: Most concepts one expansion brings; the nearest by degree stay.
MAX_CONCEPTS = 1_000


@dataclass(frozen=True, slots=True)
class ExpansionStep:
    """One edge walked: `target` is the `kind` of `source`, worth `degree` in (0, 1]."""

    source: str
    kind: RelationKind
    target: str
    degree: float


@dataclass(frozen=True, slots=True)
class ReachedConcept:
    """A concept, and the best path that leads to it.

    Attributes
    ----------
    degree : float
        Product of the degrees on the path, in (0, 1].
    path : tuple of ExpansionStep
        From a start concept to this one; empty for a start concept.
    """

    concept: str
    degree: float
    path: tuple[ExpansionStep, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpandedTerm:
    """A label that stands for the topic.

    Attributes
    ----------
    text, language : str
        The label's.
    degree : float
        How much it stands for the topic, in (0, 1].
    path : tuple of ExpansionStep
        The relations that brought it; empty for a start concept's own label.
    concept : str
        Id of the concept it names.
    """

    text: str
    language: str
    degree: float
    path: tuple[ExpansionStep, ...]
    concept: str


def reach(
    graph: ConceptGraph,
    start: Iterable[str],
    *,
    depth: int = DEFAULT_DEPTH,
    degrees: Mapping[RelationKind, float] = DEFAULT_DEGREES,
    without: Collection[str] = frozenset(),
) -> tuple[ReachedConcept, ...]:
    """Walk the five relations from some concepts; keep the best path to each.

    Parameters
    ----------
    start : iterable of str
        Concept ids; unknown ones are passed over.
    depth : int, default 2
        Most edges on a path, >= 0.
    degrees : mapping of RelationKind to float, default `DEFAULT_DEGREES`
        Degree of the edges that state none, in (0, 1]; a kind left out is not
        walked at all.
    without : collection of str
        Concepts that are neither reached nor passed through.

    Returns
    -------
    tuple of ReachedConcept
        Best degree first, then shorter path, then id; at most `MAX_CONCEPTS`.

    Raises
    ------
    ValueError
        If `depth` is negative or a default degree is not in (0, 1].

    References
    ----------
    [P1 fig. 2]; depth and degrees *Resolved*.
    """
    if depth < 0:
        raise ValueError(f"depth must be at least 0 hops, got {depth}")
    if wrong := {kind: d for kind, d in degrees.items() if not 0 < d <= 1}:
        raise ValueError(f"degrees must be above 0 and at most 1, got {wrong}")
    layer = {c: ReachedConcept(c, 1.0) for c in start if c in graph.concepts and c not in without}
    best = dict(layer)
    # One layer per hop, not one queue by degree: the best path to a concept may
    # be too long to go on from, where a worse but shorter one still may. A path
    # through a cycle never improves on its start, so cycles end by themselves.
    for _ in range(depth):
        following: dict[str, ReachedConcept] = {}
        for reached in layer.values():
            for step in _steps(graph, reached.concept, degrees):
                degree = reached.degree * step.degree
                known = following.get(step.target) or best.get(step.target)
                if step.target not in without and (known is None or degree > known.degree):
                    following[step.target] = ReachedConcept(
                        step.target, degree, (*reached.path, step)
                    )
        best.update(following)
        layer = dict(sorted(following.items()))
    ordered = sorted(best.values(), key=lambda r: (-r.degree, len(r.path), r.concept))
    return tuple(ordered[:MAX_CONCEPTS])


def _steps(
    graph: ConceptGraph, concept_id: str, degrees: Mapping[RelationKind, float]
) -> Iterator[ExpansionStep]:
    for edge in graph.edges(concept_id):
        if edge.kind in degrees:
            yield ExpansionStep(
                concept_id, edge.kind, edge.target, edge.degree or degrees[edge.kind]
            )


def expand(
    graph: ConceptGraph,
    start: Iterable[str],
    *,
    degrees: Mapping[RelationKind, float] = DEFAULT_DEGREES,
    languages: Collection[str] = (),
    switched_off: Collection[str] = frozenset(),
    index: LabelIndex | None = None,
) -> tuple[ExpandedTerm, ...]:
    """Collect the labels of all concepts near a topic's terms, in every language.

    Parameters
    ----------
    start : iterable of str
        Concept ids or terms as typed; a term stands for every concept with that
        label (width, case, traditional or simplified do not matter). What no
        concept is called by brings nothing.
    degrees : mapping of RelationKind to float
        As in `reach`. Labels other than the preferred ones are synonyms: they
        count the concept's degree times the synonym degree.
    languages : collection of str
        ISO 639-1 codes of the labels wanted (untagged labels come along);
        empty for all. The walk itself crosses languages.
    switched_off : collection of str
        Concept ids, which are not walked through either, or label texts.
    index : LabelIndex or None
        That of `graph`, if the caller has one already.

    Returns
    -------
    tuple of ExpandedTerm
        Each text once per language, at its best degree; best degree first,
        then shorter path, concept id, preferred labels, language, text.

    Raises
    ------
    ValueError
        As `reach`.
    """
    index = index or LabelIndex(graph)
    ids = [concept_id for term in start for concept_id in index.find(term)]
    off = {label_key(text) for text in switched_off}
    terms: dict[tuple[str, str], ExpandedTerm] = {}
    for reached in reach(graph, ids, degrees=degrees, without=switched_off):
        for label in sorted(graph.concepts[reached.concept].labels, key=_label_order):
            share = 1.0 if label.kind == PREFERRED else degrees.get(RelationKind.SYNONYM, 0.0)
            key = label_key(label.text), label.language
            known = terms.get(key)
            degree = reached.degree * share
            if key[0] in off or not _is_wanted(label, languages):
                continue
            if degree > (known.degree if known else 0.0):
                terms.pop(key, None)  # so that it moves to the end, where its path belongs
                terms[key] = ExpandedTerm(
                    label.text, label.language, degree, reached.path, reached.concept
                )
    return tuple(sorted(terms.values(), key=lambda t: -t.degree))  # stable: the rest is in order


def _label_order(label: Label) -> tuple[bool, str, str]:
    return label.kind != PREFERRED, label.language, label.text


def _is_wanted(label: Label, languages: Collection[str]) -> bool:
    primary = label.language.partition("-")[0]
    return not languages or not primary or primary in languages

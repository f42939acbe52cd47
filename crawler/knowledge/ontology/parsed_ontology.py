"""What reading an ontology file gives: its concepts, and a preview of what was understood."""

from dataclasses import dataclass
from enum import StrEnum

from crawler.knowledge.ontology.concept_graph import ConceptGraph
from crawler.knowledge.ontology.concepts import Concept, Relation

#: Largest file that is read.
MAX_BYTES = 10 * 1024 * 1024


class IgnoredReason(StrEnum):
    """Why something in a file was not taken over."""

    LINK_NOT_FOLLOWED = "link_not_followed"
    UNKNOWN_PREDICATE = "unknown_predicate"
    OUTSIDE_CONCEPT = "outside_concept"
    SELF_RELATION = "self_relation"
    BLANK_NODE = "blank_node"
    BAD_ID = "bad_id"
    NO_NAME = "no_name"
    BAD_LABEL = "bad_label"
    LABEL_TOO_LONG = "label_too_long"
    TOO_MANY_LABELS = "too_many_labels"
    BAD_DEGREE = "bad_degree"


@dataclass(frozen=True, slots=True)
class Ignored:
    """Something in a file that was not taken over.

    Attributes
    ----------
    what : str
        The predicate, or for labels the concept, as text.
    count : int
        How often.
    """

    reason: IgnoredReason
    what: str
    count: int


@dataclass(frozen=True, slots=True)
class ParsedOntology:
    """What a file holds, in an order that does not depend on the file's.

    Attributes
    ----------
    title : str
        The file's own name for itself, or "".
    concepts : tuple of Concept
        Sorted by id, labels by kind, language, text.
    relations : tuple of Relation
        Each fact once, without the cut ones.
    cut : tuple of Relation
        What closed a cycle.
    ignored : tuple of Ignored
        Most frequent first.
    """

    title: str
    concepts: tuple[Concept, ...]
    relations: tuple[Relation, ...]
    n_triples: int
    labels_per_language: dict[str, int]
    relations_per_kind: dict[str, int]
    cut: tuple[Relation, ...]
    ignored: tuple[Ignored, ...]

    def graph(self) -> ConceptGraph:
        """Build the graph of what was read."""
        return ConceptGraph(self.concepts, self.relations)

"""Concepts, their labels, and the five relations between them [P1]: plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from crawler.errors import CrawlError

PREFERRED, ALTERNATIVE, HIDDEN = LABEL_KINDS = ("preferred", "alternative", "hidden")


class OntologyProblem(StrEnum):
    """What is wrong with an ontology, for whoever translates the message."""

    SELF_RELATION = "self_relation"
    BAD_DEGREE = "bad_degree"
    BAD_CONCEPT = "bad_concept"
    UNKNOWN_CONCEPT = "unknown_concept"
    BAD_FORMAT = "bad_format"
    BAD_ENCODING = "bad_encoding"
    SYNTAX = "syntax"
    REMOTE_CONTEXT = "remote_context"
    ENTITIES = "entities"
    NESTED_TOO_DEEP = "nested_too_deep"
    TOO_LARGE = "too_large"
    EMPTY = "empty"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    READER_FAILED = "reader_failed"


class OntologyError(CrawlError):
    """An ontology cannot be used as it is; a person has to change it.

    Attributes
    ----------
    detail : str
        A sentence: what was wrong, where, what to do.
    """

    def __init__(self, problem: OntologyProblem, detail: str) -> None:
        super().__init__(detail)
        self.problem = problem
        self.detail = detail


class RelationKind(StrEnum):
    """The five relations of [P1]; the word says what the *target* is to the source.

    IS_A leads to a more concrete concept (computer -> laptop) and KIND_OF back;
    that is the paper's own wording, the reverse of everyday "is a".
    """

    SYNONYM = "synonym"
    HAS = "has"
    ONE_OF = "one_of"
    IS_A = "is_a"
    KIND_OF = "kind_of"


INVERSE: Mapping[RelationKind, RelationKind] = MappingProxyType(
    {
        RelationKind.SYNONYM: RelationKind.SYNONYM,
        RelationKind.HAS: RelationKind.ONE_OF,
        RelationKind.ONE_OF: RelationKind.HAS,
        RelationKind.IS_A: RelationKind.KIND_OF,
        RelationKind.KIND_OF: RelationKind.IS_A,
    }
)

#: Degree of an edge that states none (*Resolved*: [P1] gives no numbers).
DEFAULT_DEGREES: Mapping[RelationKind, float] = MappingProxyType(
    {
        RelationKind.SYNONYM: 1.0,
        RelationKind.IS_A: 0.8,
        RelationKind.HAS: 0.6,
        RelationKind.KIND_OF: 0.5,
        RelationKind.ONE_OF: 0.5,
    }
)


@dataclass(frozen=True, slots=True, order=True)
class Label:
    """One name of a concept.

    Attributes
    ----------
    language : str
        Language tag in lower case ("zh", "en", "zh-hant"), "" if none is known.
    kind : str
        "preferred", "alternative" or "hidden" (matched, never shown).
    """

    text: str
    language: str = ""
    kind: str = PREFERRED


@dataclass(frozen=True, slots=True)
class Concept:
    """A node of the ontology.

    Attributes
    ----------
    id : str
        Its IRI, as the file spells it.
    """

    id: str
    labels: tuple[Label, ...] = ()

    def name(self, language: str = "") -> str:
        """Return the label to show in `language`: preferred before others, else the id."""

        def rank(label: Label) -> tuple[bool, int, str]:
            foreign = label.language.partition("-")[0] != language
            return foreign, LABEL_KINDS.index(label.kind), label.language

        shown = [label for label in self.labels if label.kind != HIDDEN]
        return min(shown, key=rank).text if shown else self.id


@dataclass(frozen=True, slots=True)
class Relation:
    """A stated relation: `target` is the `kind` of `source`.

    Attributes
    ----------
    source, target : str
        Ids of two different concepts.
    degree : float or None
        In (0, 1]; None for the kind's default. It holds for this direction; the
        way back has the inverse kind's default unless it is stated too, but a
        synonym's degree holds both ways (*Resolved*).

    Raises
    ------
    OntologyError
        If a concept is related to itself or the degree is out of range.
    """

    source: str
    kind: RelationKind
    target: str
    degree: float | None = None

    def __post_init__(self) -> None:
        if self.source == self.target:
            raise OntologyError(
                OntologyProblem.SELF_RELATION,
                f"a concept cannot be related to itself: {self.source} ({self.kind})",
            )
        if self.degree is not None and not 0 < self.degree <= 1:  # also refuses nan
            raise OntologyError(
                OntologyProblem.BAD_DEGREE,
                f"a degree must be above 0 and at most 1, got {self.degree} "
                f"({self.source} {self.kind} {self.target})",
            )

    def canonical(self) -> "Relation":
        """Return the same fact read downwards: has, is_a, or a sorted synonym."""
        upward = self.kind in (RelationKind.ONE_OF, RelationKind.KIND_OF)
        unsorted = self.kind is RelationKind.SYNONYM and self.target < self.source
        if not (upward or unsorted):
            return self
        return Relation(self.target, INVERSE[self.kind], self.source, self.degree)

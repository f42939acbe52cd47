"""The words of ontologies, in the reader's language."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from crawler.api.ontologies import IgnoredReason, OntologyProblem, RelationKind

PROBLEMS: dict[OntologyProblem, Promise] = {
    OntologyProblem.SELF_RELATION: _("A concept is related to itself."),
    OntologyProblem.BAD_DEGREE: _("A degree must be above 0 and at most 1."),
    OntologyProblem.BAD_CONCEPT: _("Two concepts have the same identifier."),
    OntologyProblem.UNKNOWN_CONCEPT: _("A relation leads to a concept that does not exist."),
    OntologyProblem.BAD_FORMAT: _(
        "This file is not Turtle, N-Triples, RDF/XML or JSON-LD. Unpack archives first."
    ),
    OntologyProblem.BAD_ENCODING: _("The file is not encoded in UTF-8. Save it again as UTF-8."),
    OntologyProblem.SYNTAX: _("The file has a syntax error or is incomplete."),
    OntologyProblem.REMOTE_CONTEXT: _(
        "Its JSON-LD context is a URL, which FocusWeb does not fetch. Put the context "
        "into the file."
    ),
    OntologyProblem.ENTITIES: _("The file declares XML entities that are more than short texts."),
    OntologyProblem.NESTED_TOO_DEEP: _("The file is nested too deeply."),
    OntologyProblem.TOO_LARGE: _("The file is too large. Import a part of it."),
    OntologyProblem.EMPTY: _("The file contains no concept with a name."),
    OntologyProblem.TIME_LIMIT: _("Reading the file took too long. Import a part of it."),
    OntologyProblem.MEMORY_LIMIT: _(
        "Reading the file needed too much memory. Import a part of it."
    ),
    OntologyProblem.READER_FAILED: _(
        "The file could not be read. Save it as Turtle and try again."
    ),
}

IGNORED: dict[IgnoredReason, Promise] = {
    IgnoredReason.LINK_NOT_FOLLOWED: _("points to another file, which is not opened"),
    IgnoredReason.UNKNOWN_PREDICATE: _("an unsupported predicate"),
    IgnoredReason.OUTSIDE_CONCEPT: _("points to something that is not a concept in this file"),
    IgnoredReason.SELF_RELATION: _("a concept related to itself"),
    IgnoredReason.BLANK_NODE: _("a concept without an identifier"),
    IgnoredReason.BAD_ID: _("an identifier that is too long or holds control characters"),
    IgnoredReason.NO_NAME: _("no preferred name and no type"),
    IgnoredReason.BAD_LABEL: _("a name that is empty or not text"),
    IgnoredReason.LABEL_TOO_LONG: _("a name that is too long"),
    IgnoredReason.TOO_MANY_LABELS: _("more names than one concept can have"),
    IgnoredReason.BAD_DEGREE: _("a degree that is not above 0 and at most 1"),
}

RELATIONS: dict[RelationKind, Promise] = {
    RelationKind.SYNONYM: _("means the same as"),
    RelationKind.HAS: _("has part"),
    RelationKind.ONE_OF: _("is part of"),
    RelationKind.IS_A: _("includes"),
    RelationKind.KIND_OF: _("is a kind of"),
}

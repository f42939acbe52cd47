"""The words of ontologies, in the reader's language."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from crawler.knowledge.concepts import OntologyProblem, RelationKind
from crawler.knowledge.ontology import IgnoredReason

PROBLEMS: dict[OntologyProblem, Promise] = {
    OntologyProblem.SELF_RELATION: _("A concept is related to itself."),
    OntologyProblem.BAD_DEGREE: _("A degree is not above 0 and at most 1."),
    OntologyProblem.BAD_CONCEPT: _("Two concepts have the same identifier."),
    OntologyProblem.UNKNOWN_CONCEPT: _("A relation leads to a concept that is not there."),
    OntologyProblem.BAD_FORMAT: _(
        "This is no Turtle, N-Triples, RDF/XML or JSON-LD; archives must be unpacked first."
    ),
    OntologyProblem.BAD_ENCODING: _("The file is not in UTF-8; save it again in UTF-8."),
    OntologyProblem.SYNTAX: _("The file breaks the rules of its format, or ends half way."),
    OntologyProblem.REMOTE_CONTEXT: _(
        "Its JSON-LD context is only an address, and nothing is ever fetched; put the context "
        "into the file."
    ),
    OntologyProblem.ENTITIES: _("It declares entities that are more than short names."),
    OntologyProblem.NESTED_TOO_DEEP: _("It is nested too deep."),
    OntologyProblem.TOO_LARGE: _("It is too large; import a part of it."),
    OntologyProblem.EMPTY: _("It holds no concept with a name."),
    OntologyProblem.TIME_LIMIT: _("Reading it took too long; import a part of it."),
    OntologyProblem.MEMORY_LIMIT: _("Reading it took too much memory; import a part of it."),
    OntologyProblem.READER_FAILED: _("It broke the reader; save it as Turtle and try again."),
}

IGNORED: dict[IgnoredReason, Promise] = {
    IgnoredReason.LINK_NOT_FOLLOWED: _("points to another file, which is not opened"),
    IgnoredReason.UNKNOWN_PREDICATE: _("a predicate that has no meaning here"),
    IgnoredReason.OUTSIDE_CONCEPT: _("leads to something that is no concept of this file"),
    IgnoredReason.SELF_RELATION: _("a concept related to itself"),
    IgnoredReason.BLANK_NODE: _("a concept without an identifier"),
    IgnoredReason.BAD_ID: _("an identifier that is too long or holds control characters"),
    IgnoredReason.NO_NAME: _("no preferred name and no type"),
    IgnoredReason.BAD_LABEL: _("a name that is empty or no text"),
    IgnoredReason.LABEL_TOO_LONG: _("a name that is too long"),
    IgnoredReason.TOO_MANY_LABELS: _("more names than are kept for one concept"),
    IgnoredReason.BAD_DEGREE: _("a degree that is not above 0 and at most 1"),
}

RELATIONS: dict[RelationKind, Promise] = {
    RelationKind.SYNONYM: _("means the same as"),
    RelationKind.HAS: _("has the part"),
    RelationKind.ONE_OF: _("is part of"),
    RelationKind.IS_A: _("has the kind"),
    RelationKind.KIND_OF: _("is a kind of"),
}


def problem_sentence(problem: OntologyProblem) -> str:
    """What is wrong with a file, as a sentence."""
    return str(PROBLEMS[problem])

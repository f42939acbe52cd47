"""A concept graph as Turtle that reads back to the same graph."""

import re
from collections.abc import Iterator

from crawler.knowledge.ontology import rdf_vocabulary as vocabulary
from crawler.knowledge.ontology.concept_graph import ConceptGraph
from crawler.knowledge.ontology.concepts import (
    ALTERNATIVE,
    HIDDEN,
    PREFERRED,
    Concept,
    Label,
    Relation,
    RelationKind,
)

_PREFIXES = {
    "skos": vocabulary.SKOS,
    "dcterms": vocabulary.DCTERMS,
    "rdf": vocabulary.RDF,
    "fw": vocabulary.DEGREE.removesuffix("degree"),
}
_LABEL_PREDICATES = {
    PREFERRED: "skos:prefLabel",
    ALTERNATIVE: "skos:altLabel",
    HIDDEN: "skos:hiddenLabel",
}
_RELATION_PREDICATES = {
    RelationKind.SYNONYM: "skos:exactMatch",
    RelationKind.HAS: "dcterms:hasPart",
    RelationKind.ONE_OF: "dcterms:isPartOf",
    RelationKind.IS_A: "skos:narrower",
    RelationKind.KIND_OF: "skos:broader",
}
_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')
_NOT_IN_STRING = re.compile(r'["\\\x00-\x1f\x7f\u2028\u2029]')
_LANGUAGE = re.compile(r"[a-z]+(?:-[a-z0-9]+)*", re.IGNORECASE)


def write_turtle(graph: ConceptGraph, title: str = "") -> str:
    """Write a concept graph as Turtle (SKOS, Dublin Core).

    Parameters
    ----------
    title : str
        The ontology's name, or "".

    Returns
    -------
    str
        Concepts sorted by id, the same text for equal graphs. A degree stands
        on an rdf:Statement about its relation, which other programs pass over.
    """
    outgoing: dict[str, list[Relation]] = {}
    for relation in graph.relations:
        outgoing.setdefault(relation.source, []).append(relation)
    blocks = ["\n".join(f"@prefix {name}: <{iri}> ." for name, iri in _PREFIXES.items())]
    if title:
        blocks.append(f"<#> a skos:ConceptScheme ;\n    dcterms:title {_string(title)} .")
    blocks.extend(_concept(c, outgoing.get(c.id, [])) for c in graph.concepts.values())
    blocks.extend(_degrees(graph))
    return "\n\n".join(blocks) + "\n"


def _concept(concept: Concept, relations: list[Relation]) -> str:
    lines = [f"{_iri(concept.id)} a skos:Concept"]
    lines += [f"{_LABEL_PREDICATES[x.kind]} {_label(x)}" for x in concept.labels]
    lines += [f"{_RELATION_PREDICATES[r.kind]} {_iri(r.target)}" for r in relations]
    return " ;\n    ".join(lines) + " ."


def _degrees(graph: ConceptGraph) -> Iterator[str]:
    for relation in graph.relations:
        if relation.degree is not None:
            yield (
                f"[] a rdf:Statement ;\n    rdf:subject {_iri(relation.source)} ;\n"
                f"    rdf:predicate {_RELATION_PREDICATES[relation.kind]} ;\n"
                f"    rdf:object {_iri(relation.target)} ;\n"
                f"    fw:degree {_string(repr(relation.degree))} ."
            )


def _label(label: Label) -> str:
    tag = f"@{label.language}" if _LANGUAGE.fullmatch(label.language) else ""
    return _string(label.text) + tag


def _iri(text: str) -> str:
    return f"<{_NOT_IN_IRI.sub(_escape, text)}>"


def _string(text: str) -> str:
    return f'"{_NOT_IN_STRING.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04X}"

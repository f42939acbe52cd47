"""Which RDF predicates mean what to us [P1, table of relations]."""

from collections.abc import Mapping
from types import MappingProxyType

from crawler.knowledge.ontology.concepts import ALTERNATIVE, HIDDEN, PREFERRED, RelationKind

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
DC = "http://purl.org/dc/elements/1.1/"
DCTERMS = "http://purl.org/dc/terms/"
SCHEMA = ("http://schema.org/", "https://schema.org/")
ISO_THES = "http://purl.org/iso25964/skos-thes#"
#: Our own: the degree of a relation, on an rdf:Statement about it.
DEGREE = "urn:focusweb:ontology#degree"

TYPE = RDF + "type"
SUBCLASS_OF = RDFS + "subClassOf"
SUBJECT, PREDICATE, OBJECT = RDF + "subject", RDF + "predicate", RDF + "object"
STATEMENT_PARTS = (SUBJECT, PREDICATE, OBJECT, DEGREE)

#: Predicate -> kind of label, best first: of two preferred labels in one
#: language the better predicate's stays preferred.
LABELS: Mapping[str, str] = MappingProxyType(
    {
        SKOS + "prefLabel": PREFERRED,
        RDFS + "label": PREFERRED,
        **{schema + "name": PREFERRED for schema in SCHEMA},
        DCTERMS + "title": PREFERRED,
        DC + "title": PREFERRED,
        SKOS + "altLabel": ALTERNATIVE,
        **{schema + "alternateName": ALTERNATIVE for schema in SCHEMA},
        SKOS + "hiddenLabel": HIDDEN,
    }
)

#: Predicate -> what its object is to its subject.
RELATIONS: Mapping[str, RelationKind] = MappingProxyType(
    {
        SKOS + "exactMatch": RelationKind.SYNONYM,
        SKOS + "closeMatch": RelationKind.SYNONYM,
        OWL + "sameAs": RelationKind.SYNONYM,
        OWL + "equivalentClass": RelationKind.SYNONYM,
        DCTERMS + "hasPart": RelationKind.HAS,
        **{schema + "hasPart": RelationKind.HAS for schema in SCHEMA},
        ISO_THES + "narrowerPartitive": RelationKind.HAS,
        DCTERMS + "isPartOf": RelationKind.ONE_OF,
        **{schema + "isPartOf": RelationKind.ONE_OF for schema in SCHEMA},
        ISO_THES + "broaderPartitive": RelationKind.ONE_OF,
        SKOS + "narrower": RelationKind.IS_A,
        SKOS + "narrowMatch": RelationKind.IS_A,
        ISO_THES + "narrowerGeneric": RelationKind.IS_A,
        ISO_THES + "narrowerInstantial": RelationKind.IS_A,
        SKOS + "broader": RelationKind.KIND_OF,
        SKOS + "broadMatch": RelationKind.KIND_OF,
        ISO_THES + "broaderGeneric": RelationKind.KIND_OF,
        ISO_THES + "broaderInstantial": RelationKind.KIND_OF,
        SUBCLASS_OF: RelationKind.KIND_OF,
        TYPE: RelationKind.KIND_OF,
    }
)

#: Would have to be fetched: listed, never followed.
LINKS = frozenset({OWL + "imports", RDFS + "seeAlso", RDFS + "isDefinedBy"})

#: A node of one of these types is a concept even without a label.
CONCEPT_TYPES = frozenset({SKOS + "Concept", OWL + "Class", RDFS + "Class"})

#: A node of one of these types describes the file itself.
SCHEME_TYPES = frozenset({SKOS + "ConceptScheme", OWL + "Ontology"})

#: A node of one of these types is part of the description, not a subject.
OTHER_TYPES = frozenset(
    {
        SKOS + "Collection",
        SKOS + "OrderedCollection",
        ISO_THES + "ConceptGroup",
        RDF + "Property",
        RDF + "Statement",
        OWL + "ObjectProperty",
        OWL + "DatatypeProperty",
        OWL + "AnnotationProperty",
        OWL + "Restriction",
        OWL + "AllDisjointClasses",
    }
)

#: Classes of these namespaces are the language an ontology is written in.
META_NAMESPACES = (RDF, RDFS, OWL, SKOS, ISO_THES)

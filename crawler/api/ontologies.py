"""Ontologies: read a file, look labels up, expand terms, write Turtle."""

from crawler.knowledge.ontology.concept_graph import ConceptGraph
from crawler.knowledge.ontology.concepts import OntologyError, OntologyProblem, RelationKind
from crawler.knowledge.ontology.expansion import ExpandedTerm, expand
from crawler.knowledge.ontology.matching import LabelIndex, label_key
from crawler.knowledge.ontology.parsed_ontology import MAX_BYTES as MAX_ONTOLOGY_BYTES
from crawler.knowledge.ontology.parsed_ontology import IgnoredReason, ParsedOntology
from crawler.knowledge.ontology.rdf_write import write_turtle
from crawler.sandbox.ontology_reader import read_ontology

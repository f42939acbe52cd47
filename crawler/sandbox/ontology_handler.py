"""Reads ontologies in a confined child.

Whatever a file makes rdflib try, it can open nothing: no file, socket or process.
"""

import logging
from collections.abc import Callable

import msgspec

from crawler.knowledge.ontology.concepts import OntologyError
from crawler.knowledge.ontology.rdf import read_rdf
from crawler.sandbox.wire import OntologyAnswer

FORBIDDEN = ("open", "socket.", "subprocess.", "os.", "shutil.", "ctypes.", "urllib.", "http.")

# One concept in each format: reading them loads every module that rdflib
# brings in late, as nothing can be loaded once opening is forbidden.
_SAMPLES = (
    b'<u:a> <http://www.w3.org/2000/01/rdf-schema#label> "a"@en .',
    b'@prefix r: <http://www.w3.org/2000/01/rdf-schema#> . <u:a> r:label "a"@en , 1 .',
    b'{"@id": "u:a", "http://www.w3.org/2000/01/rdf-schema#label": "a"}',
    b'<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    b'xmlns:s="http://www.w3.org/2000/01/rdf-schema#">'
    b'<s:Class r:about="u:a"><s:label xml:lang="en">a</s:label></s:Class></r:RDF>',
)


def warm_up(setup: bytes, announce: Callable[[bytes], None]) -> bytes:
    """Read a file of each format."""
    logging.getLogger("rdflib").setLevel(logging.CRITICAL)  # a line per odd IRI otherwise
    for sample in _SAMPLES:
        handle(sample)
    return b""


def handle(message: bytes) -> bytes:
    """Read the file that is the message; return an `OntologyAnswer`."""
    try:
        answer = OntologyAnswer(read_rdf(message))
    except OntologyError as error:
        answer = OntologyAnswer(problem=error.problem, detail=error.detail)
    return msgspec.msgpack.encode(answer)

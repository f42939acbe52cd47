"""RDF bytes to statements: rdflib's parsers behind checks, feeding a light sink."""

import json
import re
from collections import Counter
from collections.abc import Callable, Container
from typing import Any
from xml.parsers import expat
from xml.sax import SAXException

from rdflib import Graph, URIRef
from rdflib.exceptions import Error as RdflibError
from rdflib.plugins.parsers.jsonld import to_rdf
from rdflib.plugins.parsers.notation3 import BadSyntax
from rdflib.store import Store
from rdflib.term import Node

from crawler.knowledge.concepts import OntologyError, OntologyProblem

MAX_BYTES = 10 * 1024 * 1024
MAX_TRIPLES = 200_000
MAX_NESTING = 100

#: Relative names in a file are resolved against this, and cut off again after
#: reading; without it rdflib would use the folder of the running process.
BASE_IRI = "http://ontology.invalid/"

FORMATS = ("turtle", "nt", "xml", "json-ld")

_NOT_RDF = (
    (b"PK\x03\x04", "a ZIP archive; unpack it and choose the file inside"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"\xfd7zXZ", "an xz archive; unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"%PDF", "a PDF document"),
    (b"\xd0\xcf\x11\xe0", "an Office document"),
    (b"\xff\xfe", "text in UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16; save it as UTF-8"),
)
_RDF_NAMESPACE = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_XML_START = re.compile(rb"<(?:\?xml\s|!--|!DOCTYPE\s|[\w.-]+(?::[\w.-]+)?\s)", re.IGNORECASE)
_HTML_START = re.compile(rb"(?:<\?xml[^>]*>\s*)?<(?:!DOCTYPE\s+html|html[\s>])", re.IGNORECASE)
_JSON_START = re.compile(rb"\{|\[\s*\{")
_NT_LINE = re.compile(rb"\s*(?:(?:<[^<>\s]*+>|_:\S++)\s*+<[^<>\s]*+>\s*+[<_\"].*\.\s*(?:#.*)?|#.*)?")

# What rdflib's parsers raise on broken input, besides their own errors.
_PARSER_ERRORS = (
    RdflibError, SAXException, ValueError, LookupError, TypeError, AttributeError, AssertionError,
    OverflowError,
)  # fmt: skip

Statement = tuple[URIRef, str, Node]


class StatementSink(Store):
    """A write-only triple store: keeps the statements asked for, counts the others.

    rdflib's own stores index every triple three times, which costs five times
    the memory.
    """

    def __init__(self, predicates: Container[str]) -> None:
        super().__init__()
        self.n_triples = 0
        self.statements: list[tuple[Node, str, Node]] = []
        self.others: Counter[str] = Counter()
        self._predicates = predicates

    def add(self, triple: tuple[Node, Node, Node], context: Any, quoted: bool = False) -> None:
        """Keep or count one statement; refuse one too many."""
        self.n_triples += 1
        if self.n_triples > MAX_TRIPLES:
            raise OntologyError(
                OntologyProblem.TOO_LARGE,
                f"the file holds more than {MAX_TRIPLES:,} statements; import a part of it",
            )
        subject, predicate, value = triple
        name = str(predicate)
        if name in self._predicates:
            self.statements.append((subject, name, value))
        else:
            self.others[name] += 1

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Pass over a prefix: nothing is ever written with it."""


def sniff_format(data: bytes) -> str:
    """Tell the RDF format from the content; a file's name says nothing.

    Returns
    -------
    str
        One of `FORMATS`.

    Raises
    ------
    OntologyError
        If it is empty, an archive, a web page or other known non-RDF.
    """
    for magic, what in _NOT_RDF:
        if data.startswith(magic):
            raise OntologyError(OntologyProblem.BAD_FORMAT, f"this file is {what}")
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise OntologyError(OntologyProblem.EMPTY, "the file is empty")
    if _HTML_START.match(start):
        raise OntologyError(
            OntologyProblem.BAD_FORMAT, "this file is a web page; download the ontology itself"
        )
    if _XML_START.match(start):
        if _RDF_NAMESPACE not in data:
            raise OntologyError(
                OntologyProblem.BAD_FORMAT, "this file is XML, but not RDF/XML; export it as RDF"
            )
        return "xml"
    if _JSON_START.match(start):
        return "json-ld"
    is_nt = all(_NT_LINE.fullmatch(line) for line in start.splitlines())
    return "nt" if is_nt else "turtle"


def parse_statements(data: bytes, predicates: Container[str], format: str = "") -> StatementSink:
    """Parse RDF; nothing it names is ever opened.

    Parameters
    ----------
    data : bytes
        Turtle, N-Triples or JSON-LD in UTF-8, or RDF/XML; at most `MAX_BYTES`.
    predicates : container of str
        IRIs of the predicates whose statements are wanted.
    format : str
        One of `FORMATS`, or "" to tell it from the content.

    Raises
    ------
    OntologyError
        If the data is too large, damaged, nested too deep or refers to outside.
    """
    if len(data) > MAX_BYTES:
        raise OntologyError(
            OntologyProblem.TOO_LARGE,
            f"the file has {len(data):,} bytes, at most {MAX_BYTES:,} can be imported",
        )
    name = sniff_format(data)
    if format and format not in FORMATS:
        raise ValueError(f"format must be one of {FORMATS}, got {format!r}")
    text = _decode(data)
    sink = StatementSink(predicates)
    graph = Graph(store=sink, bind_namespaces="none")
    try:
        _PARSERS[format or name](data if name == "xml" else text, graph)
    except OntologyError:
        raise
    except RecursionError as error:
        raise _nested() from error
    except BadSyntax as error:
        why = str(error._why)[:200]
        raise _syntax(f"line {error.lines + 1}: {why}") from error
    except expat.ExpatError as error:
        raise _syntax(f"{error}") from error
    except _PARSER_ERRORS as error:
        raise _syntax(f"{error}"[:300] or type(error).__name__) from error
    return sink


def _syntax(detail: str) -> OntologyError:
    return OntologyError(
        OntologyProblem.SYNTAX, f"the file is damaged or incomplete: {' '.join(detail.split())}"
    )


def _nested() -> OntologyError:
    return OntologyError(
        OntologyProblem.NESTED_TOO_DEEP,
        f"the file is nested too deep; more than {MAX_NESTING} levels are not read",
    )


def _decode(data: bytes) -> str:
    """Decode UTF-8; RDF/XML may declare another encoding, so it only must hold no NUL."""
    if (place := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, place) + 1
        raise OntologyError(
            OntologyProblem.BAD_ENCODING, f"line {line} holds a NUL byte; this is not a text file"
        )
    if sniff_format(data) == "xml":
        return ""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise OntologyError(
            OntologyProblem.BAD_ENCODING, f"line {line} is not UTF-8; save the file as UTF-8"
        ) from error

"""RDF bytes to statements: rdflib's parsers behind checks, feeding a light sink."""

import json
import re
from collections import Counter
from collections.abc import Callable, Container, Mapping
from io import StringIO
from typing import Any
from xml.parsers import expat
from xml.sax import SAXException

from rdflib import RDF, Graph
from rdflib.exceptions import Error as RdflibError
from rdflib.plugins.parsers.jsonld import to_rdf
from rdflib.plugins.parsers.notation3 import BadSyntax
from rdflib.plugins.parsers.ntriples import NTGraphSink, W3CNTriplesParser
from rdflib.store import Store
from rdflib.term import Node, _toPythonMapping

from crawler.knowledge.ontology.concepts import OntologyError, OntologyProblem
from crawler.knowledge.ontology.parsed_ontology import MAX_BYTES
from crawler.knowledge.ontology.rdf_format import decode_text, sniff_format

MAX_TRIPLES = 200_000
MAX_NESTING = 100
#: Namespaces of RDF/XML that hold at one place.
MAX_NAMESPACES = 500
#: Longest text of an element of RDF/XML.
MAX_TEXT_CHARS = 100_000
#: Each context of a JSON-LD file copies the terms of those around it, for each of its objects.
MAX_TERMS_COPIED = 10_000_000

#: Relative names in a file are resolved against this, and cut off again after
#: reading; without it rdflib would use the folder of the running process.
BASE_IRI = "http://ontology.invalid/"

_XML_ENCODING = re.compile(rb"\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([\w.-]{1,40})[\"']")
_XML_ENCODINGS = (b"utf-8", b"us-ascii", b"iso-8859-1")  # built into expat

# What of Turtle may hold a bracket without opening one, and the brackets.
_TURTLE_PART = re.compile(
    r"""
    \"{3} (?: [^"\\] | \\. | "(?!"") )*+ \"{3}  |  '{3} (?: [^'\\] | \\. | '(?!'') )*+ '{3}
    | " (?: [^"\\\n] | \\. )*+ "  |  ' (?: [^'\\\n] | \\. )*+ '
    | <[^<>\s]*+>  |  \#[^\n]*+  |  \\.  |  [\[\]()]
    """,
    re.DOTALL | re.VERBOSE,
)

# What rdflib's parsers raise on broken input, besides its own errors.
_PARSER_ERRORS: tuple[type[Exception], ...] = (
    *(RdflibError, SAXException, expat.ExpatError, ArithmeticError, AssertionError),
    *(AttributeError, LookupError, TypeError, ValueError),
)


# rdflib would read markup in literals with XML and HTML parsers, again for each element of it;
# here a literal is its text.
for _markup in (RDF.XMLLiteral, RDF.HTML):
    _toPythonMapping[_markup] = str


class StatementSink(Store):
    """A write-only triple store: keeps the requested statements, counts the others.

    rdflib's own stores index every triple three times, in four times the memory.
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


class _PlainGraph(Graph):
    """A graph that keeps no prefixes: nothing is ever written with them."""

    def bind(self, *prefix: Any, **options: Any) -> None:
        """Pass over a prefix; rdflib compares each with all before."""


class _NtLines(W3CNTriplesParser):
    """rdflib's reader of N-Triples, but long lines cost no more than short ones."""

    def readline(self) -> str | None:
        """Return the next line without its end; None after the last."""
        assert self.file is not None
        line = str(self.file.readline())
        return line.rstrip("\n") if line else None


def parse_statements(data: bytes, predicates: Container[str]) -> StatementSink:
    """Parse RDF; nothing it names is ever opened.

    Parameters
    ----------
    data : bytes
        Turtle, N-Triples or JSON-LD in UTF-8, or RDF/XML; at most `MAX_BYTES`.
    predicates : container of str
        IRIs of the predicates whose statements are wanted.

    Raises
    ------
    OntologyError
        If the data is too large, damaged, nested too deep or needs a second file.
    """
    if len(data) > MAX_BYTES:
        raise OntologyError(
            OntologyProblem.TOO_LARGE,
            f"the file has {len(data):,} bytes, at most {MAX_BYTES:,} can be imported",
        )
    parse = _PARSERS[sniff_format(data)]
    sink = StatementSink(predicates)
    graph = _PlainGraph(store=sink, bind_namespaces="none")
    try:
        parse(data, graph)
    except RecursionError as error:
        raise _too_deep() from error
    except BadSyntax as error:
        # Its own text quotes the file at length.
        raise _damaged(f"line {error.lines + 1}: {error._why}") from error
    except _PARSER_ERRORS as error:
        raise _damaged(str(error) or type(error).__name__) from error
    return sink


def _damaged(detail: str) -> OntologyError:
    short = " ".join(detail.split())[:300]
    return OntologyError(
        OntologyProblem.SYNTAX, f"the file is damaged, incomplete or no RDF: {short}"
    )


def _too_deep() -> OntologyError:
    return OntologyError(
        OntologyProblem.NESTED_TOO_DEEP,
        f"the file is nested too deep; up to {MAX_NESTING} levels are always read",
    )


def _parse_turtle(data: bytes, graph: Graph) -> None:
    text = decode_text(data)
    _check_turtle(text)
    graph.parse(data=text, format="turtle", publicID=BASE_IRI)


def _check_turtle(text: str) -> None:
    """Refuse deep nesting."""
    depth = 0
    for part in _TURTLE_PART.finditer(text):
        if part[0] in "[(":
            depth += 1
            if depth > MAX_NESTING:
                raise _too_deep()
        elif part[0] in "])":
            depth -= 1


def _parse_nt(data: bytes, graph: Graph) -> None:
    # Of the three line ends that are allowed, all are read as one.
    _NtLines(NTGraphSink(graph)).parse(StringIO(decode_text(data), newline=None))


def _parse_xml(data: bytes, graph: Graph) -> None:
    _check_xml(data)
    graph.parse(data=data, format="xml", publicID=BASE_IRI)


def _check_xml(data: bytes) -> None:
    """Refuse deep nesting, rare encodings, and entities that reach outside or multiply."""
    declared = _XML_ENCODING.match(data)
    if declared and declared[1].lower() not in _XML_ENCODINGS:
        raise OntologyError(
            OntologyProblem.BAD_ENCODING,
            f"the XML is in {declared[1].decode()}; save the file as UTF-8",
        )
    n_chars = 0
    #: Of each open element, the namespaces it declares.
    declared_in: list[int] = []

    def start(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal n_chars
        n_chars = 0
        declared_in.append(sum(name.startswith("xmlns") for name in attributes))
        if len(declared_in) > MAX_NESTING:
            raise _too_deep()
        # rdflib copies all that are open for each.
        if declared_in[-1] and sum(declared_in) > MAX_NAMESPACES:
            raise OntologyError(
                OntologyProblem.TOO_LARGE,
                f"the file has more than {MAX_NAMESPACES} XML namespaces in one place",
            )

    def end(name: str) -> None:
        nonlocal n_chars
        n_chars = 0
        declared_in.pop()

    def text(piece: str) -> None:
        nonlocal n_chars
        n_chars += len(piece)
        # rdflib puts a text together at the cost of a copy for each line.
        if n_chars > MAX_TEXT_CHARS:
            raise OntologyError(
                OntologyProblem.TOO_LARGE,
                f"a text in the file has more than {MAX_TEXT_CHARS:,} characters; shorten it",
            )

    def entity(name: str, is_parameter: bool, value: str | None, *where: str | None) -> None:
        # Short names for namespaces are common; all else is a trap.
        if is_parameter or value is None or "&" in value or len(value) > 1000:
            raise OntologyError(
                OntologyProblem.ENTITIES,
                f"the XML entity {name!r} is external, nested or long; write its text out",
            )

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = entity
    parser.Parse(data, True)


def _parse_jsonld(data: bytes, graph: Graph) -> None:
    document = json.loads(decode_text(data))
    _check_jsonld(document)
    to_rdf(document, graph, base=BASE_IRI, version=1.1)


def _check_jsonld(document: Any) -> None:
    """Refuse deep nesting and contexts that would have to be fetched or opened."""
    level = [document]
    n_objects = n_contexts = most_terms = 0
    for _ in range(MAX_NESTING + 1):
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                _check_context(value)
                n_objects += 1
                if "@context" in value:
                    n_contexts += 1
                    most_terms = max(most_terms, _n_terms(value["@context"]))
                below.extend(value.values())
            elif isinstance(value, list):
                below.extend(value)
        if not below:
            break
        level = below
    else:
        raise _too_deep()
    if n_contexts > 1 and n_objects * most_terms > MAX_TERMS_COPIED:
        raise OntologyError(
            OntologyProblem.TOO_LARGE,
            f"the file has {n_contexts:,} JSON-LD contexts, one of them with {most_terms:,} terms;"
            " put them into one context",
        )


def _n_terms(context: Any) -> int:
    if isinstance(context, list):
        return sum(map(_n_terms, context))
    return len(context) if isinstance(context, dict) else 0


def _check_context(node: Mapping[str, Any]) -> None:
    contexts = node.get("@context")
    for context in contexts if isinstance(contexts, list) else [contexts]:
        where = context.get("@import") if isinstance(context, dict) else context
        if where is not None:
            raise OntologyError(
                OntologyProblem.REMOTE_CONTEXT,
                f"the JSON-LD context {str(where)[:200]!r} is not in the file, and nothing is "
                "fetched; put the context's content in its place",
            )


_PARSERS: Mapping[str, Callable[[bytes, Graph], None]] = {
    "turtle": _parse_turtle,
    "nt": _parse_nt,
    "xml": _parse_xml,
    "json-ld": _parse_jsonld,
}

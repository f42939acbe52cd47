"""The format of an uploaded ontology, detected from its bytes; the file's name does not count."""

import re

from crawler.knowledge.ontology.concepts import OntologyError, OntologyProblem

_NOT_RDF = (
    (b"PK\x03\x04", "a ZIP archive; unpack it and choose the file inside"),
    (b"PK\x05\x06", "a ZIP archive without a file"),
    (b"PK\x07\x08", "a part of a ZIP archive; unpack the whole and choose the file inside"),
    (b"Rar!\x1a\x07", "a RAR archive; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive; unpack it first"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"\xfd7zXZ", "an xz archive; unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"%PDF", "a PDF document; choose a Turtle, N-Triples, RDF/XML or JSON-LD file"),
    (b"\xd0\xcf\x11\xe0", "an Office document; choose a Turtle or RDF/XML file"),
    (b"\xff\xfe", "text in UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16; save it as UTF-8"),
)
_RDF_NAMESPACE = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#"
# A Turtle IRI in angle brackets never holds white space, a root element must.
_XML_START = re.compile(rb"<(?:\?xml\s|!--|!DOCTYPE\s|[\w.-]+(?::[\w.-]+)?\s)", re.IGNORECASE)
_HTML_START = re.compile(rb"(?:<\?xml[^>]*>\s*)?<(?:!DOCTYPE\s+html|html[\s>])", re.IGNORECASE)
_JSON_START = re.compile(rb"\{|\[\s*\{")
# One object a line; what abbreviates more than N-Triples allows is Turtle.
_NT_LINE = re.compile(
    rb"""\s*+ (?:
        (?: <[^<>\s]*+> | _:[\w.-]++ ) \s*+ <[^<>\s]*+> \s*+
        (?: <[^<>\s]*+> | _:[\w-]++ (?:\.[\w-]++)*+
          | "(?:[^"\\]++|\\.)*+" (?: @[\w-]++ | \^\^<[^<>\s]*+> )?+ )
        \s*+ \. \s*+
    )? (?: \#.* )?""",
    re.VERBOSE,
)


def sniff_format(data: bytes) -> str:
    """Detect the RDF format of a file.

    Parameters
    ----------
    data : bytes
        The whole file.

    Returns
    -------
    str
        "turtle", "nt", "xml" or "json-ld".

    Raises
    ------
    OntologyError
        If the file is empty, holds NUL bytes, is an archive, a web page or another known format
        that is not RDF.
    """
    for magic, what in _NOT_RDF:
        if data.startswith(magic):
            raise OntologyError(OntologyProblem.BAD_FORMAT, f"this file is {what}")
    if (place := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, place) + 1
        raise OntologyError(
            OntologyProblem.BAD_ENCODING, f"line {line} holds a NUL byte; this is not a text file"
        )
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
    is_nt = all(_NT_LINE.fullmatch(line) for line in start.split(b"\n"))
    return "nt" if is_nt else "turtle"


def decode_text(data: bytes) -> str:
    """Decode the formats that are UTF-8 by definition; a leading BOM is dropped.

    Raises
    ------
    OntologyError
        If it is not UTF-8; the line is named.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise OntologyError(
            OntologyProblem.BAD_ENCODING, f"line {line} is not UTF-8; save the file as UTF-8"
        ) from error

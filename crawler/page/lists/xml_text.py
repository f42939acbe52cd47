"""XML from strangers, made harmless before a parser sees it."""

import re
from collections.abc import Iterable, Iterator
from html import entities
from typing import Any, Final

from lxml import etree

from crawler.page.charset.decoding import decode

# A document without a document type has no entities to expand and loads nothing.
_DECLARATION = re.compile(r"<\?xml\b[^>]{0,500}\?>", re.IGNORECASE)
_DOCTYPE = re.compile(
    r"\s*(?:<[?!](?!doctype)[^<>]{0,2000}>\s*){0,5}(<!DOCTYPE\b[^\[>]{0,2000}(?:\[.*?\]\s{0,20})?>)",
    re.IGNORECASE | re.DOTALL,
)
_NAMED = re.compile(r"&([a-zA-Z][a-zA-Z0-9]{1,31});")
_BARE = re.compile(r"&(?!#?[a-zA-Z0-9]{1,31};)")
# Half of a character beyond the basic plane, by its number: some programs write both halves.
_HALF = re.compile(r"&#(?:0*(5[5-7][0-9]{3})|[xX]0*([dD][89a-fA-F][0-9a-fA-F]{2}));")
_BOTH_HALVES = re.compile("([\ud800-\udbff])([\udc00-\udfff])")
_OF_XML: Final = frozenset({"amp", "lt", "gt", "quot", "apos"})
# Begins neither a tag nor a comment or the like.
_STRAY = re.compile(rb"<(?![A-Za-z_:/!?\x80-\xff])")
_STEP_BYTES: Final = 1 << 16
_OPTIONS: Final[dict[str, Any]] = {
    "encoding": "utf-8",
    "resolve_entities": False,
    "load_dtd": False,
    "no_network": True,
    "recover": True,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
# What XML 1.0 has no place for; one of them would end the document.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def parse_xml(body: bytes, content_type: str = "", url: str = "") -> Any:
    """Parse XML as far as it goes; the root element, or None if there is none.

    Parameters
    ----------
    body : bytes
        Perhaps broken, perhaps crafted. No entity of its own is expanded, nothing loaded.
    content_type : str
        The Content-Type header, for its charset.
    url : str
        Where it came from: what relative addresses are relative to.

    Returns
    -------
    lxml element or None
        Names keep their namespaces; use `local_name`.
    """
    parser = etree.XMLParser(**_OPTIONS)
    try:
        return etree.fromstring(_clean_xml(body, content_type), parser, base_url=url)
    except etree.XMLSyntaxError:
        return None  # Not even one element could be saved.


def iterate_xml(body: bytes, content_type: str, roots: Iterable[str]) -> Iterator[Any]:
    """Parse XML as `parse_xml` does. Yield the root element, and then each of its children.

    If the root has one of the names in `roots`, children are removed once they were yielded: the
    tree of a whole file takes more than ten times the memory of the file.
    """
    # A parser that reads in steps would end at such a "<".
    xml = _STRAY.sub(b"&lt;", _clean_xml(body, content_type))
    parser = etree.XMLPullParser(("start",), tag=[f"{{*}}{name}" for name in roots], **_OPTIONS)
    root = None
    try:
        for start in range(0, len(xml), _STEP_BYTES):
            parser.feed(xml[start : start + _STEP_BYTES])
            for _, element in parser.read_events():
                if root is None and element.getparent() is None:
                    root = element
                    yield root
            if root is not None:
                # The last one may not be complete yet.
                yield from root[:-1]
                del root[:-1]
        whole = parser.close()
    except etree.XMLSyntaxError:
        return  # Not even one element could be saved.
    if whole is not None:
        yield from [whole] if root is None else []
        yield from whole


def _clean_xml(body: bytes, content_type: str) -> bytes:
    """Return XML in UTF-8, without a document type and what else a parser would stop at."""
    text, _, _ = decode(body, content_type)
    text = _DECLARATION.sub("", text.lstrip(), count=1)
    # Only at the start: a search for it all over crafted text would take minutes.
    if doctype := _DOCTYPE.match(text):
        text = text[doctype.end() :]
    if "&#" in text:
        # The parser would take half a character and fail when it is read.
        text = _BOTH_HALVES.sub(_whole, _HALF.sub(_half, text))
    text = _FORBIDDEN.sub("", _BARE.sub("&amp;", _NAMED.sub(_character, text)))
    return text.strip().encode("utf-8", "replace")


def local_name(element: Any) -> str:
    """Return an element's name in lower case, without its namespace."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""


def text_of(element: Any) -> str:
    """Return all text inside an element, without markup that was put there escaped."""
    return "".join(element.itertext())


def _half(match: re.Match[str]) -> str:
    number = int(match[1]) if match[1] else int(match[2], 16)
    return chr(number) if 0xD800 <= number <= 0xDFFF else match[0]


def _whole(match: re.Match[str]) -> str:
    high, low = map(ord, match.groups())
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))


def _character(match: re.Match[str]) -> str:
    """HTML's names stand in feeds as if XML had them."""
    name = match[1]
    if name in _OF_XML:
        return match[0]
    return entities.html5.get(f"{name};", f"&amp;{name};")

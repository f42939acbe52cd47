"""Bytes to characters: the closed WHATWG label table, then a bounded guess."""

import re

from crawler.page.charset.charset_guess import guess_charset, guess_utf16
from crawler.page.charset.charset_labels import codec_of, standard_name

# Where an author may declare it; the standard reads 1,024 bytes, real pages need more.
_PRESCAN_BYTES = 8192
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(r"<meta[\s/]([^>]{0,1000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([^\s=/\"'>]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_XML = re.compile(r"<\?xml\b[^>]{0,200}?encoding\s*=\s*[\"']([\w.:()+-]{1,40})[\"']", re.IGNORECASE)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:()+-]{1,40})", re.IGNORECASE)
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_WEAK = "windows-1252"


def decode(body: bytes, content_type: str) -> tuple[str, str, bool]:
    """Decode a page's bytes: BOM, then header, then meta, then a guess.

    Parameters
    ----------
    content_type : str
        The Content-Type header, or "".

    Returns
    -------
    text : str
        Never fails: what cannot be decoded is U+FFFD.
    charset : str
        The standard's name of the encoding, lower case.
    guessed : bool
        Nothing valid was declared and the bytes are not UTF-8.

    Notes
    -----
    *Resolved*: a header that says latin-1 is a server's default more often
    than the truth, so it yields to a differing meta, and to valid UTF-8.

    References
    ----------
    WHATWG Encoding Standard, section 4.2; HTML Standard, "encoding sniffing".
    """
    for mark, name in _BOMS:
        if body.startswith(mark):
            return _decoded(body[len(mark) :], name), name, False
    header = _declared_in_header(content_type)
    if header and header != _WEAK:
        return _decoded(body, header), header, False
    declared = _declared_in_markup(body) or header
    if declared and (declared != _WEAK or not header):
        return _decoded(body, declared), declared, False
    if wide := guess_utf16(body):
        # Before UTF-8: zero bytes are valid there, and no text has so many.
        return _decoded(body, wide), wide, True
    try:
        return body.decode("utf-8"), "utf-8" if not (header and body.isascii()) else header, False
    except UnicodeDecodeError:
        pass  # Not UTF-8, which is an answer, not a fault.
    name = header or guess_charset(body)
    return _decoded(body, name), name, not header


def _decoded(body: bytes, name: str) -> str:
    return body.decode(codec_of(name), "replace")


def _declared_in_header(content_type: str) -> str:
    match = _HEADER.search(content_type[:1000])
    return standard_name(match[1]) if match else ""


def _declared_in_markup(body: bytes) -> str:
    head = _COMMENT.sub(b"", body[:_PRESCAN_BYTES]).decode("ascii", "replace")
    xml = _XML.match(head.lstrip())
    labels = [xml[1]] if xml else []
    labels += [_label_in_meta(match[1]) for match in _META.finditer(head)]
    name = next(filter(None, map(standard_name, labels)), "")
    # Bytes in which "<meta" could be read are not UTF-16.
    return "utf-8" if name.startswith("utf-16") else name


def _label_in_meta(tag: str) -> str:
    attributes: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(tag):
        attributes.setdefault(match[1].lower(), match[2] or match[3] or match[4] or "")
    if "charset" in attributes:
        return attributes["charset"]
    if attributes.get("http-equiv", "").lower() != "content-type":
        return ""
    said = _HEADER.search(attributes.get("content", ""))
    return said[1] if said else ""

"""Guess an undeclared encoding from a bounded sample of the bytes."""

import re

from crawler.page.charset.charset_labels import codec_of, standard_name

_SAMPLE_BYTES = 16_384
_NON_ASCII = re.compile(rb"[\x80-\xff][\x40-\xff]*(?:[\x80-\xff][\x40-\xff]*)*")
# The commonest characters of each writing: about a third of any honest text,
# and next to none of the same bytes read as another encoding.
_COMMON = {
    "gb18030": "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也"
    "对生能而子得于下自年过发后作里用道行所然家",
    "big5": "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也"
    "對生能而子得於下自年過發後作裡用道行所然家",
    "euc-jp": "のにはをたがでてとしれさいるもなかこらあまうすりっンスーイトルラリ日本人年大",
    "shift_jis": "のにはをたがでてとしれさいるもなかこらあまうすりっンスーイトルラリ日本人年大",
    "euc-kr": "이다는을의에가한고를로은지하기사서도리인나자아대시어정그일있해수",
}
_MIN_SHARE = 0.12
#: Five ways to write one alphabet. They share most bytes, so only small letters count for an
#: encoding (KOI8 has them where the others have capitals), and bytes that are not letters count
#: against it.
_CYRILLIC = ("windows-1251", "koi8-u", "iso-8859-5", "ibm866", "x-mac-cyrillic")
_COMMON_CYRILLIC = frozenset("оеаинтсрвл")
_ALPHABET = frozenset("абвгдежзийклмнопрстуфхцчшщъыьэюяёієї")
#: Two thirds of Russian are those ten letters; Hebrew or Greek read as Russian have a third.
_MIN_CYRILLIC = 0.5
_RUN = re.compile(rb"[\x80-\xff]{3,}")


def guess_charset(body: bytes) -> str:
    """Name the likeliest encoding of bytes that are not UTF-8.

    Parameters
    ----------
    body : bytes
        Only about 16 KiB of it are read.

    Returns
    -------
    str
        A standard name; "windows-1252" if nothing else fits.
    """
    if wide := guess_utf16(body):
        return wide
    sample = b" ".join(_NON_ASCII.findall(body[: 16 * _SAMPLE_BYTES]))[:_SAMPLE_BYTES]
    shares = {name: _common_share(sample, name) for name in _COMMON}
    best = max(shares, key=lambda name: shares[name])
    if shares[best] >= _MIN_SHARE:
        return best
    if cyrillic := _guess_cyrillic(body[: 16 * _SAMPLE_BYTES]):
        return cyrillic
    return _guess_by_library(body[:4096]) or "windows-1252"


def guess_utf16(body: bytes) -> str:
    """Detect UTF-16 without a BOM by the zero bytes of its ASCII markup; "" if it is another
    encoding.
    """
    head = body[:2000]
    pairs = len(head) // 2
    zeros_first, zeros_second = head[0::2].count(0), head[1::2].count(0)
    fewer, more = sorted((zeros_first, zeros_second))
    if pairs and more * 4 > pairs and more > 4 * fewer:
        return "utf-16be" if zeros_first > zeros_second else "utf-16le"
    return ""


def _common_share(sample: bytes, name: str) -> float:
    """Share of a script's commonest characters among all non-ASCII ones, in [0, 1]."""
    text = sample.decode(codec_of(name), "replace")
    letters = [char for char in text if char > "\u0080"]
    if not letters:
        return 0.0
    n_bad = letters.count("\ufffd")
    n_common = sum(map(frozenset(_COMMON[name]).__contains__, letters))
    return (n_common - 2 * n_bad) / len(letters)


def _guess_cyrillic(body: bytes) -> str:
    """Detect which of the five Cyrillic encodings it is; "" if it is none of them."""
    runs = b"".join(_RUN.findall(body))[:_SAMPLE_BYTES]
    # Latin letters with accents stand alone among plain ones.
    if len(runs) * 2 < min(_SAMPLE_BYTES, sum(byte >= 0x80 for byte in body)):
        return ""
    shares = {name: _cyrillic_share(runs, name) for name in _CYRILLIC}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] >= _MIN_CYRILLIC else ""


def _cyrillic_share(runs: bytes, name: str) -> float:
    """Share of the commonest Cyrillic letters, less the share of non-letters, at most 1."""
    text = runs.decode(codec_of(name), "replace")
    n_common = sum(char in _COMMON_CYRILLIC for char in text)
    n_foreign = sum(char.lower() not in _ALPHABET for char in text)
    return (n_common - n_foreign) / len(text) if text else 0.0


def _guess_by_library(sample: bytes) -> str:
    # Imported late: rarely needed, and costs a parse child's start more than its use.
    from charset_normalizer import from_bytes

    found = from_bytes(sample, steps=3, chunk_size=512).best()
    name = standard_name(found.encoding.replace("_", "-")) if found else ""
    # Of several encodings that give the same text, the commonest is meant.
    if name and sample.decode(codec_of(name), "replace") == sample.decode("cp1252", "replace"):
        return "windows-1252"
    return name

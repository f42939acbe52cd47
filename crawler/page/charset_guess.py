"""Guess an undeclared encoding from a bounded sample of the bytes."""

import re

from crawler.page.charset_labels import codec_of, standard_name

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


def guess_charset(body: bytes) -> str:
    """Name the likeliest encoding of bytes that are not UTF-8.

    Parameters
    ----------
    body : bytes
        Only about 16 KiB of it are looked at.

    Returns
    -------
    str
        A standard name; "windows-1252" if nothing else fits.
    """
    if wide := _guess_utf16(body[:2000]):
        return wide
    sample = b" ".join(_NON_ASCII.findall(body[: 16 * _SAMPLE_BYTES]))[:_SAMPLE_BYTES]
    shares = {name: _common_share(sample, name) for name in _COMMON}
    best = max(shares, key=lambda name: shares[name])
    if shares[best] >= _MIN_SHARE:
        return best
    return _guess_by_library(body[:4096]) or "windows-1252"


def _guess_utf16(head: bytes) -> str:
    """Tell UTF-16 without a mark by the zero bytes of its ASCII markup."""
    pairs = len(head) // 2
    zeros_first, zeros_second = head[0::2].count(0), head[1::2].count(0)
    if pairs and max(zeros_first, zeros_second) * 4 > pairs * 1 and zeros_first != zeros_second:
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


def _guess_by_library(sample: bytes) -> str:
    # Imported late: rarely needed, and costs a parse child's start more than its use.
    from charset_normalizer import from_bytes

    found = from_bytes(sample, steps=3, chunk_size=512).best()
    name = standard_name(found.encoding.replace("_", "-")) if found else ""
    # Of several encodings that give the same text, the commonest is meant.
    if name and sample.decode(codec_of(name), "replace") == sample.decode("cp1252", "replace"):
        return "windows-1252"
    return name

"""Text to the tokens that are matched: one function for pages, anchors, URLs, terms."""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import unquote

from crawler.text.fold import fold
from crawler.text.words import join_segments, split_segments, token_of, word_spans

__all__ = ["SurfaceToken", "fold", "surface_tokens", "tokenize", "url_tokens"]

_MAX_LABEL = 63
_HOST_AND_PATH = re.compile(r"[a-z][a-z0-9+.-]*://([^/?#]*)([^?#]*)", re.IGNORECASE)
# Parts of addresses that say how a page is served, not what it is about.
_NOISE_WORDS = "www com net org edu gov mil co ac info html htm shtml xhtml php asp aspx jsp index"
_URL_NOISE = frozenset(_NOISE_WORDS.split())


class SurfaceToken(NamedTuple):
    """A word where it stands in a text: `text[start:end]` folds to `word`."""

    word: str
    start: int
    end: int


def tokenize(text: str) -> list[str]:
    """Split text into the tokens that topics and pages are compared by.

    Width, case and traditional characters are folded; Han runs are segmented;
    other runs are words, joined where the join means something ("c++", "c#",
    ".net", "gpt-3", "tcp/ip"), and stemmed if they are plain ASCII letters;
    stop words of both languages are left out, also one-character ones.

    Parameters
    ----------
    text : str
        Anything: a page, an anchor, a topic's term. Time is linear in its length.

    Returns
    -------
    list of str
        Tokens in reading order, each at most `MAX_TOKEN` characters.
    """
    return split_segments(join_segments([text]))[0]


def surface_tokens(text: str) -> list[SurfaceToken]:
    """List the words of a text that have a token, unstemmed, with their places.

    Parameters
    ----------
    text : str
        As shown, not folded.

    Returns
    -------
    list of SurfaceToken
        In reading order; ``tokenize(word)`` of each gives its token.
    """
    folded, starts, ends = _fold_with_places(text)
    return [
        SurfaceToken(word, starts[start], ends[end - 1])
        for word, start, end in word_spans(folded)
        if token_of(word)
    ]


def _fold_with_places(text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """Fold text; say for each folded character where its source in `text` starts and ends."""
    folded = fold(text)
    if len(folded) == len(text) and not any(map(unicodedata.combining, text)):
        return folded, range(len(text)), range(1, len(text) + 1)
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    start = 0
    for end in range(1, len(text) + 1):
        # A combining mark belongs to the letter before it, as NFKC joins the two.
        if end < len(text) and unicodedata.combining(text[end]):
            continue
        part = fold(text[start:end])
        parts.append(part)
        starts.extend([start] * len(part))
        ends.extend([end] * len(part))
        start = end
    return "".join(parts), starts, ends


def url_tokens(url: str) -> list[str]:
    """Tokenise the host and path of a URL, the words it gives away unfetched [P4].

    Percent-encoding and Punycode are decoded; the top-level domain, technical
    words (www, html, index) and numbers are left out.

    Parameters
    ----------
    url : str
        Absolute; anything else has no tokens.
    """
    match = _HOST_AND_PATH.match(url)
    if match is None:
        return []
    host, path = match[1].partition(":")[0], unquote(match[2], errors="replace")
    labels = [_decode_label(label) for label in host.split(".")]
    words = " ".join([*labels[:-1], path.replace("_", " ")])
    return [t for t in tokenize(words) if t not in _URL_NOISE and not t.isdecimal()]


def _decode_label(label: str) -> str:
    # Longer than a name can have it; decoding takes time squared.
    if not label.startswith("xn--") or len(label) > _MAX_LABEL:
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return ""

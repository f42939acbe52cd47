"""Tokens as a page writes them: people read "memory" and "CPU", not "memori" and "cpu"."""

import re
from collections import Counter
from collections.abc import Iterable

from crawler.api.text import tokenize

#: Enough of a page to find its main terms in.
MAX_CHARS = 40_000

_WORD = re.compile(r"[A-Za-z]{2,40}")
#: A stem shares its first letters with its word, nearly always.
_HEAD = 3


def words_as_written(text: str, tokens: Iterable[str]) -> dict[str, str]:
    """Find for each folded and stemmed token the word that a text has most often for it.

    Parameters
    ----------
    text : str
        A page's title and text; only the first `MAX_CHARS` characters are read.
    tokens : iterable of str
        Tokens of words that are not plain Latin letters are left out: those are
        shown as they are.

    Returns
    -------
    dict of str to str
        Only the tokens that were found.
    """
    wanted = {token for token in tokens if token.isascii() and token.isalpha()}
    heads = {token[:_HEAD] for token in wanted}
    words = Counter(
        word for word in _WORD.findall(text[:MAX_CHARS]) if word[:_HEAD].lower() in heads
    )
    found: dict[str, str] = {}
    for word, _count in words.most_common():
        for token in tokenize(word):
            if token in wanted:
                found.setdefault(token, word)
    return found

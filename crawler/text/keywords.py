"""The key words of a Chinese text, by jieba's own statistics."""

import re
from functools import cache
from typing import Any

from crawler.text.fold import HAN, fold
from crawler.text.segment import cut_han
from crawler.text.stopwords import STOP_WORDS

_HAN_RUNS = re.compile(f"[{HAN}]+")
#: Most characters of a text that are read.
MAX_CHARS = 50_000


class _Cutter:
    """Lets jieba's statistics use our segmenter, so that its dictionary is not loaded."""

    def cut(self, text: str) -> list[str]:
        return [word for run in _HAN_RUNS.findall(text) for word in cut_han(run)]


@cache
def _extractor() -> Any:
    # Its table of word frequencies takes half a second: only who suggests terms pays for it.
    from jieba.analyse import TFIDF

    extractor = TFIDF()
    extractor.tokenizer = _Cutter()
    return extractor


def chinese_keywords(text: str, limit: int = 20) -> list[tuple[str, float]]:
    """Extract the Han words that are typical of a text, compared with Chinese at large.

    Parameters
    ----------
    text : str
        Only its first 50,000 characters are read.
    limit : int, default 20
        Most words, >= 1.

    Returns
    -------
    list of (str, float)
        Folded words of two characters or more with their TF-IDF, largest first.
    """
    found = _extractor().extract_tags(fold(text[:MAX_CHARS]), topK=limit, withWeight=True)
    return [(word, weight) for word, weight in found if word not in STOP_WORDS]

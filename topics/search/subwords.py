"""Dictionary words inside a longer Chinese word: 农业 and 银行 in 农业银行."""

from collections.abc import Callable
from functools import cache, lru_cache

#: Lengths of the sub-words, as in jieba's search mode.
_LENGTHS = (2, 3)


@cache
def _dictionary() -> Callable[[str], bool]:
    """Return the test whether the segmenter's dictionary holds a word.

    Loaded when first needed: it takes 30 MB, and few processes index or search.
    """
    try:
        import rjieba
    except ImportError:
        import jieba

        frequencies, _ = jieba.Tokenizer().gen_pfdict(jieba.get_dict_file())
        return lambda word: bool(frequencies.get(word))
    has_word: Callable[[str], bool] = rjieba.has_word
    return has_word


def sub_words(word: str) -> tuple[str, ...]:
    """Return the shorter dictionary words that a Han word holds, shortest first."""
    is_word = _dictionary()
    return tuple(
        word[i : i + length]
        for length in _LENGTHS
        if length < len(word)
        for i in range(len(word) - length + 1)
        if is_word(word[i : i + length])
    )


@lru_cache(maxsize=50_000)
def with_sub_words(word: str) -> tuple[str, ...]:
    """Return a Han word and its sub-words."""
    return (word, *sub_words(word))


@lru_cache(maxsize=10_000)
def finest(word: str) -> tuple[str, ...]:
    """Return the sub-words of a Han word if together they cover it, else the word."""
    inner = sub_words(word)
    covered = {
        i
        for part in inner
        for start in range(len(word))
        if word.startswith(part, start)
        for i in range(start, start + len(part))
    }
    return inner if len(covered) == len(word) else (word,)

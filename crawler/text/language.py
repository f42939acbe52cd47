"""Which language a text is in: a light rule, good enough for Chinese and English."""

import re

from crawler.text.fold import HAN

_SAMPLE_CHARS = 2000
_HAN_RUNS = re.compile(f"[{HAN}]+")
_KANA_RUNS = re.compile("[\u3041-\u30ff]+")
_HANGUL_RUNS = re.compile("[\uac00-\ud7af]+")
_CYRILLIC_RUNS = re.compile("[\u0400-\u04ff]+")
_LATIN_WORDS = re.compile("[A-Za-z\u00c0-\u024f]+")
_DECLARED = re.compile(r"\s*([a-z]{2})(?:[-_].*|\s*)$", re.IGNORECASE | re.DOTALL)
# The words every English text is full of, and hardly any other language.
_ENGLISH_WORDS = "the of and to is that for with are was this you have from it be"
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_MIN_ENGLISH_SHARE = 0.08
_MIN_CHARS = 12
_EAST_ASIAN = ("zh", "ja", "ko")


def detect_language(text: str, declared: str = "") -> str:
    """Name the language of a text.

    Scripts decide before anything the page says of itself; among languages
    written in Latin letters the declared one holds, unless the page says
    nothing (or says a language of another script) and reads like English.

    Parameters
    ----------
    text : str
        Only its first 2,000 characters are read.
    declared : str, default ""
        What the page says, for example "zh-CN".

    Returns
    -------
    str
        ISO 639-1 code in lower case; "" when unknown.
    """
    match = _DECLARED.match(declared[:100])
    said = match[1].lower() if match else ""
    sample = text[:_SAMPLE_CHARS]
    words = _LATIN_WORDS.findall(sample)
    if not sample.isascii() and (by_script := _by_script(sample, len(words), said)):
        return by_script
    return _by_words(words, said)


def _by_script(sample: str, n_words: int, said: str) -> str:
    """Decide by letters that only few languages use; "" if those do not prevail."""
    n_han, n_kana, n_hangul = (
        sum(map(len, runs.findall(sample))) for runs in (_HAN_RUNS, _KANA_RUNS, _HANGUL_RUNS)
    )
    n_east_asian = n_han + n_kana + n_hangul
    # A Latin word weighs as much as the two characters it would be in Chinese.
    if n_east_asian < _MIN_CHARS // 3 or n_east_asian < 2 * n_words // 3:
        n_cyrillic = sum(map(len, _CYRILLIC_RUNS.findall(sample)))
        return (said if said not in ("", "en") else "ru") if n_cyrillic > 3 * n_words else ""
    if n_kana * 10 > n_east_asian:
        return "ja"
    if n_hangul * 5 > n_east_asian:
        return "ko"
    return "ja" if said == "ja" and n_kana else "zh"


def _by_words(words: list[str], said: str) -> str:
    if said and said not in _EAST_ASIAN:
        return said
    if sum(map(len, words)) < _MIN_CHARS:
        return said
    n_english = sum(word.lower() in _ENGLISH for word in words)
    return "en" if n_english >= _MIN_ENGLISH_SHARE * len(words) else said


class ScriptAndWords:
    """Our own reader of languages."""

    name = "script_and_words"

    def language(self, text: str, declared: str) -> str:
        """As `detect_language`."""
        return detect_language(text, declared)

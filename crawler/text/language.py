"""Which language a text is in: a light rule, good enough for Chinese and English."""

import re

from crawler.text.fold import HAN

_SAMPLE_CHARS = 4000
_SCRIPTS = re.compile(
    rf"(?P<han>[{HAN}])|(?P<kana>[\u3041-\u30ff])|(?P<hangul>[\uac00-\ud7af])"
    r"|(?P<cyrillic>[\u0400-\u04ff])|(?P<latin>[A-Za-z\u00c0-\u024f]+)"
)
_DECLARED = re.compile(r"\s*([a-z]{2})(?:[-_].*|\s*)$", re.IGNORECASE | re.DOTALL)
# The words every English text is full of, and hardly any other language.
_ENGLISH = frozenset("the of and to is that for with are was this you have from it be".split())
_MIN_ENGLISH_SHARE = 0.08
_MIN_CHARS = 12


def detect_language(text: str, declared: str = "") -> str:
    """Name the language of a text.

    Scripts decide before anything the page says of itself; among languages
    written in Latin letters the declared one holds, unless the page says
    nothing (or says a language of another script) and reads like English.

    Parameters
    ----------
    text : str
        Only its first 4,000 characters are looked at.
    declared : str, default ""
        What the page says, for example "zh-CN".

    Returns
    -------
    str
        ISO 639-1 code in lower case; "" when unknown.
    """
    match = _DECLARED.match(declared[:100])
    said = match[1].lower() if match else ""
    counts = {"han": 0, "kana": 0, "hangul": 0, "cyrillic": 0, "latin": 0}
    words: list[str] = []
    for found in _SCRIPTS.finditer(text[:_SAMPLE_CHARS]):
        script = found.lastgroup or ""
        counts[script] += 1
        if script == "latin":
            words.append(found[0].lower())
    return _by_script(counts, said) or _by_words(words, said)


def _by_script(counts: dict[str, int], said: str) -> str:
    """Decide by letters that only few languages use; "" if those do not prevail."""
    east_asian = counts["han"] + counts["kana"] + counts["hangul"]
    # A Latin word weighs as much as the two or three characters it would be in Chinese.
    if east_asian < _MIN_CHARS // 3 or east_asian < 2 * counts["latin"] // 3:
        return ("ru" if said in ("", "en") else said) if counts["cyrillic"] > 100 else ""
    if counts["kana"] * 10 > east_asian:
        return "ja"
    if counts["hangul"] * 5 > east_asian:
        return "ko"
    return "ja" if said == "ja" and counts["kana"] else "zh"


def _by_words(words: list[str], said: str) -> str:
    if said and said not in ("zh", "ja", "ko"):
        return said
    if sum(map(len, words)) < _MIN_CHARS:
        return said
    n_english = sum(word in _ENGLISH for word in words)
    return "en" if n_english >= _MIN_ENGLISH_SHARE * len(words) else said

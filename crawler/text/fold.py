"""One spelling for characters that mean the same: width, case, script variant."""

import re
import unicodedata

import opencc

#: Ranges of Han characters; 々 and 〇 behave like them in words.
HAN = "々〇\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"

# Rarer characters beyond the basic plane stay as they are: they would make the
# search below ten times as slow, for every page.
_HAN_BLOCKS = ((0x3400, 0x4DC0), (0x4E00, 0xA000))


def _simplified_forms() -> dict[int, str]:
    """Map each traditional character to its simplified one, after OpenCC's t2s.

    One character a line, so that no phrase rule of the converter can apply.
    """
    characters = [chr(code) for block in _HAN_BLOCKS for code in range(*block)]
    converted = opencc.OpenCC("t2s").convert("\n".join(characters)).split("\n")
    pairs = zip(characters, converted, strict=True)
    return {
        ord(old): new for old, new in pairs if old != new and len(new) == 1 and new < "\U00010000"
    }


_SIMPLIFIED = _simplified_forms()
# Looking for the first traditional character costs a tenth of translating a
# text in vain, and most Chinese pages have none.
_TRADITIONAL = re.compile("[" + "".join(map(chr, _SIMPLIFIED)) + "]")

# Normalising sorts each run of combining marks in quadratic time; the standard's
# own limit for text that is safe to stream is 30 (UAX #15, section 13).
_MARKS = "".join(char for char in map(chr, range(0x300, 0x10000)) if unicodedata.combining(char))
_MAX_MARKS = 30
_MARK = re.compile(f"[{_MARKS}]")
_MARK_RUN = re.compile(f"([{_MARKS}]{{{_MAX_MARKS}}})[{_MARKS}]+")
# To look for one of these takes 50 times as long as to look for any character beyond the basic
# plane, and few texts have any.
_RARE = re.compile("[\U00010000-\U0010ffff]")
_RARE_MARKS = "".join(
    char for char in map(chr, range(0x10000, 0x20000)) if unicodedata.combining(char)
)
_RARE_MARK = re.compile(f"[{_RARE_MARKS}]")
_ANY_MARK_RUN = re.compile(f"([{_MARKS}{_RARE_MARKS}]{{{_MAX_MARKS}}})[{_MARKS}{_RARE_MARKS}]+")


def fold(text: str) -> str:
    """Fold width (NFKC), case, and traditional to simplified characters.

    Parameters
    ----------
    text : str
        Any text; lone surrogates are allowed and stay.

    Returns
    -------
    str
        Not always of the same length: "ß" becomes "ss", "㎞" becomes "km".
        Folding twice changes nothing more for Chinese and Latin text.
    """
    if text.isascii():
        return text.lower()
    # No mark is a letter: most Chinese clauses need no search.
    if len(text) > _MAX_MARKS and not text.isalpha():
        if _RARE.search(text) and _RARE_MARK.search(text):
            text = _ANY_MARK_RUN.sub(r"\1", text)
        elif _MARK.search(text):
            text = _MARK_RUN.sub(r"\1", text)
    folded = unicodedata.normalize("NFKC", text).casefold()
    if _TRADITIONAL.search(folded):
        folded = folded.translate(_SIMPLIFIED)
    return folded

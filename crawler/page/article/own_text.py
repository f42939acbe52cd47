"""What a page says itself: its text without links, and without what passes by beside it."""

import re
from itertools import groupby
from operator import itemgetter
from typing import Final

from crawler.page.collected import Collected
from crawler.page.duplicates.fingerprint import simhash
from crawler.page.parsed import ANCHOR

#: Less, in characters or as a share of the whole text, stands for no page: what a list of
#: links says beside them, its neighbours say too.
MIN_CHARS: Final = 80
MIN_SHARE: Final = 0.2
#: Only so much of it is read: pages that agree this far are the same page.
MAX_CHARS: Final = 4096
#: A number counts as often as this: reports of a series differ in nothing else.
NUMBERS_COUNT: Final = 4

#: A longer line is a sentence, and what it counts is the page's own.
_MAX_ASIDE = 80
#: The text between two links is only a separator: "|", " · ", ".".
_MAX_LEFT = 8
_YEAR = r"(?:19|20)\d\d"
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
#: Numbers, and what makes a date or a time of them; in small letters. It begins with one digit in
#: every case: where there is none, the search takes half as long as it does for "\d+".
_NUMBER = re.compile(
    r"\d\d*(?:(?P<date>"
    rf"-\d\d?-\d+|/\d\d?/\d+|\.\d\d?\.{_YEAR}|:\d\d(?::\d\d)?"
    r"| ?年 ?\d\d? ?月(?: ?\d\d? ?日)?| ?月 ?\d\d? ?日"
    rf"|(?:st|nd|rd|th)? (?:of )?{_MONTH},?(?: {_YEAR})?\b|(?:st|nd|rd|th)?, {_YEAR}\b"
    r"| ?(?:minute|min|hour|day|week|month|year)s? ago"
    r"| ?[个個]?(?:[秒天日周週月年]|分[钟鐘]|小?[时時])前)|(?:[.,]\d+)*)"
)
#: What makes a short line with a digit one of visitors, rights, or a date that begins with
#: its month.
_ASIDE = re.compile(
    r"\b(?:views?|visits?|visitors?|reads?|hits|comments?|repl(?:y|ies)|likes?|shares?|votes?)\b"
    r"|copyright|©|版[权權]|阅读|閱讀|浏览|瀏覽|点击|點擊|访问|訪問|人气|人氣|评论|評論|回[复覆]"
    r"|留言|收藏|点赞|點讚|转发|轉發|分享"
    rf"|\b{_MONTH} \d\d?(?:st|nd|rd|th)?\b"
)


def own_fingerprint(found: Collected, n_chars: int) -> int:
    """Fingerprint what a page says itself, to know it again where all around it has changed.

    Parameters
    ----------
    found : Collected
        What the pass over the tags gave.
    n_chars : int
        Characters of the page's whole text.

    Returns
    -------
    int
        Unsigned, below 2**64: the SimHash of `own_text`, without its dates, every number
        `NUMBERS_COUNT` times. 0 where the text is too little to stand for the page: fewer than
        `MIN_CHARS` characters, or than `MIN_SHARE` of the whole.
    """
    text = own_text(found)
    if len(text) < max(MIN_CHARS, MIN_SHARE * min(n_chars, MAX_CHARS)):
        return 0
    return simhash(_NUMBER.sub(_as_counted, text))


def own_text(found: Collected) -> str:
    """Return a page's text without links and counters, in small letters; its first `MAX_CHARS`.

    Related articles, menus and tags come and go below a text that stays as it was, and so does
    the number of its visitors.
    """
    lines: list[str] = []
    n_chars = 0
    kept = (
        (line, text)
        for line, kind, text in zip(found.lines, found.classes, found.segments, strict=True)
        if kind != ANCHOR and (len(text) > _MAX_LEFT or any(map(str.isalnum, text)))
    )
    for _, line in groupby(kept, key=itemgetter(0)):
        said = "".join([text for _, text in line]).strip()[:MAX_CHARS].casefold()
        if said and not _is_aside(said):
            lines.append(said)
            n_chars += len(said)
            if n_chars >= MAX_CHARS:
                break
    return "\n".join(lines)[:MAX_CHARS]


def _is_aside(line: str) -> bool:
    """True for a line that counts visitors, or is hardly more than a date."""
    if len(line) > _MAX_ASIDE or not any(map(str.isdigit, line)):
        return False
    return _ASIDE.search(line) is not None


def _as_counted(match: re.Match[str]) -> str:
    """Nothing for a date, and a number as often as it counts."""
    return "" if match["date"] else match[0] * NUMBERS_COUNT

"""Where a page says when it was published: what is written there, the best place first."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Final

from crawler.page.collected import Collected
from crawler.page.dates.date_clues import TimeTag
from crawler.page.head import FIRST_VAGUE_META
from crawler.page.linked_data import changed_in_linked_data, published_in_linked_data
from crawler.page.parsed import ANCHOR, DateHint

MAX_HINTS: Final = 12
MAX_HINT_CHARS: Final = 200

#: How far from the title a byline may stand, in lines.
_BEFORE, _AFTER = 3, 8
#: How far from the article an element may be that says to hold a date.
_FAR = 20
_N_SEARCHED = 2000
_MIN_TITLE_CHARS = 4
#: Of a line before its white space is put in order.
_MAX_RAW_CHARS = 5 * MAX_HINT_CHARS
#: Letters a line may have besides its date and still be a byline and no sentence.
_MAX_BESIDES = 60
_MAX_BYLINES: Final = 3
#: What is searched of a line for the day with which it begins.
_MAX_OPENING: Final = 80
#: Three dates under one title are a list's.
_MAX_DATES = 2

_DATED = re.compile(
    r"(?:19|20)\d\d[-/.年년]\s?\d|\d月\s?\d|\b\d\d-\d\d \d\d:\d\d"
    r"|\b[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? ?(?:19|20)\d\d"
    r"|(?<!\d)\d{1,2}(?:(?:st|nd|rd|th|er|\.|º)?[ -]|\.)(?:of |de )?[^\W\d_]{3,10}\.?,?[ -]"
    r"(?:de )?(?:19|20)\d\d"
    r"|[/.-](?:19|20)\d\d\b"
    r"|(?<![\d.,/-])[0-3]\d(?:\.[01]\d\.\d\d(?![\d.]|,\d)|/[0-3]\d/\d\d(?=,?\s\d{1,2}:\d\d|\s?[|·)]|$))"
    r"|[\d半一]\s?[个個]?[秒分小天日周週星月年][钟鐘时時期]?之?前"
    r"|^(?:.{0,20}[:：|·\s])?"
    r"(?:(?:昨天|昨日|大?前天|今天|今日|刚刚|剛剛|just now)(?!\w)"
    # Not "Today's word".
    r"|(?:yesterday|today)(?=$|[ ,]{0,3}(?:at )?\d|\s?[|·•,–-]))"
    r"|\b(?:\d{1,3}|an?|one) [a-z]{3,7} ago\b|\b\d{1,3} ?[hdw] ago\b"
    r"|[〇○零一二三四五六七八九]{4}年|民[国國]\s?\d",
    re.IGNORECASE,
)
#: What stands in every date that `_DATED` finds: most lines have none of it.
_DATE_CHARACTER = re.compile(r"[\d年前天日刚剛]")
_DIGIT = re.compile(r"\d")
_LABEL = re.compile(
    r"(?:[发發][布佈表]|刊[发發]|出版|[创創]建|撰[写寫]|publish|posted|written|created|issued|first"
    r"|veröffentlicht|erschienen|gepostet|eingestellt|erstellt"
    r"|publi(?:é|zi|ca[dt]|ka)|pubblicat|geplaatst|opublikowan)",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"(?:更新|修改|修[订訂]|[编編][辑輯][于於]|updated|modified|revised|edited"
    r"|aktualisier|geändert|überarbeitet|mis à jour|modifié"
    r"|actualizad|atualizad|aggiornat|bijgewerkt|aktualizacj)",
    re.IGNORECASE,
)
_OTHER_DATE = re.compile(
    r"(?:截止|截至|版[权權]|©|copyright|[举舉][办辦]|活[动動][时時][间間]|[开開]幕|deadline|expires"
    r"|event date|founded|since|joined|[注註][册冊]|生[于於]|成立"
    r"|regist(?:riert|rad)|mitglied seit|anmeldedatum|beigetreten"
    r"|inscri(?:t|pción|to)|einsendeschluss)",
    re.IGNORECASE,
)
# From one day to another: an event's.
_RANGE = re.compile(r"(?:19|20)\d\d\s?(?:[–—~]|-\s|bis|to|until|[至到])\s?\d{1,4}[./年-]\s?\d")
_DATELINE = re.compile(
    # Nothing, a place, or a word such as "press release of", but no words of a sentence.
    r"[(\[\W]{0,3}(?:[^\W\d_][\w/ -]{1,30}(?:[,:|(–—]|\s(?:vom|du|del|dated))\s{0,2})?"
    r"(?:\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d"
    r"|\d{1,2}(?:\.|st|nd|rd|th|er|º)? (?:de |of )?[^\W\d_]{3,10}\.?,? (?:de )?(?:19|20)\d\d"
    r"|[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?, (?:19|20)\d\d"
    r"|(?:19|20)\d\d(?:-\d\d-\d\d|\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?日))"
    r"(?=\s{0,2}[)\]|–—:•·/„“”\"«]|\s-|\.\s)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[。！？!?]$|^.{30,}\.$|\b(?:doi|vol\.|pp\.)", re.IGNORECASE)


def find_hints(found: Collected, title: str, article: Sequence[int] = ()) -> list[DateHint]:
    """Collect what a page says of its publishing date.

    Parameters
    ----------
    found : Collected
        What the pass over the tags gave.
    title : str
        The page's title, cleaned: the byline is looked for near where it is repeated.
    article : sequence of int
        First and last line of the article: bylines are searched there if there is no hint.

    Returns
    -------
    list of DateHint
        By place, as `DateHint` names them; at most `MAX_HINTS`. Nothing is read here, as
        "3 hours ago" takes a clock to read.
    """
    scripts = found.clues.scripts
    hints = [DateHint("jsonld", published_in_linked_data(scripts))]
    metas = sorted(found.clues.metas, key=itemgetter(0))
    sure = [text for rank, text in metas if rank < FIRST_VAGUE_META]
    hints += [DateHint("meta", text) for text in sure[:1]]
    start = article[0] if article else 0
    lines = _Lines(found)
    hints += _near_title(found, lines, title, start)
    hints += [DateHint("other", text) for text in sure[1:3]]
    hints += [DateHint("vague", text) for rank, text in metas if rank >= FIRST_VAGUE_META][:1]
    if article:
        hints += [DateHint("dateline", text) for text in _datelines(found, *article)]
    if article and not any(_is_dated(hint.text) for hint in hints):
        hints += [DateHint("ends", text) for text in _around(lines, *article)]
        hints += [DateHint("named", text) for text in _named(found, *article)]
    hints.append(DateHint("file", found.clues.created))
    hints.append(DateHint("changed", changed_in_linked_data(scripts) or found.clues.changed))
    kept = [DateHint(hint.place, hint.text[:MAX_HINT_CHARS]) for hint in hints if hint.text]
    return kept[:MAX_HINTS]


def _near_title(found: Collected, lines: "_Lines", title: str, start: int) -> list[DateHint]:
    """What stands near the title: where it stands first, or else nearest to the article."""
    places = [place or start for place in _title_lines(found, title, start)]
    for place in dict.fromkeys(places):
        hints = list(_times(found, place))
        hints += [DateHint("text", text) for text in _bylines(lines, place)][:_MAX_BYLINES]
        if hints:
            return hints
    return []


def _title_lines(found: Collected, title: str, start: int) -> tuple[int, int]:
    """The first line and that nearest to the article of those that repeat most of the title.

    If none does, the line of the first h1, or 0.
    """
    # A menu may name a word of it.
    most = max(_MIN_TITLE_CHARS, len(title) // 3) - 1
    first = nearest = found.clues.heading_line
    for segment, line in zip(found.segments[:_N_SEARCHED], found.lines, strict=False):
        text = segment.strip()
        if most < len(text) <= len(title) and text in title:
            first = nearest = line
            most = len(text)
        elif most == len(text) and abs(line - start) < abs(nearest - start) and text in title:
            nearest = line
    return first, nearest


def _times(found: Collected, place: int) -> Iterator[DateHint]:
    """What the time elements say, if it is clear which of them is the page's."""
    tags = found.clues.times
    marked = [tag for tag in tags if tag.is_published]
    near = [tag for tag in tags if place - _BEFORE <= tag.line <= place + _AFTER]
    if marked:
        yield from (DateHint("time", text) for text in _texts(marked, found)[:1])
    elif len(_texts(near, found)) <= _MAX_DATES:
        # One time alone on its page is the page's, wherever it stands.
        alone = tags if len(_texts(tags, found)) == 1 else []
        own = [tag for tag in near or alone if not _CHANGED.search(_before(tag, found))]
        where = "time" if near else "lone"
        yield from (DateHint(where, text) for text in _texts(own, found)[:1])


def _texts(tags: Sequence[TimeTag], found: Collected) -> list[str]:
    """What they say, each thing once."""
    texts = (tag.value or "".join(found.segments[tag.segment : tag.segment + 1]) for tag in tags)
    return list(dict.fromkeys(filter(None, texts)))


def _before(tag: TimeTag, found: Collected) -> str:
    """The words that lead to a time element on its line."""
    start = tag.segment
    while start > max(0, tag.segment - 4) and found.lines[start - 1] == tag.line:
        start -= 1
    return "".join(found.segments[start : tag.segment])[-30:]


def _named(found: Collected, first: int, last: int) -> list[str]:
    """What elements with a word for a date as their class say at the article; lists apart."""
    texts: dict[str, None] = {}
    for line, segment in found.clues.named:
        if not first - _FAR <= line <= last + _FAR:
            continue
        end = segment
        while end < min(segment + 6, len(found.segments)) and found.lines[end] == line:
            end += 1
        text = " ".join("".join(found.segments[segment:end]).split())[:MAX_HINT_CHARS]
        if _is_dated(text) and _is_byline(text) and not _says_other(text):
            texts[text] = None
    return list(texts)[:1] if len(texts) <= _MAX_DATES else []


def _says_other(text: str) -> bool:
    return bool(_OTHER_DATE.search(text) or _CHANGED.search(text))


def _bylines(lines: "_Lines", place: int) -> Iterator[str]:
    """Lines near the title that say when, those that say "published" first."""
    dated = [
        line
        for line in lines.dated(place - _BEFORE, place + _AFTER)
        if not _OTHER_DATE.search(line) and not _RANGE.search(line)
    ]
    labelled = [line for line in dated if _LABEL.search(line)]
    plain = [line for line in dated if line not in labelled and _is_byline(line)]
    if len({*plain}) > _MAX_DATES:
        plain = []
    # A page that says only when it was changed does not say when it was published.
    yield from (_from_label(line) for line in labelled)
    yield from (line for line in plain if not _CHANGED.search(line))


def _around(lines: "_Lines", first: int, last: int) -> list[str]:
    """The byline above or below an article in which so few lines are dates."""
    dated = {
        line
        for line in lines.dated(first - _BEFORE, last + _AFTER)
        if _is_byline(line) and not _LABEL.search(line)
    }
    if len(dated) > _MAX_DATES:
        return []
    return [line for place in (first, last) for line in _bylines(lines, place)][:1]


def _datelines(found: Collected, first: int, last: int) -> list[str]:
    """The day with which the first sentences of an article begin, if no other lines do."""
    begins = {
        line[: match.end()]: None
        for line in _openings(found, first, last)
        # Every such day has a digit, most lines have none.
        if _DIGIT.search(line)
        and (match := _DATELINE.match(line))
        and not _says_other(line[: match.end()])
        and not _RANGE.search(line)
    }
    return list(begins) if len(begins) == 1 else []


def _openings(found: Collected, first: int, last: int) -> Iterator[str]:
    """The first characters of each line of the article."""
    start, end = bisect_left(found.lines, first), bisect_right(found.lines, last)
    line, text = -1, ""
    for place in range(start, end):
        if found.lines[place] != line:
            yield text
            line, text = found.lines[place], ""
        if len(text) < _MAX_OPENING:
            text = f"{text}{found.segments[place]}".lstrip()[:_MAX_OPENING]
    yield text


class _Lines:
    """The dated lines of a page as text; each is made once, as several functions need it."""

    def __init__(self, found: Collected) -> None:
        self._found = found
        self._texts: dict[int, str | None] = {}

    def dated(self, first: int, last: int) -> list[str]:
        """Return those of these lines with a date, without those that are long or mostly links."""
        numbers = self._found.lines
        places = numbers[bisect_left(numbers, first) : bisect_right(numbers, last)]
        texts = map(self._text, dict.fromkeys(places))
        return [text for text in texts if text is not None]

    def _text(self, line: int) -> str | None:
        if line not in self._texts:
            self._texts[line] = self._made(line)
        return self._texts[line]

    def _made(self, line: int) -> str | None:
        found = self._found
        start = bisect_left(found.lines, line)
        end = bisect_right(found.lines, line, start)
        if not _may_be_dated("".join(found.segments[start:end])):
            return None
        raw = ""
        links: list[str] = []
        for place in range(start, end):
            if len(raw) > _MAX_RAW_CHARS:
                break
            raw += found.segments[place]
            if found.classes[place] == ANCHOR:
                links.append(found.segments[place])
        # Most lines are far too long, and their beginning says so.
        text = " ".join(raw[: 2 * MAX_HINT_CHARS].split())
        if len(raw) > 2 * MAX_HINT_CHARS and len(text) <= MAX_HINT_CHARS:
            text = " ".join(raw.split())
        if len(text) > MAX_HINT_CHARS or not _is_dated(text):
            return None
        if not links:
            return text
        n_linked = sum(len(link.strip()) for link in links if not _is_dated(link))
        return text if n_linked < max(30, len(text) / 2) else None


# The lines near a title, a place and an end are often the same ones.
@lru_cache(maxsize=1024)
def _is_dated(text: str) -> bool:
    return _may_be_dated(text) and _DATED.search(text) is not None


def _may_be_dated(text: str) -> bool:
    """False for most lines, at little cost."""
    lowered = text.lower()
    return (
        "day" in lowered
        or "ago" in lowered
        or "now" in lowered
        or _DATE_CHARACTER.search(text) is not None
    )


def _is_byline(line: str) -> bool:
    return len(line) <= _MAX_BESIDES + 30 and not _SENTENCE.search(line)


def _from_label(line: str) -> str:
    """The line from the word that says "published" on, if a date follows it."""
    match = _LABEL.search(line)
    rest = line[match.start() :] if match else line
    return rest if _is_dated(rest) else line

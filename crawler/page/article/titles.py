"""A page's title without the name of its site."""

import re
from collections.abc import Sequence
from typing import Final

from crawler.page.clean import clean_line
from crawler.page.collected import Collected
from crawler.page.url import host_of

MAX_TITLE_CHARS: Final = 300
#: A heading of fewer letters or digits is a label: "News", "1".
_MIN_HEADING: Final = 4
_MAX_HEADINGS: Final = 5
#: Chinese pages write _ and - without blanks; a hyphen between letters joins them.
_SEPARATOR = re.compile(
    r"\s+(?:[-–—|·•»«›‹/:*~]|::|\|\||<<|>>)\s+|\s*[|｜»«]\s*|\s+[–—]\s*|(?<=[^\x00-\u2fff])\s*[_-]\s*"
    r"|_(?=[^\x00-\u2fff])"
)
_LETTERS = re.compile(r"[\W_]+")


def article_title(found: Collected, url: str) -> str:
    """Return the title of the article on a page, cleaned; "" if it says none.

    Parameters
    ----------
    found : Collected
        Before the frame is dropped.
    url : str
        Of the page: a part of its title that names the host is the site's name.

    Notes
    -----
    A heading that is repeated by the title element or by og:title is the title. Otherwise
    that is og:title or the title element, less the parts that name the site.
    """
    whole = clean_line(found.title, MAX_TITLE_CHARS)
    social = clean_line(found.head.title, MAX_TITLE_CHARS)
    headings = _headings(found)
    names = _site_names(found.head.site_name, url)
    title, social = _without_site(whole, names), _without_site(social, names)
    said = [text for text in (_letters(social), _letters(title)) if text]
    for heading in headings:
        letters = _letters(heading)
        if len(letters) >= _MIN_HEADING and any(_begins(letters, text) for text in said):
            return heading
    return social or title or (headings[0] if headings else "")


def _begins(heading: str, title: str) -> bool:
    """True if a heading stands in a title and is not a site's name at the end of it."""
    place = title.find(heading)
    return place == 0 or 0 < place < len(heading)


def _headings(found: Collected) -> list[str]:
    """The texts of the first h1 elements."""
    tags = found.blocks.tags
    texts: dict[int, list[str]] = {}
    for number, line in enumerate(found.lines):
        block = found.line_blocks[line]
        if block >= 0 and tags[block] == "h1":
            if block not in texts and len(texts) == _MAX_HEADINGS:
                break
            texts.setdefault(block, []).append(found.segments[number])
    headings = (clean_line("".join(parts), MAX_TITLE_CHARS) for parts in texts.values())
    return list(filter(None, headings))


def _site_names(site_name: str, url: str) -> list[str]:
    """What a site may call itself, as letters only: its name, its host's labels."""
    host = host_of(url)
    labels = [label for label in host.split(".") if len(label) > 2 and label != "www"]
    names = [_letters(site_name), _letters(host), _letters(host.removeprefix("www.")), *labels]
    return [name for name in map(_letters, names) if name]


def _without_site(title: str, names: Sequence[str]) -> str:
    """Drop the parts at either end that name the site."""
    if not title:
        return ""
    places = [(0, 0), *((m.start(), m.end()) for m in _SEPARATOR.finditer(title))]
    ends = [start for start, _ in places[1:]] + [len(title)]
    parts = [(begin, end) for (_, begin), end in zip(places, ends, strict=True)]
    while len(parts) > 1 and _names_site(title[slice(*parts[-1])], names):
        parts.pop()
    while len(parts) > 1 and _names_site(title[slice(*parts[0])], names):
        del parts[0]
    return title[parts[0][0] : parts[-1][1]].strip()


def _names_site(part: str, names: Sequence[str]) -> bool:
    letters = _letters(part)
    return not letters or any(
        letters == name
        or (len(name) > 3 and name in letters and len(letters) < 3 * len(name))
        or (len(letters) > 3 and letters in name)
        for name in names
    )


def _letters(text: str) -> str:
    return _LETTERS.sub("", text).casefold()

"""Who wrote a page: what its head, its JSON-LD and its links to authors say."""

import re
from typing import Final

from crawler.page.clean import clean_line
from crawler.page.collected import Collected
from crawler.page.linked_data import author_in_linked_data

MAX_BYLINE_CHARS: Final = 200
_PREFIX = re.compile(r"^(?:by|von|par|por|di|作者|文|撰文|记者|記者)[:：/ ]\s*", re.IGNORECASE)
#: The name of an account, of the system or of a placeholder.
_NOT_A_PERSON = re.compile(
    r"^(?:admin|administrator|author|editor|redaktion|root|user|webmaster)\d*$", re.I
)


def find_byline(found: Collected) -> str:
    """The author's name, or several with commas; "" if the page says none. Before the frame goes.

    The order: JSON-LD, meta elements, the first link of rel=author.
    """
    for name in (author_in_linked_data(found.clues.scripts), found.head.author, _linked(found)):
        clean = _PREFIX.sub("", clean_line(name, MAX_BYLINE_CHARS))
        if clean and "://" not in clean and "@" not in clean and not _NOT_A_PERSON.match(clean):
            return clean
    return ""


def _linked(found: Collected) -> str:
    for anchor in found.anchors:
        if "author" in anchor.rel.split():
            return " ".join(found.segments[anchor.first : anchor.last])
    return ""

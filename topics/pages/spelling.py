"""Words nearly like one that no page holds: what a person may have meant."""

import re
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches

from crawler.api.tables import Harvest, Page
from crawler.api.text import fold
from topics.models import Topic
from topics.search.analysis import stem_word
from topics.search.tree import Clause

#: Shorter words have too many neighbours.
SHORTEST = 4
#: Titles that are read, and texts, the best pages first.
_TITLES, _TEXTS = 5000, 150
_TEXT_BEGINNING = 5000
#: How like two words must be, in [0, 1], and how many letters they may differ in length.
_LIKENESS, _LENGTHS = 0.8, 2
_WORD = re.compile(r"[a-z]{4,}")


def may_be_misspelt(clause: Clause) -> bool:
    """Return whether a clause is one English word that is long enough to have a neighbour."""
    plain = not (clause.is_phrase or clause.is_prefix)
    return plain and len(clause.text) >= SHORTEST and bool(_WORD.fullmatch(fold(clause.text)))


def vocabulary(topics: Sequence[Topic]) -> Counter[str]:
    """The English words of the topics' best pages, and of the terms of those not shared.

    Who reads a topic does not see its profile.
    """
    words: Counter[str] = Counter()
    kept = Harvest.objects.kept().filter(crawl__topic__in=topics).order_by("-score", "pk")
    page_ids = list(kept.values_list("url_id", flat=True)[:_TEXTS])
    for topic in (one for one in topics if not one.is_shared):
        for term in topic.terms.all():
            words.update(_WORD.findall(fold(term.text)))
    for title in kept.values_list("url__page__title", flat=True)[:_TITLES]:
        words.update(_WORD.findall(fold(title)))
    for page in Page.objects.filter(pk__in=page_ids):
        words.update(_WORD.findall(fold(page.text[:_TEXT_BEGINNING])))
    return words


def nearest_words(
    word: str, known: Counter[str], limit: int = 3, *, one_letter: bool = False
) -> list[str]:
    """Words of a vocabulary that are spelt nearly like one, the nearest first.

    With `one_letter`, only words that differ from it in one letter.
    """
    word = fold(word)
    # A little less than the likeness of words that differ in one letter.
    cutoff = max(_LIKENESS, 0.999 - 1 / len(word)) if one_letter else _LIKENESS
    near = [
        other
        for other in known
        if other[0] == word[0]
        and abs(len(other) - len(word)) <= _LENGTHS
        # Forms of one word are found by each other anyway.
        and stem_word(other) != stem_word(word)
    ]
    return get_close_matches(word, near, n=limit, cutoff=cutoff)

"""How a topic reads a page: a longer Chinese word may stand for a term it ends in."""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from crawler.knowledge.judge import TrainingSet
from crawler.knowledge.page_matrix import PageMatrix
from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.terms import profile_vector
from crawler.page.parsed import PageTerms
from crawler.text.fold import HAN
from crawler.text.tokens import tokenize

#: A term of one character ends too many words that have nothing to do with it.
MIN_CHARS = 2
_HAN_ONLY = re.compile(f"[{HAN}]+")


class SuffixMatcher:
    """Finds a topic's own Chinese terms inside longer words.

    国家电网 is one word to the segmenter, and a grid to the reader. If a page lacks a term but has
    longer words that end in it, the most frequent of them is replaced by the term. *Resolved*: only
    at its end, as that says what kind of thing a Chinese word names (选项卡 is not an option), and
    only where the term is missing; see docs/research/judges.md. Pages without such a word are the
    same object.

    Parameters
    ----------
    profile : TopicProfile
        Its weighted terms are looked for. The words of its name and its concepts are not,
        but where a page has them whole they stay.
    """

    def __init__(self, profile: TopicProfile) -> None:
        self._own = frozenset(profile_vector(profile))
        chosen = {t for term in profile.terms if not term.excluded for t in tokenize(term.text)}
        # The longest first: a word stands for the term that says most of it.
        self._endings = tuple(sorted(suffix_terms(chosen), key=lambda term: (-len(term), term)))

    def page(self, page: PageTerms) -> PageTerms:
        """Return the page with the topic's terms in place of longer words."""
        if not self._longer(page.vocabulary):
            return page
        vocabulary, counts = list(page.vocabulary), page.counts().tolist()
        for term in self._endings:
            if term not in vocabulary:
                places = [i for i, word in enumerate(vocabulary) if self._means(word, term)]
                if places:
                    vocabulary[max(places, key=counts.__getitem__)] = term
        return replace(page, vocabulary=vocabulary)

    def training_set(self, training_set: TrainingSet) -> TrainingSet:
        """The library with its examples and its background read so."""
        if not self._endings:
            return training_set
        examples = [replace(e, terms=self.page(e.terms)) for e in training_set.examples]
        background = [self.page(page) for page in training_set.background]
        return replace(training_set, examples=examples, background=background)

    def matrix(self, pages: PageMatrix) -> PageMatrix:
        """The matrix of the pages read so; its `pages` stay as they are."""
        longer = self._longer(pages.terms)
        if not longer:
            return pages
        terms, columns = dict(pages.terms), pages.columns.copy()
        for term in self._endings:
            column = terms.setdefault(term, len(terms))
            stands = np.zeros(len(terms), np.bool_)
            stands[[terms[word] for word in longer if self._means(word, term)]] = True
            holding = np.zeros(len(pages), np.bool_)
            holding[pages.rows[columns == column]] = True
            entries = np.flatnonzero(stands[columns] & ~holding[pages.rows])
            # Of each page's entries the largest count, and of equal ones the first.
            order = entries[np.lexsort((entries, -pages.counts[entries], pages.rows[entries]))]
            _, first = np.unique(pages.rows[order], return_index=True)
            columns[order[first]] = column
        return replace(pages, terms=terms, columns=columns)

    def _longer(self, words: Iterable[str]) -> list[str]:
        """The words that end in a term of the topic and are none themselves."""
        if not self._endings:
            return []
        found = [word for word in words if word.endswith(self._endings)]
        return [word for word in found if word not in self._own]

    def _means(self, word: str, term: str) -> bool:
        return word.endswith(term) and word not in self._own


def suffix_terms(terms: Iterable[str]) -> list[str]:
    """Return the terms that longer words may end in: Chinese, of two characters or more."""
    return [term for term in terms if len(term) >= MIN_CHARS and _HAN_ONLY.fullmatch(term)]


def has_own_words(profile: TopicProfile, words: Collection[str]) -> bool:
    """True if a word of the topic is among some words, or ends one of them; so without words."""
    own = profile_vector(profile)
    endings = tuple(suffix_terms(own))
    return (
        not own
        or any(word in words for word in own)
        or (bool(endings) and any(word.endswith(endings) for word in words))
    )

"""A topic's own terms: as a vector, and as rules a page must keep."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.ontology.matching import label_key
from crawler.knowledge.page_matrix import PageMatrix
from crawler.knowledge.profile import TopicConcept, TopicProfile
from crawler.page.parsed import PageTerms
from crawler.text.fold import HAN
from crawler.text.tokens import tokenize

#: Weight of the words in a topic's name beside its terms' own weights.
NAME_WEIGHT = 1.0
_HAN_ONLY = re.compile(f"[{HAN}]+")


def profile_vector(profile: TopicProfile) -> dict[str, float]:
    """Weight of each token of the topic's name, terms and concepts; a token's largest counts."""
    vector = given_vector(profile)
    for token, weight in concept_vector(profile).items():
        vector[token] = max(vector.get(token, 0.0), weight)
    return vector


def given_vector(profile: TopicProfile) -> dict[str, float]:
    """Weight of each token of the topic's name and terms; a token's largest counts."""
    vector = dict.fromkeys(tokenize(profile.name), NAME_WEIGHT)
    for term in profile.terms:
        if not term.excluded:
            for token in tokenize(term.text):
                vector[token] = max(vector.get(token, 0.0), term.weight)
    return vector


def concept_vector(profile: TopicProfile) -> dict[str, float]:
    """Weight of each token of the concepts' labels, in (0, 1]; a token's largest counts.

    *Resolved*: a label's degree is shared among its tokens, as one word of many
    says less than the whole label does.
    """
    vector: dict[str, float] = {}
    for concept in profile.concepts:
        tokens = tokenize(concept.text)
        for token in tokens:
            vector[token] = max(vector.get(token, 0.0), concept.degree / len(tokens))
    return vector


def concept_names(profile: TopicProfile) -> dict[str, str]:
    """For each token that only concepts brought, the best concept's name as shown."""
    given = given_vector(profile)
    names: dict[str, str] = {}
    for concept in sorted(profile.concepts, key=lambda concept: -concept.degree):
        for token in tokenize(concept.text):
            if token not in given:
                names.setdefault(token, concept.concept or concept.text)
    return names


class TermRules:
    """The topic's required and excluded terms, matched as whole phrases.

    A term that is a label of one of the topic's concepts stands for all labels of that
    concept: 电脑 meets the required term 计算机 [P1]. A Chinese one is also found inside a
    longer word: where words end there is for the segmenter to say, not for the reader.
    """

    def __init__(self, profile: TopicProfile) -> None:
        self._required = [
            _phrases(term.text, profile.concepts) for term in profile.terms if term.required
        ]
        excluded = [term.text for term in profile.terms if term.excluded]
        self._excluded = [
            phrase for text in excluded for phrase in _phrases(text, profile.concepts)
        ]

    def broken_by(self, page: PageTerms) -> str:
        """ "required_missing" or "excluded_present" if the page breaks a rule, else ""."""
        for phrases in self._required:
            if not any(holds_phrase(page, phrase) for phrase in phrases):
                return "required_missing"
        if any(holds_phrase(page, phrase) for phrase in self._excluded):
            return "excluded_present"
        return ""

    def broken_pages(self, pages: PageMatrix) -> NDArray[np.bool_]:
        """True for each page that breaks a rule, shape (n_pages,)."""
        broken = np.zeros(len(pages), dtype=np.bool_)
        for phrases in self._required:
            held = np.zeros(len(pages), dtype=np.bool_)
            for phrase in phrases:
                held |= _holding(pages, phrase)
            broken |= ~held
        for phrase in self._excluded:
            broken |= _holding(pages, phrase)
        return broken


def _phrases(text: str, concepts: Sequence[TopicConcept]) -> list[list[str]]:
    """The tokens of a term, and of the other labels of the concepts that have it as a label."""
    key = label_key(text)
    named = {_concept_of(concept) for concept in concepts if label_key(concept.text) == key}
    labels = [concept.text for concept in concepts if _concept_of(concept) in named]
    return [tokenize(label) for label in dict.fromkeys([text, *labels])]


def _concept_of(concept: TopicConcept) -> str:
    return concept.concept or concept.text


def _holding(pages: PageMatrix, phrase: list[str]) -> NDArray[np.bool_]:
    """Find the pages with a phrase; only those that hold its words are read."""
    if not phrase:
        return np.zeros(len(pages), dtype=np.bool_)
    held = pages.passing(pages.holding(phrase), lambda page: holds_phrase(page, phrase))
    return held | pages.holding_any([term for term in pages.terms if _is_inside(phrase, term)])


def _is_inside(phrase: list[str], word: str) -> bool:
    """True if a Chinese phrase is a part of a word."""
    joined = "".join(phrase)
    return joined in word and _HAN_ONLY.fullmatch(joined) is not None


def holds_phrase(page: PageTerms, phrase: list[str]) -> bool:
    """True if the page holds these tokens one after the other; False for no tokens."""
    if phrase and any(_is_inside(phrase, word) for word in page.vocabulary):
        return True
    if not phrase or any(token not in page.vocabulary for token in phrase):
        return False
    wanted = [page.vocabulary.index(token) for token in phrase]
    tokens = page.indices().tolist()
    return any(
        tokens[start : start + len(wanted)] == wanted
        for start, token in enumerate(tokens)
        if token == wanted[0]
    )

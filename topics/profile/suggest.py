"""Terms a topic might want, each with where it comes from."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache, partial
from itertools import islice, zip_longest
from math import log2
from typing import Any, Final, Protocol

from django.utils.translation import get_language

from crawler.api.judging import (
    DocumentFrequencies,
    discriminative_terms,
    load_training_set,
)
from crawler.api.tables import Crawl, Ontology
from crawler.api.text import chinese_keywords, surface_tokens, tokenize
from focusweb.plugin_calls import short_repr
from focusweb.plugins import offers
from topics.models import Topic
from topics.profile import concepts
from topics.profile.english_terms import EnglishTerms, Tokens
from topics.profile.evidence import MANY, Evidence, evidence_of
from topics.rules.topic_rules import term_key

N_PER_ORIGIN = 12
#: Terms that the page of a topic offers during its first run.
N_FOUND = 10
#: Most texts of one origin that are read, and their greatest length.
MAX_SUGGESTED = 200
MAX_SUGGESTED_CHARS = 500


# A numeral and a measure word: "一次", "三座", "每天".
_COUNT = re.compile(
    "[一二两三四五六七八九十百千万几半每某]+[次座个天年月日周种条台片块只家位名层级项份批张件根颗组套把本篇句段点回遍番]+"
)


class SuggestionOrigin(StrEnum):
    """Where a suggestion comes from."""

    EXAMPLES = "examples"
    ONTOLOGY = "ontology"
    KEYWORDS = "keywords"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A term a topic might want.

    Attributes
    ----------
    origin : str
        One of ours is a `SuggestionOrigin`.
    via : str
        The concept it names; for another origin the reason, in words; or "".
    """

    text: str
    origin: str
    via: str = ""


class TermSuggester(Protocol):
    """One origin of suggestions, registered by name."""

    name: str

    def suggest(self, topic: Topic) -> Iterable[Suggestion]:
        """Terms the topic might want, best first."""


@dataclass(frozen=True, slots=True)
class Read:
    """What suggestions of our own rest on, read once for all of them."""

    crawl: Crawl
    evidence: Evidence
    english: EnglishTerms

    def may_be_noun(self, token: str) -> bool:
        """False for a Chinese count, and for an English word that no article uses as a noun.

        A verb is a poor term: a page of any subject says "helps" or "waits".
        """
        if _COUNT.fullmatch(token):
            return False
        articles = self.evidence.articles
        if len(articles) < MANY or any(one.is_example and token in one.words for one in articles):
            return True
        return token in self.english.nouns or not self.english.counts[(token,)]


@dataclass(slots=True)
class PageSuggester:
    """An origin of our own: terms of the pages that show what the topic is."""

    name: str
    find: Callable[[Read], list[Suggestion]]

    def suggest(self, topic: Topic) -> list[Suggestion]:
        """Terms the topic might want, best first."""
        return self.suggest_from(_read(topic))

    def suggest_from(self, read: Read | None) -> list[Suggestion]:
        """Return the terms of what was read already."""
        return self.find(read) if read else []


def _read(topic: Topic) -> Read | None:
    crawl = topic.crawl
    if crawl is None:
        return None
    evidence = evidence_of(topic, crawl)
    return Read(crawl, evidence, EnglishTerms.read(evidence.articles))


def suggestions(topic: Topic) -> list[Suggestion]:
    """Terms the topic does not have yet, from every origin."""
    found: list[Suggestion] = []
    read = cache(partial(_read, topic))
    for offer in offers("term_suggesters", topic=topic.plugin_settings).values():
        answer, error = offer.call(partial(_checked, offer.item, topic, read))
        found += [] if error else answer
    return _without(found, _own(topic))


def found_terms(topic: Topic) -> list[Suggestion]:
    """Terms of the pages that the topic has kept so far; none while they are few."""
    read = _read(topic)
    if read is None or len(read.evidence.articles) < MANY:
        return []
    pairs = zip_longest(_from_keywords(read), _from_examples(read))
    return _without((one for pair in pairs for one in pair if one), _own(topic))[:N_FOUND]


def _own(topic: Topic) -> list[str]:
    return [topic.name, *topic.terms.values_list("text", flat=True)]


def _checked(suggester: Any, topic: Topic, read: Callable[[], Read | None]) -> list[Suggestion]:
    """Return what a suggester finds. Our own two share what was read; a plugin reads for itself.

    Raises
    ------
    TypeError
        If something else than a suggestion comes, which is then named as the plugin's failure.
    """
    if isinstance(suggester, PageSuggester):
        found = suggester.suggest_from(read())[:MAX_SUGGESTED]
    else:
        found = list(islice(suggester.suggest(topic), MAX_SUGGESTED))
    for one in found:
        if not isinstance(one, Suggestion):
            raise TypeError(f"{type(one).__name__} is not a suggestion")
        texts: tuple[object, ...] = (one.text, one.origin, one.via)
        for text in texts:
            if not isinstance(text, str) or len(text) > MAX_SUGGESTED_CHARS:
                raise TypeError(f"{short_repr(text)[:100]} is not a text of a suggestion")
            text.encode()  # half a character cannot be sent to a browser
    return found


@lru_cache(maxsize=50_000)
def _tokens_of(word: str) -> tuple[str, ...]:
    return tuple(tokenize(word))


def _without(found: Iterable[Suggestion], own: Iterable[str]) -> list[Suggestion]:
    """Leave out what the topic has already, also in another spelling or word form."""
    known = {key for text in own for key in (term_key(text), _stem_key(text))}
    kept: list[Suggestion] = []
    counts: Counter[str] = Counter()
    for suggestion in found:
        keys = {term_key(suggestion.text), _stem_key(suggestion.text)}
        if keys & known or counts[suggestion.origin] >= N_PER_ORIGIN:
            continue
        known |= keys
        counts[suggestion.origin] += 1
        kept.append(suggestion)
    return kept


def _stem_key(text: str) -> str:
    return " ".join(tokenize(text)) or term_key(text)


def _from_examples(read: Read) -> list[Suggestion]:
    evidence = read.evidence
    good = [article.terms for article in evidence.articles]
    named = [article.terms for article in evidence.articles if article.is_example]
    if not good:
        return []
    # What a person gave counts by itself, too: few words of it stand on two pages.
    telling = dict(discriminative_terms(good, evidence.others, limit=MAX_SUGGESTED))
    for term, score in discriminative_terms(named, evidence.others, limit=MAX_SUGGESTED):
        telling[term] = max(score, telling.get(term, 0.0))
    repeated = evidence.repetitions()
    spelled = _spellings([article.text for article in evidence.articles])
    best = sorted(telling.items(), key=lambda found: -found[1] * log2(repeated[found[0]]))
    supported = (
        read.english.written(t) or spelled[t]
        for t, _ in best
        if t in spelled and read.may_be_noun(t) and evidence.supports([t])
    )
    return [
        Suggestion(word, SuggestionOrigin.EXAMPLES) for word in islice(supported, 3 * N_PER_ORIGIN)
    ]


def _spellings(texts: Sequence[str]) -> dict[str, str]:
    """Return the word that each token comes from most often in the texts."""
    words: dict[str, Counter[str]] = {}
    for text in texts:
        for found in surface_tokens(text):
            for token in _tokens_of(found.word):
                words.setdefault(token, Counter())[found.word] += 1
    return {
        token: counts.most_common(1)[0][0]
        for token, counts in words.items()
        if not token.isdecimal() and len(counts.most_common(1)[0][0]) > 1
    }


def _from_keywords(read: Read) -> list[Suggestion]:
    """Key words of each text by itself: jieba's for Chinese, TF-IDF for the rest."""
    chinese: defaultdict[str, float] = defaultdict(float)
    latin: defaultdict[Tokens, float] = defaultdict(float)
    frequencies = load_training_set(read.crawl).frequencies
    for article in read.evidence.articles:
        for word, weight in chinese_keywords(article.text):
            chinese[word] += weight
        for token, weight in _latin_keywords(article.text, frequencies):
            latin[(token,)] += weight
    for phrase, count in read.english.phrases().items():
        # Of the weight of a word, a phrase has the share of its occurrences.
        shares = [latin[(t,)] * count / read.english.counts[(t,)] for t in phrase]
        latin[phrase] = sum(shares)
    totals = chinese | {
        read.english.written(*tokens): weight
        for tokens, weight in latin.items()
        if read.may_be_noun(tokens[-1])
    }
    best = sorted((word for word in totals if word), key=lambda word: -totals[word])
    supported = (
        word
        for word in best
        if read.evidence.supports(tokenize(word)) and not _COUNT.fullmatch(word)
    )
    return [
        Suggestion(word, SuggestionOrigin.KEYWORDS) for word in islice(supported, 3 * N_PER_ORIGIN)
    ]


def _latin_keywords(text: str, frequencies: DocumentFrequencies) -> list[tuple[str, float]]:
    words: dict[str, Counter[str]] = {}
    total = 0
    for found in surface_tokens(text):
        if found.word[0] < "\u2e80" and len(found.word) > 2 and not found.word[0].isdecimal():
            total += 1
            for token in _tokens_of(found.word):
                words.setdefault(token, Counter())[found.word] += 1
    if not words:
        return []
    terms = list(words)
    idf = frequencies.idf(terms, "en").tolist()
    scored = [
        (term, words[term].total() / total * (value + 1e-9))
        for term, value in zip(terms, idf, strict=True)
    ]
    return sorted(scored, key=lambda item: (-item[1], item[0]))[:20]


class OntologyTerms:
    """Names of the concepts the topic names, and of those next to them."""

    name = SuggestionOrigin.ONTOLOGY.value

    def suggest(self, topic: Topic) -> list[Suggestion]:
        """Other names of the concepts the topic names, then those of concepts next to them.

        Concepts are named in the language that is spoken.
        """
        language = (get_language() or "").partition("-")[0]
        brought = [
            Suggestion(found.term.text, SuggestionOrigin.ONTOLOGY, found.path_text or found.concept)
            for found in concepts.expanded_labels(topic, language=language)
        ]
        named = [
            Suggestion(label.text, SuggestionOrigin.ONTOLOGY, concept.name(language))
            for ontology in Ontology.objects.visible_to(topic.owner)
            for concept in concepts.named_concepts(topic, ontology)
            for label in concept.labels.exclude(kind="hidden").order_by("kind", "pk")
            if not topic.profile().languages
            or label.language.partition("-")[0] in (*topic.profile().languages, "zh", "en", "")
        ]
        return [*named, *brought]


OUR_SUGGESTERS: Final = (
    PageSuggester(SuggestionOrigin.EXAMPLES.value, _from_examples),
    OntologyTerms(),
    PageSuggester(SuggestionOrigin.KEYWORDS.value, _from_keywords),
)

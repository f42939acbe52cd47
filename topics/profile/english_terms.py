"""Nouns and phrases of English that several articles use, spelled as they are written there."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Self

from crawler.api.text import noun_phrases, tokenize
from topics.profile.evidence import TopicArticle

#: Words of a suggested phrase, and articles it stands on, at least; one example is enough.
SIZES: Final = (2, 3)
MIN_ARTICLES: Final = 2
#: A word is a noun if it once stands alone after an article or preposition, or in so many longer
#: phrases after one; and if that is such a share of the phrases that it ends.
MIN_HEADS: Final = 2
MIN_SHARE: Final = 0.25

Tokens = tuple[str, ...]


@dataclass(slots=True)
class EnglishTerms:
    """What the phrases of some articles say of their words.

    Attributes
    ----------
    counts : Counter of tuple of str
        How often words and phrases occur, by their tokens.
    nouns : set of str
        Tokens of words that are used as nouns.
    """

    counts: Counter[Tokens] = field(default_factory=Counter)
    nouns: set[str] = field(default_factory=set)
    _on: dict[Tokens, float] = field(default_factory=dict)
    _written: dict[Tokens, Counter[str]] = field(default_factory=dict)

    @classmethod
    def read(cls, articles: Iterable[TopicArticle]) -> Self:
        """Read the phrases of some articles."""
        found, heads, ends = cls(), Counter[str](), Counter[str]()
        for article in articles:
            seen: set[Tokens] = set()
            for phrase in noun_phrases(article.text):
                tokens = [tuple(tokenize(word)) for word in phrase.words]
                ends.update(tokens[-1])
                if phrase.noun is not None:
                    sure = len(tokens) == 1 or article.is_example
                    heads.update(tokens[phrase.noun] * (MIN_HEADS if sure else 1))
                seen.update(found._count(phrase.words, tokens))
            for key in seen:
                weight = MIN_ARTICLES if article.is_example else 1
                found._on[key] = found._on.get(key, 0) + weight
        found.nouns = {
            token for token, n in heads.items() if n >= max(MIN_HEADS, MIN_SHARE * ends[token])
        }
        return found

    def _count(self, words: Tokens, tokens: list[Tokens]) -> Iterable[Tokens]:
        for size in (1, *SIZES):
            for start in range(len(words) - size + 1):
                some = tokens[start : start + size]
                if any(len(one) != 1 for one in some):
                    continue
                key = tuple(one[0] for one in some)
                self.counts[key] += 1
                written = " ".join(words[start : start + size])
                self._written.setdefault(key, Counter())[written] += 1
                yield key

    def phrases(self) -> dict[Tokens, int]:
        """Return the phrases that end in a noun and stand on several articles, with their counts.

        A part of a longer phrase is left out if it hardly occurs elsewhere.
        """
        found = {
            key: self.counts[key]
            for key, n_articles in self._on.items()
            if len(key) > 1
            and n_articles >= MIN_ARTICLES
            and key[-1] in self.nouns
            and len(set(key)) == len(key)
        }
        for key, count in list(found.items()):
            if len(key) == max(SIZES):
                for part in (key[:-1], key[1:]):
                    if part in found and found[part] <= count + 1:
                        del found[part]
        return found

    def written(self, *tokens: str) -> str:
        """Return how a word or phrase is written most often, "" for one that is not read."""
        spellings = self._written.get(tokens)
        return spellings.most_common(1)[0][0] if spellings else ""

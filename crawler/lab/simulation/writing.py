"""Write the titles and texts of a simulated web: sentences of a subject's words and others."""

import random
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from crawler.lab.simulation.site import SimulatedArticle, SimulatedSite, SiteKind
from crawler.lab.simulation.words import (
    GENERAL,
    LITTLE,
    SUBJECTS,
    TOPIC,
    other_words,
)

#: Sentences of an article, and words of a sentence.
SENTENCES: Final = (7, 14)
WORDS: Final = (9, 16)
#: So many of a sentence's words mean little, as in any language.
LITTLE_SHARE: Final = 0.4
#: An article keeps to so many of its subject's words.
OWN_WORDS: Final = 14
#: Of these so many are the same everywhere; a word's use falls with its place.
CORE: Final = 5
FALL: Final = 0.7
#: Of the words of no subject so many are among those that every page uses.
GENERAL_SHARE: Final = 0.3
#: An article of another subject mentions the watched one this often.
MENTIONS: Final = 0.05


class ArticleWriter:
    """Writes one article; the same words at every call."""

    def __init__(self, web_seed: int, article: SimulatedArticle, site: SimulatedSite) -> None:
        number = article.twin if article.twin >= 0 else article.number
        self._rng = random.Random(f"{web_seed}/{number}")
        self._language = site.language
        self._density = article.density
        self._stuffed = site.kind is SiteKind.SPAM
        words = SUBJECTS[self._language][article.subject]
        # The first words of a subject are those that every writer uses, and uses most.
        self._own = [*words[:CORE], *self._rng.sample(words[CORE:], OWN_WORDS - CORE)]
        if article.subject != TOPIC and self._rng.random() < MENTIONS:
            self._own += SUBJECTS[self._language][TOPIC][:3]
        uses = ((place + 1) ** -FALL for place in range(len(self._own)))
        self._uses = list(accumulate(uses))

    def title(self) -> str:
        """Return a title: mostly words of the subject."""
        words = [self._own_word(), *self._rng.sample(self._own, 2)]
        words += self._rng.sample(GENERAL[self._language], 2)
        self._rng.shuffle(words)
        return self._joined(words)

    def paragraphs(self) -> Iterator[str]:
        """The text, a paragraph of some sentences at a time."""
        n_left = self._rng.randint(*SENTENCES)
        while n_left > 0:
            n = min(n_left, self._rng.randint(2, 4))
            yield self._gap.join(self.sentence() for _ in range(n))
            n_left -= n

    def sentence(self) -> str:
        """One sentence."""
        rng, language = self._rng, self._language
        words = []
        for _ in range(rng.randint(*WORDS)):
            if self._stuffed:
                words.append(self._own_word())
            elif rng.random() < LITTLE_SHARE:
                words.append(rng.choice(LITTLE[language]))
            elif rng.random() < self._density:
                words.append(self._own_word())
            elif rng.random() < GENERAL_SHARE:
                words.append(rng.choice(GENERAL[language]))
            else:
                words.append(rng.choice(other_words(language)))
        return self._joined(words) + ("." if language == "en" else "。")

    def _own_word(self) -> str:
        return self._rng.choices(self._own, cum_weights=self._uses)[0]

    @property
    def _gap(self) -> str:
        return " " if self._language == "en" else ""

    def _joined(self, words: list[str]) -> str:
        text = self._gap.join(words)
        return text[:1].upper() + text[1:]

"""The focus judge: what the person gave against pages of any subject, as a probability."""

from dataclasses import replace
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.answers import clipped_log_odds
from crawler.knowledge.density import with_own_words
from crawler.knowledge.judge import Example, TitleEffect, TrainingSet, Verdict
from crawler.knowledge.judges.cosine_judge import CosineJudge
from crawler.knowledge.judges.features import term_weights
from crawler.knowledge.judges.focus_learning import FEW, Model
from crawler.knowledge.judges.language_offsets import offsets_of
from crawler.knowledge.judges.title_hypernyms import names_of
from crawler.knowledge.page_matrix import PageMatrix, linear_scores
from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.suffixes import SuffixMatcher
from crawler.knowledge.terms import TermRules, concept_names, profile_vector
from crawler.knowledge.vectors import matched_terms, strongest
from crawler.page.parsed import PageTerms

Vector = NDArray[np.float64]

#: Learnt terms that count as the topic's own in the content value.
N_TOPIC_TERMS = 60


class FocusJudge:
    """Calibrated probability that a page is on topic, by logistic regression.

    The regression separates labelled pages and the topic's own words from background pages. Only
    labelled pages give a term a positive weight, since background pages only pull down. So learnt
    terms cannot drift towards what was fetched. Pages are compared by terms and by latent
    dimensions, so that words that often occur together count as alike. Pages in a language without
    examples are compared with the topic's words and concepts instead. Where more than half of the
    fetched pages seem to be on topic, the background holds too little that is off topic. Then the
    topic's words and concepts alone are enough, too.
    """

    gives_probability = True

    def __init__(self, profile: TopicProfile, training_set: TrainingSet, model: Model) -> None:
        self._rules, self._reading = TermRules(profile), SuffixMatcher(profile)
        self._concepts = concept_names(profile)
        self._frequencies = training_set.frequencies
        self._model = model
        self._languages = frozenset(e.terms.language for e in training_set.examples if e.good)
        numbers = [e.page for e in training_set.examples if e.good and len(e.terms)]
        self._left_out = dict(zip(numbers, model.left_out, strict=False))
        self._abroad = CosineJudge(profile, TrainingSet(training_set.frequencies))
        share = max(model.share, model.share_by_words)
        self._second = self._abroad if share > FEW else None
        positive = {term: w for term, w in model.weights.items() if w > 0}
        own, learnt = profile_vector(profile), dict(strongest(positive, N_TOPIC_TERMS))
        self.term_weights = with_own_words(learnt, own)
        self.topic_terms = frozenset(own) | frozenset(learnt)

    def judge(self, page: PageTerms) -> Verdict:
        """Probability in [0, 1]; 0 where a rule of the topic forbids the page."""
        if page.language and page.language not in self._languages and self._concepts:
            return self._abroad.judge(page)
        read = self._reading.page(page)
        shares = self._shares(read, self._model)
        best = np.flatnonzero(shares > 0)
        matched = matched_terms(
            {read.vocabulary[i]: float(shares[i]) for i in best}, self._concepts
        )
        if broken := self._rules.broken_by(page):
            return Verdict(0.0, matched, broken)
        by_words = self._second.judge(page).relevance if self._second is not None else 0.0
        relevance = max(self._probability(read, shares, self._model), by_words)
        titles = self._model.titles
        kind = titles.strongest_kind(read.title) if titles is not None else None
        if kind is None:
            return Verdict(relevance, matched)
        untitled = self._probability(replace(read, title=""), shares, self._model)
        odds = clipped_log_odds(np.array([relevance, max(untitled, by_words)]))
        change = float(odds[0] - odds[1])
        effect = TitleEffect(*names_of(kind), change) if change > 0 else None
        return Verdict(relevance, matched, title=effect)

    def order_relevance(self, page: PageTerms) -> float | None:
        """Probability by terms alone, and by a model that does not know the share of topic pages.

        An estimate of that share from few pages is often far too high; then nearly every page
        has the same probability, and the strategy nothing to go by.
        """
        model = self._model.unadjusted
        if model is None or (page.language not in self._languages and self._concepts):
            return None
        if self._rules.broken_by(page):
            return 0.0
        read = self._reading.page(page)
        return self._probability(read, self._shares(read, model), model)

    def left_out(self, example: Example) -> float | None:
        """Probability of an example that is a stored page, by a fit without it; else None."""
        relevance = self._left_out.get(example.page) if example.page else None
        if relevance is None or self._rules.broken_by(example.terms):
            return None
        if self._second is not None:
            relevance = max(relevance, self._second.judge(example.terms).relevance)
        return relevance

    def _probability(self, read: PageTerms, shares: Vector, model: Model) -> float:
        """A model's probability of a page to whose logit its tokens add `shares`."""
        logit = float(shares.sum())
        if model.latent is not None:
            logit += model.latent.logit(read, self._frequencies)
        if model.titles is not None:
            logit *= float(model.titles.text_scales([read.title])[0])
            logit += model.titles.logit(read.title)
        logit += model.bias + model.offsets.get(read.language, 0.0)
        return model.calibration.probability(logit)

    def _shares(self, read: PageTerms, model: Model) -> Vector:
        """What each distinct token of a page adds to its logit, shape (n_vocabulary,)."""
        weights = term_weights(read, self._frequencies)
        known = map(model.weights.get, read.vocabulary, repeat(0.0))
        return weights * np.fromiter(known, np.float64, len(weights))

    def relevances(self, pages: PageMatrix) -> Vector:
        """Probability of each page, as `judge` gives it, shape (n_pages,)."""
        read = self._reading.matrix(pages)
        model, frequencies = self._model, self._frequencies
        logits = linear_scores(read, model.weights, frequencies)
        if model.latent is not None:
            logits += model.latent.logits(read, frequencies)
        if model.titles is not None:
            logits *= model.titles.text_scales(pages.titles)
            logits += model.titles.logits(pages.titles)
        logits += model.bias + offsets_of(pages.languages, model.offsets)
        found = model.calibration.probabilities(logits)
        if self._second is not None:
            found = np.maximum(found, self._second.relevances(pages))
        found[self._rules.broken_pages(pages)] = 0.0
        if not self._concepts:
            return found
        known = [not language or language in self._languages for language in pages.languages]
        return np.where(known, found, self._abroad.relevances(pages))

"""The focus judge: what the person gave against pages of any subject, as a probability."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.answers import clipped_log_odds
from crawler.knowledge.density import with_own_words
from crawler.knowledge.judge import Example, TitleEffect, TrainingSet, Verdict
from crawler.knowledge.judges.calibration import MOST_RAISED, Calibration, LogisticCurve
from crawler.knowledge.judges.cosine_judge import CosineJudge
from crawler.knowledge.judges.design import Design, LabelledVectors, Separation
from crawler.knowledge.judges.features import FeatureMatrix, term_weights
from crawler.knowledge.judges.language_offsets import offsets_of
from crawler.knowledge.judges.latent import LatentSpace, LatentWeights
from crawler.knowledge.judges.logistic import LogisticFit
from crawler.knowledge.judges.title_hypernyms import (
    TitleWeights,
    mixed,
    names_of,
    shared_titles,
    text_scales,
)
from crawler.knowledge.page_matrix import PageMatrix, linear_scores
from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.suffixes import SuffixMatcher
from crawler.knowledge.terms import TermRules, concept_names, profile_vector
from crawler.knowledge.topic_share import share_by_chances
from crawler.knowledge.vectors import matched_terms, strongest
from crawler.page.parsed import PageTerms

Vector = NDArray[np.float64]

#: Least pages of any subject that serve as a background.
MIN_BACKGROUND = 30
#: Of the fetched pages at most such a share stands for what is off topic.
MAX_BACKGROUND_SHARE = 0.5
#: In a first crawl the share may come from a regression on less than half of the pages. Then the
#: topic's words alone must let this share of the fetched pages through, of so many at least.
MANY_BY_WORDS, MIN_FITTED_PAGES = 0.2, 20
#: While less than `FEW` of the fetched pages are on topic, the calibration is left alone;
#: from `MANY` on it is raised until it agrees with that share.
FEW, MANY = 0.5, 0.75
#: Upper limit of a share: one page in fifty is off topic in any crawl.
MOST_ON_TOPIC = 0.98
#: That ends where the examples, each judged as if it were not known, come to this on average.
KNOWN_KEPT = 0.97
#: Without the worst of them, such a share: a front page given as a seed is like no article.
KNOWN_LEFT_OUT = 0.2
#: Slope of the curve over likeness, in standard deviations, where nothing else is to be had.
LIKENESS_SLOPE = 2.0
#: How many times topic pages in the background are looked for and given less weight.
N_RELABEL = 1
_LEAST_TRUST = 0.02
#: Relevance from which the topic's words let a page through.
HALF_SURE = 0.5
#: Learnt terms that count as the topic's own in the content value.
N_TOPIC_TERMS = 60


@dataclass(frozen=True, slots=True)
class Model:
    """What was learnt: a weight for each term, and how logits become probabilities.

    `latent` adds what the page's latent dimensions are worth, `offsets` what its language is.
    `share` is the estimated share of topic pages among the fetched ones, `share_by_words` the one
    that the topic's words and concepts alone let through; `unadjusted` is the model that does not
    know it, where they differ.
    """

    weights: dict[str, float]
    bias: float
    calibration: Calibration
    latent: LatentWeights | None = None
    titles: TitleWeights | None = None
    offsets: Mapping[str, float] = field(default_factory=dict)
    share: float = 0.0
    share_by_words: float = 0.0
    unadjusted: "Model | None" = None
    #: Probability of each row by a fit without it: examples, the topic's words, the background.
    left_out: tuple[float, ...] = ()


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


def learn(profile: TopicProfile, training_set: TrainingSet) -> Model:
    """Learn a topic from its examples, words and background.

    Parameters
    ----------
    training_set : TrainingSet
        With at least one good example and two background pages. Background pages are unlabelled. Of
        the fetched ones, only those least like the topic are used: half of them or, where more than
        half seem to be on topic, the share that does not. Each page counts as off topic as far as a
        judge that has not seen it finds it unlike the topic.

    Returns
    -------
    Model
    """
    # It is read several times, and each time it may be unpacked.
    training_set = replace(training_set, background=list(training_set.background))
    with_words = _with_words(profile, training_set)
    by_words = float(with_words.mean()) if len(with_words) else 0.0
    training_set = SuffixMatcher(profile).training_set(training_set)
    given, frequencies, n_fetched = (
        LabelledVectors.of(profile, training_set),
        training_set.frequencies,
        training_set.n_fetched,
    )
    background = [
        (page.vocabulary, term_weights(page, frequencies)) for page in training_set.background
    ]
    training = FeatureMatrix.of(given.vectors, background)
    languages = [page.language for page in training_set.background]
    by_terms = Design(
        given, training.gram(), languages[:n_fetched], languages[n_fetched:], with_words
    )
    n_least = _n_least(n_fetched, 0.0)
    separation, calibration = _settled(by_terms, n_least)
    unadjusted = _model(training, separation, calibration)
    fetched = [page.title for page in training_set.background]
    pages = _Pages.of(training, by_terms, [*given.titles, *fetched], shared_titles(fetched))
    field = replace(by_terms, gram=pages.gram)
    settled, calibration = _settled(field, n_least)
    if field.n_others >= MIN_BACKGROUND:
        share = by_terms.share(by_terms.likeness())
    else:
        calibration = _believed(field, settled, calibration)
        share = _share_in_first_crawl(by_terms, separation, by_words)
    share = min(share, MOST_ON_TOPIC)
    model = pages.model(settled, calibration) if share <= FEW else _for_many(pages, field, share)
    return replace(model, share=share, share_by_words=by_words, unadjusted=unadjusted)


def _share_in_first_crawl(field: Design, separation: Separation, by_words: float) -> float:
    """The share of topic pages where there are hardly any pages of other crawls.

    Examples with little in common make everything look on topic, so likeness must agree with a
    regression on half of the pages. That regression is too low where nearly all pages are on topic
    and alike. Where the topic's own words support likeness, a regression against what seems to be
    off topic replaces it.
    """
    share, n_fetched = field.share(field.likeness()), len(field.languages)
    if by_words > MANY_BY_WORDS:
        n_least = max(_n_least(n_fetched, share), min(MIN_FITTED_PAGES, n_fetched // 2))
        separation = field.fit_separation(n_least)
    return min(share, field.share(separation.logits))


def _believed(field: Design, separation: Separation, calibration: Calibration) -> Calibration:
    """Raise or lower a calibration until the fetched pages' mean is the share of its verdicts."""
    fetched = separation.logits[field.fetched]
    known = calibration.probabilities(separation.logits[field.given.good_pages])
    share = share_by_chances(known, calibration.probabilities(fetched))
    return calibration.raised(calibration.rise_to(share, fetched, least=-MOST_RAISED))


@dataclass(frozen=True, slots=True)
class _Pages:
    """What was given and the background: terms, places on the background's axes, and titles."""

    features: FeatureMatrix
    by_terms: Design
    space: LatentSpace
    coordinates: Vector
    titles: Sequence[str]
    shared_titles: frozenset[str]

    @classmethod
    def of(
        cls,
        features: FeatureMatrix,
        by_terms: Design,
        titles: Sequence[str],
        shared: frozenset[str],
    ) -> "_Pages":
        space = LatentSpace.of(features, by_terms.n_given)
        informative = ["" if title in shared else title for title in titles]
        places = space.coordinates(features.vectors)
        return cls(features, by_terms, space, places, informative, shared)

    @property
    def gram(self) -> Vector:
        """Inner products by terms, axes and titles together."""
        return mixed(self.space.mixed(self.by_terms.gram, self.coordinates), self.titles)

    def model(self, separation: Separation, calibration: Calibration) -> Model:
        """Return the model of a fit on `gram`."""
        rows = separation.rows
        titles = [self.titles[row] for row in rows]
        of_text = separation.fit.dual * text_scales(titles)
        weights = _term_weights(self.features, rows, (1 - self.space.share) * of_text)
        return replace(
            _model(self.features, separation, calibration),
            weights=weights,
            latent=LatentWeights.of(self.space, of_text, self.coordinates[rows]),
            titles=TitleWeights.of(separation.fit.dual, titles, self.shared_titles),
        )


def _for_many(pages: _Pages, field: Design, share: float) -> Model:
    """The model where more than `FEW` of the fetched pages are on topic."""
    n_least = _n_least(len(field.languages), share)
    if field.n_others + n_least < MIN_BACKGROUND:
        return _by_likeness(pages.features, pages.by_terms, share)
    separation, calibration = _settled(field, n_least)
    return pages.model(separation, _for_share(field, calibration, separation.logits, share))


def _settled(field: Design, n_least: int) -> tuple[Separation, Calibration]:
    """Fit the topic against other pages, then again with less weight on those that look like it."""
    separation = field.fit_separation(n_least)
    trust = field.given.trusts(len(separation.rows))
    n_given = field.n_given
    for _ in range(N_RELABEL):
        mixture = field.calibration(separation).as_mixture
        chances = mixture.probability(separation.fit.left_out[n_given:])
        trust[n_given:] = np.maximum(1 - chances, _LEAST_TRUST)
        separation = field.refit(separation, trust)
    return separation, field.calibration(separation)


def _with_words(profile: TopicProfile, training_set: TrainingSet) -> NDArray[np.bool_]:
    """True for each fetched page that the topic's words and concepts alone let through.

    As a crawl goes on, the topic's words are on nearly every page. They separate less and less, and
    likeness comes to be the likeness of other words.
    """
    if not training_set.n_fetched:
        return np.zeros(0, np.bool_)
    judge = CosineJudge(profile, TrainingSet(training_set.frequencies))
    pages = PageMatrix.of(training_set.background[: training_set.n_fetched])
    return judge.relevances(pages) >= HALF_SURE


def _n_least(n_fetched: int, share: float) -> int:
    """How many of the fetched pages form the background."""
    return int(min(MAX_BACKGROUND_SHARE, 1 - share) * n_fetched)


def _for_share(
    field: Design, calibration: Calibration, logits: Vector, share: float
) -> Calibration:
    """Raise a calibration until the fetched pages' probabilities agree with their share.

    The fit had few examples and many background pages, and so believes that topic pages are rare.
    As the share may be too high, two limits hold. The calibration is not raised past the point
    where the examples, each left out, reach `KNOWN_KEPT`. Without pages of other crawls it is not
    raised by more than the share's log-odds.

    References
    ----------
    M. Saerens, P. Latinne and C. Decaestecker, "Adjusting the outputs of a classifier to
    new a priori probabilities", Neural Computation 14(1), 2002.
    """
    rise = calibration.rise_to(share, logits[field.fetched])
    known = np.sort(logits[field.given.good_pages])
    rise = min(rise, calibration.rise_to(KNOWN_KEPT, known[int(KNOWN_LEFT_OUT * len(known)) :]))
    if field.n_others < MIN_BACKGROUND:
        rise = min(rise, float(np.log(share / (1 - share))))
    return calibration.raised(min((share - FEW) / (MANY - FEW), 1.0) * rise)


def _by_likeness(training: FeatureMatrix, field: Design, share: float) -> Model:
    """Too little is off topic for a regression: score pages by likeness to the labelled rows."""
    trust, likeness = np.array(field.given.trust), field.likeness()
    known, fetched = likeness[field.given.good_pages], likeness[field.fetched]
    spread = max(float(known.std()), float(fetched.std()), 1e-6)
    slope = LIKENESS_SLOPE / spread
    line = LogisticCurve(slope, -slope * float(known.mean()))
    calibration = Calibration(line, line)
    calibration = calibration.raised(calibration.rise_to(share, fetched))
    fit = LogisticFit(trust / trust.sum(), 0.0, likeness[: field.n_given])
    return _model(training, Separation(np.arange(field.n_given), fit, likeness), calibration)


def _model(
    training: FeatureMatrix,
    separation: Separation,
    calibration: Calibration,
) -> Model:
    fit = separation.fit
    terms = _term_weights(training, separation.rows, fit.dual)
    left_out = calibration.probabilities(separation.logits).tolist()
    offsets = separation.offsets
    return Model(terms, fit.bias, calibration, offsets=offsets, left_out=tuple(left_out))


def _term_weights(
    training: FeatureMatrix, rows: NDArray[np.int64], dual: Vector
) -> dict[str, float]:
    """What each term adds to a logit, by the weight of each of some rows."""
    weights = (dual.astype(np.float32) @ training.vectors[rows]).tolist()
    return dict(zip(training.columns, weights, strict=True))

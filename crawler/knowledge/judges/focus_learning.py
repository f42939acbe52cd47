"""What the focus judge learns of a topic: a calibrated regression, and the share of topic pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.judge import TrainingSet
from crawler.knowledge.judges.calibration import MOST_RAISED, Calibration, LogisticCurve
from crawler.knowledge.judges.cosine_judge import CosineJudge
from crawler.knowledge.judges.design import Design, LabelledVectors, Separation
from crawler.knowledge.judges.features import FeatureMatrix, term_weights
from crawler.knowledge.judges.latent import LatentSpace, LatentWeights
from crawler.knowledge.judges.logistic import LogisticFit
from crawler.knowledge.judges.title_hypernyms import (
    TitleWeights,
    mixed,
    shared_titles,
    text_scales,
)
from crawler.knowledge.page_matrix import PageMatrix
from crawler.knowledge.profile import TopicProfile
from crawler.knowledge.suffixes import SuffixMatcher
from crawler.knowledge.topic_share import share_by_chances

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
    pages = _Pages.of(training, by_terms, [page.title for page in training_set.background])
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
    def of(cls, features: FeatureMatrix, by_terms: Design, background: Sequence[str]) -> "_Pages":
        """Find the axes; `background` are the titles of its pages."""
        space, shared = LatentSpace.of(features, by_terms.n_given), shared_titles(background)
        titles = [*by_terms.given.titles, *background]
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

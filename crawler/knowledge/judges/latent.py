"""Latent dimensions of pages: which of them are about the same, beyond the words they share."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judges.features import FeatureMatrix, term_weights
from crawler.knowledge.page_matrix import PageMatrix, projections
from crawler.page.parsed import PageTerms

Vector = NDArray[np.float64]
Axes = NDArray[np.float32]

#: Most dimensions, and pages that each must come from.
MOST_AXES, PAGES_AN_AXIS = 35, 5
#: Share of the inner product that many pages give the latent dimensions, and how many pages
#: give half of it: the dimensions of few pages are those of chance.
MOST_SHARE, HALF_SHARE_PAGES = 0.15, 100.0
_LEAST_LENGTH = 1e-9


@dataclass(frozen=True, slots=True)
class LatentSpace:
    """The directions in which some pages differ most.

    Attributes
    ----------
    columns : mapping of str to int
        Row of each term in `axes`.
    axes : ndarray of float32, shape (n_terms, n_axes)
        Unit vectors.
    origin : ndarray of float64, shape (n_axes,)
        The pages' mean on the axes.
    share : float
        Share of the inner product that the dimensions get, in [0, 1).

    References
    ----------
    S. Deerwester and others, "Indexing by latent semantic analysis", JASIS 41(6), 1990.
    """

    columns: Mapping[str, int]
    axes: Axes
    origin: Vector
    share: float

    @classmethod
    def of(cls, features: FeatureMatrix, n_given: int) -> "LatentSpace":
        """Find the axes of the background: the rows after the first `n_given`; at least two."""
        rows = features.vectors[n_given:]
        mean = rows.mean(axis=0)
        centred = rows - mean
        n_pages = len(rows)
        n_axes = max(min(MOST_AXES, n_pages // PAGES_AN_AXIS), 1)
        values, vectors = np.linalg.eigh((centred @ centred.T).astype(np.float64))
        lengths = np.sqrt(np.maximum(values[-n_axes:], _LEAST_LENGTH))
        axes = centred.T @ (vectors[:, -n_axes:] / lengths).astype(np.float32)
        share = MOST_SHARE * n_pages / (n_pages + HALF_SHARE_PAGES)
        return cls(features.columns, axes, (mean @ axes).astype(np.float64), share)

    def coordinates(self, vectors: NDArray[np.float32]) -> Vector:
        """Place of each page on the axes, at norm 1, shape (n_pages, n_axes)."""
        return self._placed((vectors @ self.axes).astype(np.float64))

    def coordinates_of(self, page: PageTerms, frequencies: DocumentFrequencies) -> Vector:
        """`coordinates` of one page, shape (1, n_axes)."""
        known = map(self.columns.get, page.vocabulary, repeat(-1))
        rows = np.fromiter(known, np.int64, len(page.vocabulary))
        held = rows >= 0
        weights = term_weights(page, frequencies)[held].astype(np.float32)
        return self._placed((weights @ self.axes[rows[held]]).astype(np.float64)[None])

    def coordinates_in(self, pages: PageMatrix, frequencies: DocumentFrequencies) -> Vector:
        """`coordinates` of many pages, shape (n_pages, n_axes)."""
        return self._placed(projections(pages, self.columns, self.axes, frequencies))

    def mixed(self, gram: Vector, coordinates: Vector) -> Vector:
        """Inner products of pages by their terms and by the axes, shape (n_pages, n_pages)."""
        both: Vector = (1 - self.share) * gram + self.share * (coordinates @ coordinates.T)
        return both

    def _placed(self, products: Vector) -> Vector:
        places = products - self.origin
        lengths = np.linalg.norm(places, axis=1, keepdims=True)
        found: Vector = places / np.maximum(lengths, _LEAST_LENGTH)
        return found


@dataclass(frozen=True, slots=True)
class LatentWeights:
    """What a place in a latent space adds to a page's logit: its product with `weights`."""

    space: LatentSpace
    weights: Vector

    @classmethod
    def of(cls, space: LatentSpace, dual: Vector, coordinates: Vector) -> "LatentWeights":
        """The part of a fit on pages with these coordinates, given the weight of each page."""
        return cls(space, space.share * (dual @ coordinates))

    def logit(self, page: PageTerms, frequencies: DocumentFrequencies) -> float:
        """Return what is added to one page's logit."""
        return float((self.space.coordinates_of(page, frequencies) @ self.weights)[0])

    def logits(self, pages: PageMatrix, frequencies: DocumentFrequencies) -> Vector:
        """`logit` of many pages, shape (n_pages,)."""
        found: Vector = self.space.coordinates_in(pages, frequencies) @ self.weights
        return found

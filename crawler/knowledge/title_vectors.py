"""Titles as vectors of the kinds of things they name: a penguin and an owl are both birds."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import log, sqrt

from crawler.text.hypernyms import path_of, senses_of
from crawler.text.noun_table import noun_table

#: A title of which less is known names something else.
LEAST_PART = 0.5
#: A less likely sense does not count.
LEAST_WEIGHT = 0.2
#: The most general kinds hold nearly everything: entity, and below it physical and abstract ones.
N_GENERAL = 2


@lru_cache(maxsize=2**11)
def title_vector(title: str) -> Mapping[int, float]:
    """Return the kinds of things a title may name, at norm 1; nothing if none is known.

    A kind counts by its information content, -ln of the share of nouns that are of it.

    References
    ----------
    P. Resnik, "Using information content to evaluate semantic similarity in a taxonomy",
    IJCAI 1995.
    """
    senses = senses_of(title)
    if sum(sense.weight for sense in senses) < LEAST_PART:
        return {}
    kinds = {
        kind
        for sense in senses
        if sense.weight >= LEAST_WEIGHT
        for kind in path_of(sense.number)[N_GENERAL:]
    }
    contents = {kind: -log(noun_table().share(kind)) for kind in sorted(kinds)}
    length = sqrt(sum(content * content for content in contents.values()))
    return {kind: content / length for kind, content in contents.items()}


def mean_vector(titles: Iterable[str]) -> Mapping[int, float]:
    """Return the mean of some titles' vectors, of those whose kinds are known."""
    vectors = [vector for vector in map(title_vector, titles) if vector]
    total: defaultdict[int, float] = defaultdict(float)
    for vector in vectors:
        for kind, value in vector.items():
            total[kind] += value / len(vectors)
    return dict(total)


def inner_product(title: str, vector: Mapping[int, float]) -> float:
    """Inner product of a title's vector and another; 0 if its kinds are unknown."""
    return sum(value * vector.get(kind, 0.0) for kind, value in title_vector(title).items())

"""Five shapes of link farms never enter the first ten, whatever they link to."""

import pytest

from crawler.knowledge.content_value import ContentValue
from crawler.knowledge.profile import CrawlSettings
from crawler.knowledge.stuffing import is_farm
from crawler.ranking.quantiles import Quantiles
from crawler.ranking.score import AbsoluteRanker
from crawler.ranking.votes import DomainLink, count_votes

USUAL = CrawlSettings()
SEED = "seed.test"
N_HOSTS = 30
HONEST = [f"honest{n}.test" for n in range(40)]
FARM = [f"farm{n}.test" for n in range(N_HOSTS)]
#: Honest pages are typical of the topic; those of a farm are thin and on topic.
TYPICAL, THIN = (0.9, 0.2, 0.5), (0.8, 0.14, 0.35)

SHAPES: dict[str, list[tuple[int, int]]] = {
    "all link to all": [(a, b) for a in range(N_HOSTS) for b in range(N_HOSTS) if a != b],
    "a ring of mutual links": [
        pair for a in range(N_HOSTS) for pair in ((a, (a + 1) % N_HOSTS), ((a + 1) % N_HOSTS, a))
    ],
    "a ring in one direction": [(a, (a + 1) % N_HOSTS) for a in range(N_HOSTS)],
    "doorways to one page": [
        pair for a in range(1, N_HOSTS) for pair in ((0, a), (a, N_HOSTS - 1)) if a < N_HOSTS - 1
    ],
    "each to all later ones": [(a, b) for a in range(N_HOSTS) for b in range(a + 1, N_HOSTS)],
}


def first_ten(shape: str) -> list[str]:
    """The ten best domains of a topic, each with one page; an honest forum leads to the farm."""
    known: dict[str, set[str]] = {SEED: set(HONEST), HONEST[0]: {FARM[0]}}
    for n, host in enumerate(HONEST):
        # Every honest page is linked by one other site beside the seed.
        known.setdefault(host, set()).add(HONEST[(n + 7) % len(HONEST)])
    for source, target in SHAPES[shape]:
        known.setdefault(FARM[source], set()).add(FARM[target])
    keys = {host: number for number, host in enumerate([*HONEST, *FARM])}
    relevances = {host: (THIN if host in FARM else TYPICAL)[0] for host in keys} | {SEED: 0.9}
    links = [
        DomainLink(keys[target], target, source, source, relevances[source])
        for source, targets in known.items()
        for target in targets
    ]
    votes = count_votes(links, known, seeds=[SEED])
    scores = {}
    for host, key in keys.items():
        relevance, density, key_terms = THIN if host in FARM else TYPICAL
        scores[host] = (
            AbsoluteRanker()
            .score(
                ContentValue(key_terms, (), 20, density=density),
                relevance,
                votes[key].sites if key in votes else (),
                votes[key].total if key in votes else 0.0,
                weights=(USUAL.link_weight, USUAL.content_weight),
                scale=USUAL.link_scale,
                quantiles=Quantiles(typical=0.2),
            )
            .value
        )
    return sorted(scores, key=lambda host: (-scores[host], host))[:10]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_farm_of_thin_pages_never_enters_the_first_ten(shape: str) -> None:
    assert not set(first_ten(shape)) & set(FARM)


@pytest.mark.parametrize(
    ("n_pages", "n_stuffed", "is_one"),
    [(2, 2, False), (3, 1, False), (3, 2, True), (12, 3, True), (13, 3, False), (34, 14, True)],
)
def test_a_farm_is_known_by_a_quarter_of_its_pages(
    n_pages: int, n_stuffed: int, is_one: bool
) -> None:
    assert is_farm(n_pages, n_stuffed) is is_one

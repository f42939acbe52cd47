"""What pages were worth under links that name the same kind of thing."""

from collections import defaultdict
from collections.abc import Iterable

from crawler.strategies.link_features import PRIOR_PAGES, Tally, log_odds
from crawler.text.hypernyms import path_of, senses_of
from crawler.text.noun_table import noun_table

#: Average pages, spread over all kinds of things as nouns are, that the counts begin with: five
#: examples of anything are things, and no page is better for that.
BACKGROUND_PAGES = 20.0
#: Phrases whose lift is remembered: a frontier may have a million.
MAX_LIFTS = 10_000


class HypernymWorth:
    """What fetched pages were worth, by the kind of thing that their links name.

    The estimate of a kind begins with that of the kind around it: of birds with that of animals.

    Parameters
    ----------
    pages : iterable of (str, float)
        What each page is called, and its worth in [0, 1].
    mean : float
        Worth of an average page, in (0, 1).
    """

    def __init__(self, pages: Iterable[tuple[str, float]], mean: float) -> None:
        self._mean = mean
        self._tallies: defaultdict[int, Tally] = defaultdict(Tally)
        self._lifts: dict[str, float] = {}
        senses: defaultdict[int, Tally] = defaultdict(Tally)
        for phrase, worth in pages:
            for sense in senses_of(phrase):
                senses[sense.number].add(worth, sense.weight)
        for number, tally in senses.items():
            for kind in path_of(number):
                self._tallies[kind].add(tally.worth / tally.n, tally.n)

    def lift(self, phrase: str) -> float:
        """Log-odds of a page under a link with this anchor against an average page's.

        The mean over what it may name, times the part of it that names something; 0 if none does.
        """
        lift = self._lifts.get(phrase)
        if lift is None:
            if len(self._lifts) >= MAX_LIFTS:
                self._lifts.clear()
            lift = self._lifts[phrase] = self._lift(phrase)
        return lift

    def _lift(self, phrase: str) -> float:
        senses = senses_of(phrase)
        part = sum(sense.weight for sense in senses)
        if not part:
            return 0.0
        chance = sum(sense.weight * self._chance(sense.number) for sense in senses) / part
        return part * (log_odds(chance) - log_odds(self._mean))

    def _chance(self, sense: int) -> float:
        chance, table = self._mean, noun_table()
        for kind in path_of(sense):
            tally = self._tallies.get(kind)
            if tally is None:
                break
            n_average = BACKGROUND_PAGES * table.share(kind)
            before = (n_average * self._mean + PRIOR_PAGES * chance) / (n_average + PRIOR_PAGES)
            chance = tally.posterior(before, n_average + PRIOR_PAGES)
        return chance

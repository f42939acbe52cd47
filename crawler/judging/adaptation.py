"""Where the adaptive judge of a crawl stands."""

from crawler.judging.training import MEMORY
from crawler.knowledge.judges.adaptation import Adaptation
from crawler.knowledge.judges.adaptive_judge import AdaptiveKind
from crawler.knowledge.judges.intervals import Intervals
from crawler.models import Crawl
from crawler.models.values import load_value


def adaptation_of(crawl: Crawl) -> Adaptation | None:
    """Return the threshold and counts of a crawl's adaptive judge; None before its first interval.

    None, too, if the crawl has another judge.
    """
    if crawl.settings.judge != AdaptiveKind.name:
        return None
    packed = load_value(crawl, MEMORY + AdaptiveKind.name)
    adaptation = Intervals.load(packed or b"").adaptation
    return adaptation if adaptation.n_intervals else None

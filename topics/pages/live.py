"""What a person sees of a run while it goes on: its numbers, and the first finds."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from crawler.api.pages import site_of
from crawler.api.tables import FrontierEntry, Run
from topics.models import Thumb, Topic
from topics.pages.rows import ShownPage, shown_pages

#: Finds that a person can judge at once; when one is judged, another takes its place.
N_FINDS: Final = 3


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A run under way.

    Attributes
    ----------
    n_new_sites : int
        Sites with a kept page of this run that no seed is on.
    next_url : str
        The URL that is most promising now; "" for none.
    finds : list of ShownPage
        The best pages of the run that the person has not rated.
    """

    n_new_sites: int
    next_url: str
    finds: list[ShownPage]


def live_run(topic: Topic, run: Run, user: Any, now: datetime) -> LiveRun:
    """Return what a run has found so far. Finds are shown in a topic's first run alone."""
    kept = run.harvests.kept()
    named = {site_of(url) for url in topic.profile().seeds}
    n_new = kept.exclude(url__site__name__in=named).values("url__site").distinct().count()
    waiting = FrontierEntry.objects.filter(crawl=run.crawl_id, state=FrontierEntry.State.NEW)
    most_promising = (
        waiting.order_by("tier", "-priority", "pk").values_list("url__url", flat=True).first()
    )
    finds: list[ShownPage] = []
    if run.crawl.baseline_end() is None:
        rated = Thumb.objects.filter(topic=topic, user=user).values("url")
        new = kept.exclude(url__in=rated).select_related("url", "url__site", "url__page")
        best_first = new.order_by("-score", "pk")[: 4 * N_FINDS]
        # While a run goes on, copies of an article are not yet one story.
        titles = {
            one.page.title.casefold() or one.url.url: one for one in reversed(list(best_first))
        }
        best = sorted(titles.values(), key=lambda one: (-one.score, one.pk))[:N_FINDS]
        finds = shown_pages(run.crawl, best, now)
    return LiveRun(n_new, most_promising or "", finds)

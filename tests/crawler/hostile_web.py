"""Sites of .test that play tricks, on loopback, crawled by the whole loop."""

from collections.abc import Callable
from dataclasses import replace

from crawler.crawl import worker
from crawler.knowledge.profile import CrawlSettings
from crawler.models import Crawl, FrontierEntry, Run
from focusweb.clock import utc_now
from focusweb.testing import MISSING, Site, SmallWeb, page, serving, start_worker
from tests.crawler.web import PROFILE, SETTINGS

__all__ = ["MISSING", "TEXT", "HostileWeb", "Site", "page", "serving", "start_worker"]

HostileWeb = SmallWeb
TEXT = "Solar cells turn sunlight into electricity, and solar panels hold many solar cells. "


def links(*targets: str) -> str:
    """Links to some addresses, as markup."""
    return " ".join(f'<a href="{target}">solar cells {n}</a>' for n, target in enumerate(targets))


def new_run(
    *seeds: str, n_pages: int = 50, how: CrawlSettings = SETTINGS, key: str = "solar"
) -> Run:
    """A run that has not begun, of a crawl made on first use."""
    crawl = Crawl.objects.filter(key=key).first() or Crawl(key=key, first_seen=utc_now())
    crawl.describe(replace(PROFILE, seeds=seeds), replace(how, n_pages=n_pages, threshold=0.2))
    crawl.save()
    return Run.objects.create(crawl=crawl, started=utc_now(), n_pages=n_pages)


def crawl(*seeds: str, n_pages: int = 50, stopping: Callable[[], bool] = lambda: False) -> Run:
    """A finished run that began at these seeds."""
    return finish(new_run(*seeds, n_pages=n_pages), stopping)


def finish(run: Run, stopping: Callable[[], bool] = lambda: False) -> Run:
    """Crawl to the end of a run, in a parse child that tests share: one takes long to start."""
    return worker.crawl_in_foreground(run, lambda run: None, stopping, start_worker=start_worker)


def ends() -> dict[str, str]:
    """The reason of each URL, by its address."""
    return dict(FrontierEntry.objects.values_list("url__url", "reason"))


def kept() -> set[str]:
    """Addresses of the kept pages."""
    found = FrontierEntry.objects.filter(url__harvests__kept=True)
    return set(found.values_list("url__url", flat=True))

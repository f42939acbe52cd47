"""Sites of .test that play tricks, on loopback, crawled by the whole loop."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache

from pytest_django import Settings

from crawler.crawl import worker
from crawler.crawl.worker import utc_now
from crawler.knowledge.profile import CrawlSettings
from crawler.models import Crawl, FrontierEntry, Run
from crawler.sandbox.parse_pool import ParsePool
from focusweb.demo.loopback_server import LoopbackServer, Request, Response
from tests.crawler.web import PROFILE, SETTINGS

Site = Callable[[Request], Response]
MISSING = Response(404, b"there is nothing here")
TEXT = "Solar cells turn sunlight into electricity, and solar panels hold many solar cells. "


def page(title: str, body: str = TEXT * 3, **headers: str) -> Response:
    """A page about the topic; `x_robots_tag="x"` becomes a header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    markup = f"<!doctype html><title>{title}</title><p>{body}</p>"
    return Response(200, markup.encode(), headers=named)


def links(*targets: str) -> str:
    """Links to some addresses, as markup."""
    return " ".join(f'<a href="{target}">solar cells {n}</a>' for n, target in enumerate(targets))


@dataclass
class HostileWeb:
    """Hosts by name; every request is written down as host and target."""

    sites: dict[str, Site] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)

    def answer(self, request: Request) -> Response:
        self.requests.append(f"{request.host}{request.target}")
        self.headers.append(request.headers)
        site = self.sites.get(request.host)
        return MISSING if site is None else site(request)

    def serve(self, host: str, pages: Mapping[str, Response], robots: str = "") -> None:
        """Serve fixed pages under a host."""
        answers = dict(pages)
        if robots:
            answers["/robots.txt"] = Response(200, robots.encode(), "text/plain")
        self.sites[host] = lambda request: answers.get(request.target, MISSING)

    def asked(self, host: str) -> list[str]:
        """Targets requested of a host, without robots.txt, in order."""
        found = [r.removeprefix(host) for r in self.requests if r.startswith(f"{host}/")]
        return [target for target in found if target != "/robots.txt"]


@contextmanager
def serving(web: HostileWeb, settings: Settings) -> Iterator[HostileWeb]:
    """Let every host of .test be played by the web."""
    settings.PARSE_CHILDREN = 1
    settings.MAPPED_SITE_DELAY_S = 0.0
    settings.CONTACT_URL = ""
    with LoopbackServer(web.answer) as server:
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        yield web


class KeptPool(ParsePool):
    """A parse pool that outlives the crews that use it: children are slow to start."""

    def close(self) -> None:
        """Keep the child for the next test; it ends with this process."""


@cache
def _pool() -> KeptPool:
    return KeptPool(1)


def start_worker() -> worker.Worker:
    """A collector that parses in a child kept from crawl to crawl."""
    return worker.Worker.start_worker(_pool())


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
    run = new_run(*seeds, n_pages=n_pages)
    return worker.crawl_in_foreground(run, lambda run: None, stopping, start_worker=start_worker)


def ends() -> dict[str, str]:
    """The reason of each URL, by its address."""
    return dict(FrontierEntry.objects.values_list("url__url", "reason"))


def kept() -> set[str]:
    """Addresses of the kept pages."""
    found = FrontierEntry.objects.filter(url__harvests__kept=True)
    return set(found.values_list("url__url", flat=True))

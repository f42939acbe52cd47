"""A pytest plugin for authors of plugins: a small web, whole crawls, and the page of a digest.

Switch it on with ``addopts = "-p focusweb.testing"``. It then gives fixtures, of which each is a
function to call, and pytest-django's own. Nothing leaves this machine.
"""

import atexit
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

if "DJANGO_SETTINGS_MODULE" not in os.environ:
    # Before anything of FocusWeb is imported: the tests of an author get a data folder of theirs.
    os.environ["DJANGO_SETTINGS_MODULE"] = "focusweb.settings"
    os.environ.setdefault("FOCUSWEB_DATA", tempfile.mkdtemp(prefix="focusweb-tests-"))

import pytest
from pytest_django import Settings

from focusweb import hookspecs
from focusweb.demo.loopback_server import LoopbackServer, Request, Response

Site = Callable[[Request], Response]
MISSING = Response(404, b"there is nothing here")
_TEXT = "Solar cells turn sunlight into electricity, and solar panels hold many solar cells. "


def page(title: str, body: str = _TEXT * 3, **headers: str) -> Response:
    """Return a page about solar cells; `x_robots_tag="x"` becomes a header."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    markup = f"<!doctype html><title>{title}</title><p>{body}</p>"
    return Response(200, markup.encode(), headers=named)


@dataclass
class SmallWeb:
    """Hosts by name; every request is written down as host and target."""

    sites: dict[str, Site] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)

    def answer(self, request: Request) -> Response:
        """Answer a request with what the host of its name serves."""
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

    def requested(self, host: str) -> list[str]:
        """Targets requested of a host, without robots.txt, in order."""
        found = [r.removeprefix(host) for r in self.requests if r.startswith(f"{host}/")]
        return [target for target in found if target != "/robots.txt"]


SEED = "http://hub.test/"


def sample_web() -> SmallWeb:
    """Five sites: links, dated pages, a page in GBK, a robots.txt that forbids, and faults."""
    web = SmallWeb()
    targets = [
        *("http://solar.test/cells", "http://solar.test/panels", "http://taiyang.test/"),
        *("http://kitchen.test/soup", "http://closed.test/secret", "http://solar.test/broken"),
        "http://solar.test/gone",
    ]
    links = "".join(f'<li><a href="{target}">{target[7:]}</a></li>' for target in targets)
    web.serve("hub.test", {"/": page("Places to read on", f"<ul>{links}</ul>")})
    meta = '<meta property="article:published_time" content="{}T08:00:00Z">'
    web.serve(
        "solar.test",
        {
            "/cells": page("Solar cells", meta.format("2026-04-28") + _TEXT * 6),
            "/panels": page("Solar panels", meta.format("2026-04-30") + _TEXT * 4),
            "/broken": Response(500, b"out of order"),
        },
    )
    chinese = "<title>太阳能电池</title><p>" + "太阳能电池把阳光变成电。solar cells " * 8
    web.sites["taiyang.test"] = lambda request: Response(
        200, chinese.encode("gbk"), "text/html; charset=gbk"
    )
    soup = "Cut the onions, add the broth, let it simmer for an hour, then serve it hot. " * 3
    web.serve("kitchen.test", {"/soup": page("Soup", soup)})
    web.serve("closed.test", {"/secret": page("Secret")}, robots="User-agent: *\nDisallow: /\n")
    return web


@contextmanager
def serving(web: SmallWeb, settings: Settings) -> Iterator[SmallWeb]:
    """Serve every host of .test from the web."""
    settings.PARSE_CHILDREN = 1
    settings.MAPPED_SITE_DELAY_S = 0.0
    settings.CONTACT_URL = ""
    with LoopbackServer(web.answer) as server:
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        yield web


@cache
def _parser() -> Any:
    from crawler.sandbox.parse_pool import ParsePool

    class KeptPool(ParsePool):
        """A parse pool that outlives its workers: children are slow to start."""

        def close(self) -> None:
            """Keep the child for the next test; it ends with this process."""

    pool = KeptPool(1)
    atexit.register(ParsePool.close, pool)
    return pool


def start_worker() -> Any:
    """Return a collector that parses in a child kept from crawl to crawl."""
    from crawler.crawl.worker import Worker

    return Worker.start_worker(_parser())


@dataclass(frozen=True, slots=True)
class Crawled:
    """A topic after a run.

    Attributes
    ----------
    topic : topics.models.Topic
    run : crawler.models.Run
    kept : dict of str to float
        The score of each kept page, by its address.
    why : dict of str to str
        What is shown as the reason of each kept page, by its address.
    ends : dict of str to str
        The outcome for each URL: "fetched", or the reason why not.
    problems : list of str
        What sources and plugins could not do.
    """

    topic: Any
    run: Any
    kept: dict[str, float]
    why: dict[str, str]
    ends: dict[str, str]
    problems: list[str]


class LoadPlugin(Protocol):
    """Switches a plugin on for one test."""

    def __call__(self, plugin: object, name: str = "tested", /, **settings: Any) -> Any:
        """Register a module or object, and its settings; return `focusweb.plugins.Plugins`."""


@pytest.fixture
def small_web(settings: Settings) -> Iterator[SmallWeb]:
    """`sample_web`, served on this machine; add sites with `serve`."""
    with serving(sample_web(), settings) as web:
        yield web


@pytest.fixture
def load_plugin(settings: Settings, tmp_path: Path) -> LoadPlugin:
    """Switch on a plugin for this test only."""
    from focusweb.plugins import plugins

    def load(plugin: object, name: str = "tested", /, **values: Any) -> Any:
        settings.PLUGINS_DIR = tmp_path / "plugins"
        loaded = plugins()
        loaded.add(plugin, name)
        if values:
            loaded.states.set_up(name, values)
        settings.LOAD_PLUGINS = [*settings.LOAD_PLUGINS, name]
        return loaded

    return load


@pytest.fixture
def crawl(db: None, small_web: SmallWeb) -> Callable[..., Crawled]:
    """Crawl a new topic on solar cells; keywords are fields of `topics.models.Topic`."""
    from django.contrib.auth.models import User
    from django.utils import timezone

    from crawler.api.runs import crawl_in_foreground
    from crawler.models import FrontierEntry, Harvest
    from topics.models import Topic
    from topics.pages.explain import why_sentence
    from topics.runs.start_stop import create_run

    def crawl_topic(*seeds: str, **fields: Any) -> Crawled:
        number = Topic.objects.count()
        owner, _made = User.objects.get_or_create(username="author")
        values = {"name": "solar cells", "languages": "en", "threshold": 0.2, "n_pages": 50}
        values |= {"slug": f"solar-{number}", "seeds": "\n".join(seeds or [SEED])}
        topic = Topic.objects.create(owner=owner, **(values | fields))
        run = create_run(topic, timezone.now())
        crawl_in_foreground(run, lambda run: None, lambda: False, start_worker=start_worker)
        topic.refresh_from_db()
        kept = Harvest.objects.filter(crawl=run.crawl).kept().select_related("url")
        scores = {one.url.url: one.score for one in kept}
        why = {one.url.url: why_sentence(one.explanation) for one in kept}
        ends = FrontierEntry.objects.filter(crawl=run.crawl).values_list("url__url", "reason")
        problems = [one if isinstance(one, str) else one["detail"] for one in run.problems]
        return Crawled(topic, run, scores, why, dict(ends), problems)

    return crawl_topic


@pytest.fixture
def judge(db: None) -> Callable[..., Any]:
    """Judge markup as the page of a topic: ``judge(name, markup, topic="solar cells")``."""
    from crawler.judging.context import make_judge
    from crawler.knowledge.frequencies import DocumentFrequencies
    from crawler.knowledge.judge import TrainingSet
    from crawler.knowledge.profile import CrawlSettings, TopicProfile
    from crawler.page.parse import parse_page

    def judge_page(name: str, markup: str, topic: str = "solar cells", **parameters: float) -> Any:
        profile = TopicProfile(name=topic, languages=("en",))
        how = CrawlSettings(judge=name, judge_parameters=parameters)
        made = make_judge(profile, how, TrainingSet(DocumentFrequencies()))
        return made.judge(parse_page(markup.encode(), "http://page.test/").terms)

    return judge_page


@pytest.fixture
def digest(db: None) -> Callable[[Crawled], Any]:
    """The next digest of a crawled topic as a mail with `subject`, `text` and `html`."""
    from django.utils import timezone

    from topics.delivery.mail_preview import preview_digest
    from topics.models import Digest

    def write(crawled: Crawled) -> Any:
        digest, _made = Digest.objects.get_or_create(topic=crawled.topic)
        return preview_digest(digest, timezone.now()).mail

    return write


@pytest.fixture
def assert_isolated(db: None, tmp_path: Path) -> Callable[[object], None]:
    """Check that every hook of a plugin answers in time and leaves the process as it is."""
    import signal
    import sys

    from django.db import connection

    from focusweb.plugins import load, offers

    def state() -> tuple[Any, ...]:
        handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
        return os.getcwd(), list(sys.path), handlers, dict(os.environ), connection.in_atomic_block

    def check(plugin: object) -> None:
        before = state()
        loaded = load((), tmp_path)
        loaded.add(plugin, "tested")
        for hook in hookspecs.OFFERING:
            offers(hook, loaded)
        for hook, names in hookspecs.NEWS.items():
            loaded.notify(hook, **dict.fromkeys(names, 0))
        assert loaded.failures == []
        assert state() == before, "the plugin changes folder, path, signals or environment"

    return check

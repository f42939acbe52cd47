"""Search providers, as a server on this machine plays them: every format, hostile answers too."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from types import SimpleNamespace
from urllib.parse import quote, urlsplit

import pytest

from crawler.fetch.config import FetchConfig, build_user_agent, parse_connect_to
from crawler.fetch.door import Door
from crawler.models import Crawl, Site
from crawler.page.lists.search_answers import MAX_RESULTS
from crawler.page.url import host_of
from crawler.problems import Problem, ProblemKind
from crawler.search_providers import PROVIDERS, Provider, find_provider
from crawler.sources import registry
from crawler.sources.base import Found, Inquiry
from crawler.sources.open_search import MAX_PER_PROVIDER, MAX_S, LinkSearch, ProviderSearch
from focusweb.demo.loopback_server import LoopbackServer, Request, Response
from focusweb.hookspecs import hookimpl
from focusweb.testing import LoadPlugin
from tests.crawler.web import NOON, PROFILE, SEED, SETTINGS

pytestmark = pytest.mark.django_db

RSS = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
<item><title>One</title><link>https://news.test/1</link></item>
<item><title>Two</title><link>javascript:alert(1)</link></item></channel></rss>"""
ATOM = b"""<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Papers</title>
<entry><id>urn:1</id><title>One</title><link href="https://papers.test/abs/1"/></entry></feed>"""
#: Of each provider an answer as its documentation shows it, and the address in it.
ANSWERS = {
    "wikipedia-en": (
        b'{"batchcomplete": true, "query": {"pages": ['
        b'{"pageid": 2, "index": 2, "title": "B", "fullurl": "https://en.wikipedia.org/wiki/B"},'
        b'{"pageid": 1, "index": 1, "title": "A", "fullurl": "https://en.wikipedia.org/wiki/A"}]}}',
        ("https://en.wikipedia.org/wiki/A", "https://en.wikipedia.org/wiki/B"),
    ),
    "wikipedia-zh": (b'{"batchcomplete": true}', ()),
    "arxiv": (ATOM, ("https://papers.test/abs/1",)),
    "crossref": (
        b'{"status": "ok", "message": {"items": [{"URL": "https://doi.org/10.1/x"}]}}',
        ("https://doi.org/10.1/x",),
    ),
    "gdelt": (RSS, ("https://news.test/1",)),
    "hackernews": (
        b'{"hits": [{"objectID": "7", "url": "https://a.test/"}, {"objectID": "8", "url": null}]}',
        ("https://a.test/", "https://news.ycombinator.com/item?id=8"),
    ),
    "stackoverflow": (
        b'{"items": [{"link": "https://stackoverflow.com/questions/1/x"}], "has_more": false}',
        ("https://stackoverflow.com/questions/1/x",),
    ),
}
FORUM = "http://forum.test/search.json?q={searchTerms}"


@dataclass
class Services:
    """Every host of the world at one place: what each answers, and the requests it got."""

    answers: dict[str, Response] = field(default_factory=dict)
    robots: dict[str, Response] = field(default_factory=dict)
    requested: list[str] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    port: int = 0
    seconds: float = 0.0

    def answer(self, request: Request) -> Response:
        self.requested.append(f"{request.host}{request.target}")
        if request.target == "/robots.txt":
            return self.robots.get(request.host, Response(404))
        return self.answers.get(request.host, Response(404))

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.seconds += seconds

    def crawl(
        self,
        *searches: str,
        queries: tuple[str, ...] = ("smart meters",),
        strategy: str = SETTINGS.strategy,
    ) -> Crawl:
        crawl, _made = Crawl.objects.get_or_create(key="meters", defaults={"first_seen": NOON})
        settings = replace(SETTINGS, strategy=strategy)
        crawl.describe(replace(PROFILE, queries=queries, searches=searches), settings)
        crawl.save()
        return crawl

    def find(
        self,
        *searches: str,
        queries: tuple[str, ...] = ("smart meters",),
        after: timedelta = timedelta(),
        contact: bool = True,
        source: type[ProviderSearch] = ProviderSearch,
        strategy: str = SETTINGS.strategy,
    ) -> Found:
        crawl = self.crawl(*searches, queries=queries, strategy=strategy)
        rules = parse_connect_to(f"*=127.0.0.1:{self.port}")
        with Door(FetchConfig(build_user_agent("http://us.test/"), rules)) as door:
            inquiry = Inquiry(
                crawl.profile, door, crawl.pk, NOON + after, may_fetch=lambda host: contact
            )
            return source(self.wait, lambda: self.seconds).find(inquiry)


@pytest.fixture
def services() -> Iterator[Services]:
    services = Services()
    with LoopbackServer(services.answer) as server:
        services.port = server.port
        yield services


def problems_of(found: Found) -> list[ProblemKind]:
    assert all(isinstance(one, Problem) for one in found.problems)
    return [one.trouble for one in found.problems if isinstance(one, Problem)]


def test_every_provider_of_the_table_has_an_answer_here() -> None:
    assert {provider.name for provider in PROVIDERS} == ANSWERS.keys()


@pytest.mark.parametrize("name", ANSWERS)
def test_a_provider_is_asked_for_the_words_and_its_results_are_seeds(
    services: Services, name: str
) -> None:
    body, urls = ANSWERS[name]
    provider = find_provider(name)
    assert provider is not None
    services.answers[host_of(provider.template)] = Response(200, body)

    found = services.find(name)

    assert (found.urls, found.problems) == (urls, ())
    assert found.first_look == frozenset(urls)
    [requested] = services.requested
    parts = urlsplit(provider.address("smart meters"))
    assert requested == f"{parts.netloc}{parts.path}?{parts.query}"
    assert "smart%20meters" in requested


def test_nothing_is_asked_until_a_provider_is_switched_on(services: Services) -> None:
    assert services.find() == Found()
    assert services.find("no-such-provider").urls == ()
    assert services.requested == []


def test_nothing_is_asked_without_a_contact_address(services: Services) -> None:
    found = services.find("crossref", contact=False)

    assert problems_of(found) == [ProblemKind.PROVIDER_FAILED]
    assert services.requested == []


def test_a_provider_that_is_switched_off_is_asked_no_more(services: Services) -> None:
    services.find("crossref")
    services.find("hackernews", after=timedelta(days=9))

    kinds = registry.load_sources(Crawl.objects.get())
    assert [urlsplit(key).hostname for key in kinds] == ["hn.algolia.com"]


@pytest.mark.parametrize(
    ("body", "url"),
    [
        (b'{"topics": [{"id": 5, "slug": "meters"}]}', "http://forum.test/t/meters/5"),
        (b'["smart meters", ["A"], [""], ["http://a.test/1"]]', "http://a.test/1"),
        (b'{"results": [{"url": "http://a.test/2"}]}', "http://a.test/2"),
        (
            b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "http://a.test/3"}]}',
            "http://a.test/3",
        ),
        (RSS, "https://news.test/1"),
        (ATOM, "https://papers.test/abs/1"),
    ],
)
def test_a_described_search_may_answer_in_any_known_format(
    services: Services, body: bytes, url: str
) -> None:
    services.answers["forum.test"] = Response(200, body)

    assert services.find(FORUM).urls == (url,)
    assert services.requested == [
        "forum.test/robots.txt",
        "forum.test/search.json?q=smart%20meters",
    ]


#: What a plugin may offer.
PAPERS = Provider(
    name="papers",
    title="Papers",
    subject="preprints",
    template="http://papers.test/find?q={searchTerms}",
    format="feed",
    terms="http://papers.test/terms",
)


def test_the_provider_of_a_plugin_is_searched_if_robots_txt_allows_it(
    services: Services, load_plugin: LoadPlugin
) -> None:
    services.answers["papers.test"] = Response(200, ATOM)
    assert services.find("papers").urls == ()
    load_plugin(SimpleNamespace(search_providers=hookimpl(lambda: [PAPERS])))

    assert services.find("papers").urls == ("https://papers.test/abs/1",)
    assert services.requested[0] == "papers.test/robots.txt"
    services.robots["papers.test"] = Response(200, b"User-agent: *\nDisallow: /find")
    found = services.find("papers", after=timedelta(days=2))
    assert problems_of(found) == [ProblemKind.PROVIDER_FAILED]


@pytest.mark.parametrize(
    "robots",
    [Response(200, b"User-agent: *\nDisallow: /search"), Response(503)],
)
def test_a_described_search_obeys_robots(services: Services, robots: Response) -> None:
    services.robots["forum.test"] = robots

    assert problems_of(services.find(FORUM)) == [ProblemKind.PROVIDER_FAILED]
    assert services.requested == ["forum.test/robots.txt"]


@pytest.mark.parametrize(
    ("response", "trouble"),
    [
        (Response(403), ProblemKind.PROVIDER_FAILED),
        (Response(429), ProblemKind.PROVIDER_FAILED),
        (Response(302, headers={"Location": "http://127.0.0.1/"}), ProblemKind.PROVIDER_FAILED),
        (Response(200, b"<html>Your query was too short"), ProblemKind.PROVIDER_UNREADABLE),
        (Response(200, b""), ProblemKind.PROVIDER_UNREADABLE),
        (Response(200, b'{"message": "none"}'), ProblemKind.PROVIDER_UNREADABLE),
        (Response(200, b'{"message": ' + b"[" * 50_000), ProblemKind.PROVIDER_UNREADABLE),
        (
            Response(200, b'{"message": {"items": [{"URL": "\xff"}]}}'),
            ProblemKind.PROVIDER_UNREADABLE,
        ),
    ],
)
def test_a_hostile_answer_is_a_problem_and_the_search_rests(
    services: Services, response: Response, trouble: ProblemKind
) -> None:
    services.answers["api.crossref.org"] = response

    found = services.find("crossref")
    again = services.find("crossref", after=timedelta(minutes=1))

    assert found.urls == ()
    assert problems_of(found) == [trouble]
    assert len(services.requested) == 1
    assert problems_of(again) == [trouble]


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 50_000,
        b'{"a": ' * 50_000,
        b'["q", ["t"], ["d"], "http://a.test/"]',
        b"<?xml version='1.0'?><!DOCTYPE r [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><r>&a;</r>",
        b"\x00\xff\xfe",
        b"plain words",
    ],
)
def test_a_hostile_answer_to_a_described_search_brings_nothing(
    services: Services, body: bytes
) -> None:
    services.answers["forum.test"] = Response(200, body)

    assert services.find(FORUM).urls == ()


def test_an_address_that_no_crawl_can_fetch_is_left_out_and_a_long_answer_cut(
    services: Services,
) -> None:
    odd = ["javascript:alert(1)", "magnet:?x", "http://127.0.0.1:22/", ""]
    works = [{"URL": url} for url in [*odd, *(f"http://a.test/{n}" for n in range(99))]]
    body = json.dumps({"message": {"items": works}}).encode()
    services.answers["api.crossref.org"] = Response(200, body)

    assert len(services.find("crossref").urls) == MAX_RESULTS - len(odd)


def test_a_provider_has_its_pause_between_two_searches(services: Services) -> None:
    services.answers["export.arxiv.org"] = Response(200, ATOM)
    queries = tuple(f"query {n}" for n in range(5))

    services.find("arxiv", queries=queries)

    assert len(services.requested) == MAX_PER_PROVIDER
    assert services.waited == pytest.approx([3.0, 3.0])


def test_a_site_that_rests_or_was_stopped_is_not_asked(services: Services) -> None:
    services.answers["api.crossref.org"] = Response(200, ANSWERS["crossref"][0])
    Site.objects.create(
        name="api.crossref.org",
        domain="crossref.org",
        first_seen=NOON,
        next_fetch_at=NOON + timedelta(minutes=5),
    )

    assert services.find("crossref") == Found()
    Site.objects.update(stopped=True, next_fetch_at=NOON)
    assert problems_of(services.find("crossref")) == [ProblemKind.PROVIDER_FAILED]
    assert services.requested == []


def test_slow_providers_do_not_hold_a_run_up(services: Services) -> None:
    services.seconds = 0.0
    ticks = iter([0.0, *([MAX_S + 1] * 9)])
    crawl = services.crawl("crossref")
    with Door(FetchConfig(build_user_agent("http://us.test/"))) as door:
        inquiry = Inquiry(crawl.profile, door, crawl.pk, NOON)
        found = ProviderSearch(services.wait, lambda: next(ticks)).find(inquiry)

    assert found == Found()
    assert services.requested == []


def test_pages_that_link_to_the_seeds_are_searched_for_the_fourth_papers_strategy(
    services: Services,
) -> None:
    body, urls = ANSWERS["wikipedia-en"]
    services.answers["en.wikipedia.org"] = Response(200, body)

    found = services.find("wikipedia-en", "crossref", source=LinkSearch, strategy="genetic")

    assert (found.urls, found.problems) == (urls, ())
    [requested] = services.requested  # Crossref knows no links.
    assert f"geuquery={quote(SEED.partition('://')[2], safe='')}&" in requested
    crawl = services.crawl("wikipedia-en", strategy="genetic")
    assert [one.kind for one in registry.load_sources(crawl).values()] == [registry.LINKING]


def test_no_seed_is_sent_for_another_strategy_or_without_a_provider(services: Services) -> None:
    assert services.find("wikipedia-en", source=LinkSearch).urls == ()
    assert services.find(source=LinkSearch, strategy="genetic").urls == ()
    assert services.find(FORUM, source=LinkSearch, strategy="genetic").urls == ()
    assert services.requested == []

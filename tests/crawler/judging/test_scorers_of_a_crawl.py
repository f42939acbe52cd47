"""Scorers of plugins in a whole crawl."""

from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace

from crawler.ranking.scorers import Opinion, ScoredPage
from focusweb.hookspecs import hookimpl
from focusweb.testing import Crawled, LoadPlugin


def test_a_scorer_knows_address_and_title_whenever_a_page_is_scored(
    crawl: Callable[..., Crawled], load_plugin: LoadPlugin
) -> None:
    seen: dict[tuple[str, str, str], int] = Counter()

    def opinion(page: ScoredPage) -> Opinion | None:
        seen[page.url, page.title, page.site] += 1
        return Opinion(0.2, "about cells") if "cells" in page.title else None

    scorer = SimpleNamespace(name="content", opinion=opinion)
    load_plugin(SimpleNamespace(scorers=hookimpl(lambda: [scorer])))

    crawled = crawl()

    kept = crawled.topic.crawl.harvests.kept().select_related("url__site", "url__page")
    named = {(one.url.url, one.url.page.title, one.url.site.name) for one in kept}
    # When it is fetched, when what was found is ranked, and at the end of the run.
    assert {name: seen[name] >= 2 for name in named} == dict.fromkeys(named, True)
    assert {url: "about cells" in crawled.why[url] for url, _title, _site in named} == {
        url: "cells" in title for url, title, _site in named
    }
    assert {"cells" in title for _url, title, _site in named} == {True, False}

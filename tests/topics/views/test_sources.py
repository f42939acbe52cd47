"""The page of a topic's sources: what each is, brings, and why it fails."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from crawler.models import FrontierEntry, Knowledge, Source
from crawler.problems import Problem, ProblemKind
from crawler.revisit.rate import FEED
from crawler.revisit.sources import MAX_FAILURES, SourceState
from crawler.sources import registry
from crawler.sources.registry import KnownSource
from tests.topics.factories import Scene, person, scene_of, tight
from tests.topics.views.conftest import LOCAL, get
from topics.models import SiteControl, Topic
from topics.sources.lines import Health, SourceLine, source_health, source_lines

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def state(now: datetime, **more: object) -> SourceState:
    return SourceState(now - 9 * DAY, FEED, visited=now - DAY, last_new=now - DAY, **more)  # type: ignore[arg-type]


@pytest.fixture
def watched(ann: User) -> Scene:
    """A topic with a seed, a lively feed, a failing sitemap, a dead feed and a search."""
    scene = scene_of(ann, now=timezone.now())
    now = scene.now
    scene.entry("https://portal.test/")
    scene.entry("https://dead.test/feed", reason="gone")
    failing = {"failing_since": now - 4 * DAY, "failed": now - timedelta(minutes=5)}
    registry.save_sources(
        scene.crawl,
        {
            "https://live.test/feed": KnownSource(registry.FEEDS, state(now)),
            "https://ill.test/map.xml": KnownSource(
                registry.SITEMAPS, state(now, failures=1, **failing)
            ),
            "https://dead.test/feed": KnownSource(
                registry.FEEDS, state(now, failures=MAX_FAILURES, **failing)
            ),
            "solar cells": KnownSource(registry.SEARCHES, SourceState(now)),
        },
    )
    return scene


def test_each_source_says_what_it_is_and_when_it_is_looked_at(
    as_ann: Client, watched: Scene
) -> None:
    html = get(as_ann, f"{LOCAL}sources/")
    for shown in (
        *("https://portal.test/", "https://live.test/feed", "“solar cells”", "sitemap", "never"),
        *(
            "Failing; first failure 4\xa0days ago.",
            "First failure 4\xa0days ago; no longer checked.",
            f"{FEED.per_day:.2f}",
        ),
        "next run",
    ):
        assert shown in html, shown
    assert html.count(">Check again</button>") == 2
    assert html.index("https://dead.test/feed") < html.index("https://live.test/feed")


def test_what_a_source_brought_is_counted_and_listed(as_ann: Client, watched: Scene) -> None:
    feed, moved = "https://live.test/feed", "https://live.test/rss"
    watched.entry(feed, reason="redirected")
    FrontierEntry.objects.filter(url__url=feed).update(redirects_to=watched.url(moved))
    watched.entry(moved)
    watched.page("https://live.test/first", "The first", feed)
    watched.page("https://live.test/second", "The second", moved)
    watched.page("https://live.test/other", "Of another", "https://portal.test/")
    watched.page("https://live.test/unfit", "Not kept", feed, kept=False)
    link = f"/{LOCAL}sources/pages?key=https%3A%2F%2Flive.test%2Ffeed"
    assert f'<a href="{link}">2</a>' in tight(get(as_ann, f"{LOCAL}sources/"))

    html = get(as_ann, link.lstrip("/"))

    assert "2 kept pages first found here" in html
    assert "The first" in html
    assert "The second" in html
    assert "Of another" not in html
    assert "Not kept" not in html
    as_ann.force_login(person("bob", is_superuser=True))
    assert as_ann.get(link).status_code == 404


@pytest.mark.parametrize("key", ["", "https://nowhere.test/", "solar cells"])
def test_what_is_no_source_with_links_has_no_pages(
    as_ann: Client, watched: Scene, key: str
) -> None:
    assert as_ann.get(f"/{LOCAL}sources/pages", {"key": key}).status_code == 404


def test_a_source_keeps_its_name_from_screen_to_screen(as_ann: Client, watched: Scene) -> None:
    for number in range(31):
        watched.page(f"https://live.test/{number}", f"Page {number}", "https://portal.test/")
    html = get(as_ann, f"{LOCAL}sources/pages?key=https://portal.test/")
    assert 'href="?key=https%3A%2F%2Fportal.test%2F&amp;page=2" rel="next"' in html


def test_a_front_page_is_not_said_to_lead_to_finds(watched: Scene) -> None:
    known = registry.load_sources(watched.crawl) | {
        url: KnownSource(registry.HUBS, SourceState(watched.now))
        for url in ("https://club.test/", "https://club.test/links")
    }
    registry.save_sources(watched.crawl, known)

    shown = {line.key: line.kind_label for line in source_lines(watched.topic, watched.now)}

    assert shown["https://club.test/"] == "front page"
    assert shown["https://club.test/links"] == "links to relevant pages"


def test_a_source_on_a_blocked_site_has_no_next_look(as_ann: Client, watched: Scene) -> None:
    rules = {"live.test": "block"}
    settings = replace(watched.crawl.settings, site_rules=rules)
    watched.crawl.describe(watched.crawl.profile, settings)
    watched.crawl.save()

    blocked = {line.key for line in source_lines(watched.topic, watched.now) if line.is_blocked}

    assert blocked == {"https://live.test/feed"}
    assert get(as_ann, f"{LOCAL}sources/").count("paused while its site is blocked") == 1


def test_the_topic_page_says_how_many_sources_fail(as_ann: Client, watched: Scene) -> None:
    assert "2 failing</span>" in get(as_ann, LOCAL)
    assert source_health(watched.topic, watched.now) == Health(n_failing=2)


def seed_line(scene: Scene) -> SourceLine:
    return next(
        line for line in source_lines(scene.topic, scene.now) if line.kind == registry.SEEDS
    )


def test_a_seed_that_fails_says_since_when_why_and_when_it_is_tried_again(
    as_ann: Client, watched: Scene
) -> None:
    now, seed = watched.now, "https://portal.test/"
    failed = {"failing_since": now - 3 * DAY, "failed": now - 3 * DAY, "failures": 1}
    known = state(now, named=True, **failed)
    registry.save_sources(watched.crawl, {seed: KnownSource(registry.SEEDS, known)})
    watched.crawl.runs.update(started=now - timedelta(minutes=20), ended=now - timedelta(minutes=9))
    # The last try is repeated in a few minutes; until then it counts as failed.
    FrontierEntry.objects.filter(url__url=seed).update(
        state="new", reason="server_error", ended=None
    )

    line = seed_line(watched)
    html = tight(get(as_ann, f"{LOCAL}sources/"))

    assert (line.failing_since, line.looked, line.failures) == (now - 3 * DAY, now - DAY, 2)
    assert (line.next_run, line.not_before) == (False, now - timedelta(minutes=9) + 2 * HOUR)
    assert "Failing; first failure 3\xa0days ago. The site reported an internal error" in html
    assert f'name="key" value="{seed}">Check again</button>' in html


def test_a_topic_whose_seeds_all_fail_says_so_whatever_else_its_run_found(
    as_ann: Client, watched: Scene
) -> None:
    now = watched.now
    watched.topic.seeds = "https://portal.test/\nhttps://two.test/"
    watched.topic.save()
    ill = state(now, named=True, failures=1, failing_since=now - 3 * DAY, failed=now - DAY)
    worse = replace(ill, failing_since=now - 5 * DAY, failures=MAX_FAILURES)
    registry.save_sources(watched.crawl, {"https://portal.test/": KnownSource(registry.SEEDS, ill)})
    FrontierEntry.objects.all().delete()
    one = source_health(watched.topic, now)
    registry.save_sources(
        watched.crawl,
        registry.load_sources(watched.crawl)
        | {"https://two.test/": KnownSource(registry.SEEDS, worse)},
    )

    assert one == Health(n_failing=1)
    assert source_health(watched.topic, now) == Health(2, seeds_since=now - 3 * DAY)
    shown = "None of the seeds responds; the last one first failed 3\xa0days ago."
    assert f'<a class="bad" href="/topics/chips/sources/">{shown}' in tight(get(as_ann, LOCAL))
    assert "First failure 5\xa0days ago; no longer checked." in get(as_ann, f"{LOCAL}sources/")


@pytest.mark.parametrize("reason", ["unchanged", "no_entries", "site_budget"])
def test_a_seed_that_gave_nothing_new_does_not_fail(watched: Scene, reason: str) -> None:
    FrontierEntry.objects.filter(url__url="https://portal.test/").update(reason=reason)

    assert seed_line(watched).failing_since is None


@pytest.mark.parametrize(("minutes", "at_once"), [(5, False), (59, False), (61, True)])
def test_a_seed_rests_for_an_hour_after_a_look(watched: Scene, minutes: int, at_once: bool) -> None:
    looked = watched.now - timedelta(minutes=minutes)
    FrontierEntry.objects.filter(url__url="https://portal.test/").update(
        found=watched.now - DAY, ended=looked
    )
    watched.topic.active = False  # The next run begins on request.

    line = seed_line(watched)

    assert line.next_run is at_once
    assert line.not_before == (None if at_once else looked + timedelta(hours=1))


def test_a_search_that_fails_says_why_while_it_rests(watched: Scene) -> None:
    problem = Problem(ProblemKind.SEARCH_REFUSED, "solar cells", "answered 403")
    failing = SourceState(watched.now, failures=1, failing_since=watched.now, failed=watched.now)
    registry.save_sources(
        watched.crawl, {"solar cells": KnownSource(registry.SEARCHES, failing, problem=problem)}
    )

    line = source_lines(watched.topic, watched.now)[0]

    assert line.why is not None
    assert "Add `json` to" in str(line.why.what)
    assert (line.failing_since, line.not_before) == (watched.now, watched.now + HOUR)


def test_a_seed_that_became_a_source_is_still_shown_as_a_seed(
    as_ann: Client, watched: Scene
) -> None:
    registry.save_sources(
        watched.crawl, {"https://portal.test/": KnownSource(registry.HUBS, state(watched.now))}
    )
    [line] = source_lines(watched.topic, watched.now)

    assert (line.kind, line.is_seed) == (registry.HUBS, True)
    assert '<span class="quiet">(seed)</span>' in get(as_ann, f"{LOCAL}sources/")


def test_to_look_at_the_page_changes_nothing(as_ann: Client, watched: Scene) -> None:
    before = [*Knowledge.objects.values(), *Source.objects.values()]
    get(as_ann, f"{LOCAL}sources/")
    get(as_ann, LOCAL)

    assert [*Knowledge.objects.values(), *Source.objects.values()] == before


def test_a_dead_source_can_be_looked_at_again(as_ann: Client, watched: Scene) -> None:
    answer = as_ann.post(f"/{LOCAL}sources/again", {"key": "https://dead.test/feed"})

    assert answer.status_code == 302
    assert registry.load_sources(watched.crawl)["https://dead.test/feed"].state.failures == 0
    assert as_ann.post(f"/{LOCAL}sources/again", {"key": "https://x.test/"}).status_code == 404


def test_blocked_sites_can_be_found_and_let_go_there(as_ann: Client, watched: Scene) -> None:
    site = watched.url("https://spam.test/").site
    SiteControl.objects.create(topic=watched.topic, site=site, rule="block")
    html = tight(get(as_ann, f"{LOCAL}sources/"))

    assert "<strong>spam.test</strong>" in html
    assert ">blocked</summary>" in html


def test_a_topic_that_never_ran_shows_its_seeds(watched: Scene) -> None:
    Topic.objects.update(crawl=None)
    topic = Topic.objects.get()

    assert [line.url for line in source_lines(topic, watched.now)] == ["https://portal.test/"]
    assert source_health(topic, watched.now) == Health()


def test_search_providers_are_chosen_on_the_page_of_sources(as_ann: Client, scene: Scene) -> None:
    sent = {"queries": "cache lines", "searches": ["crossref"], "search_urls": ""}
    assert as_ann.post(f"/topics/{scene.topic.slug}/searches", sent).status_code == 302
    scene.topic.refresh_from_db()
    assert (scene.topic.queries, scene.topic.search_list()) == ("cache lines", ["crossref"])
    html = as_ann.get(f"/topics/{scene.topic.slug}/sources/").content.decode()
    assert "https://api.crossref.org/works?query=cache%20lines" in html
    seeds_are_sent = "also gets the URLs of the seeds"
    assert seeds_are_sent not in " ".join(html.split())
    Topic.objects.update(strategy="genetic")
    html = as_ann.get(f"/topics/{scene.topic.slug}/sources/").content.decode()
    assert seeds_are_sent in " ".join(html.split())


def test_a_search_url_without_a_place_for_the_words_is_refused(
    as_ann: Client, scene: Scene
) -> None:
    sent = {"queries": "cache lines", "search_urls": "https://a.test/?q=x"}
    answer = as_ann.post(f"/topics/{scene.topic.slug}/searches", sent)
    assert answer.status_code == 422
    assert "Line 1: neither a search URL with" in answer.content.decode()

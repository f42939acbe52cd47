"""What the simulated web is made of, and how it answers."""

from collections import Counter
from datetime import timedelta

import pytest

from crawler.lab.simulation.making import Extent
from crawler.lab.simulation.rendering import REDATED_FEED, UNDATED_FEED, Renderer
from crawler.lab.simulation.serving import SimulatedSource
from crawler.lab.simulation.site import SiteKind
from crawler.lab.simulation.times import moment_of_day
from crawler.lab.simulation.web import SimulatedWeb, make_web
from crawler.lab.simulation.words import TOPIC
from crawler.messages import FetchItem
from crawler.page.dates.publishing_date import find_published
from crawler.page.parsed import ParsedPage
from crawler.page.url import site_of
from crawler.reasons import Reason
from crawler.revisit.listed import believed_dates

EXTENT = Extent(n_pages=4_000, n_sites=120, n_days=21)


@pytest.fixture(scope="module")
def web() -> SimulatedWeb:
    return make_web(7, EXTENT)


def source(web: SimulatedWeb, day: float) -> SimulatedSource:
    return SimulatedSource(web, Renderer(web, 7), day)


def page_of(web: SimulatedWeb, url: str, day: float) -> ParsedPage:
    page = source(web, day).answer(FetchItem(1, url, site_of(url))).page
    assert page is not None
    return page


def test_a_web_has_its_size_every_kind_of_site_and_both_languages(web: SimulatedWeb) -> None:
    assert len(web.articles) >= EXTENT.n_pages
    assert abs(len(web.sites) - EXTENT.n_sites) <= 3
    assert {site.kind for site in web.sites} == set(SiteKind)
    assert {site.language for site in web.sites} == {"en", "zh"}
    assert len(web.by_url) == len(web.articles)


def test_the_same_seed_gives_the_same_web_and_another_another(web: SimulatedWeb) -> None:
    again, other = make_web(7, EXTENT), make_web(8, EXTENT)

    assert again.articles == web.articles
    assert again.picks == web.picks
    assert other.articles != web.articles


def test_links_lead_to_what_was_there_but_for_farms(web: SimulatedWeb) -> None:
    for article in web.articles:
        if web.sites[article.site].kind is not SiteKind.SPAM:
            assert all(target < article.number for target in article.links)


def test_the_most_linked_site_has_the_average_pages(web: SimulatedWeb) -> None:
    linking: dict[int, set[int]] = {}
    for article in web.articles:
        for target in article.links:
            linking.setdefault(web.articles[target].site, set()).add(article.site)
    most = sorted(linking, key=lambda site: -len(linking[site]))[:2]

    assert {duel.average.site for duel in web.planted.duels} <= set(most)


def test_articles_read_as_their_language_and_date(web: SimulatedWeb) -> None:
    seen: Counter[tuple[str, str]] = Counter()
    for article in web.articles[-400:]:
        site = web.sites[article.site]
        page = page_of(web, web.url_of(article), EXTENT.n_days)
        assert page.language == site.language
        if site.date_place and site.kind is not SiteKind.SPAM:
            published = find_published(page, moment_of_day(EXTENT.n_days))
            assert published is not None
            # A Chinese page that writes no zone means its own.
            assert abs(published - moment_of_day(article.says)) <= timedelta(days=1)
        seen[site.language, site.date_place] += 1
    assert len(seen) >= 8


def test_what_is_not_yet_published_is_not_there(web: SimulatedWeb) -> None:
    article = next(one for one in web.articles if one.published > 3)
    claim = FetchItem(1, web.url_of(article), "x.test")

    assert source(web, article.published - 0.1).answer(claim).reason is Reason.GONE
    assert source(web, article.published + 0.1).answer(claim).reason is Reason.FETCHED


def test_lists_show_the_newest_first_and_change_with_the_clock(web: SimulatedWeb) -> None:
    site = next(site for site in web.sites if site.kind is SiteKind.PORTAL and site.has_feed)
    feed = f"http://{site.host}/feed.xml"
    early, late = page_of(web, feed, 1.0), page_of(web, feed, 20.0)

    newest = web.newest(site, 20.0)
    assert [link.url for link in late.links[:3]] == [web.url_of(one) for one in newest[:3]]
    assert late.is_listing
    assert {link.url for link in late.links} != {link.url for link in early.links}


def test_what_has_not_changed_is_answered_by_304(web: SimulatedWeb) -> None:
    site = next(s for s in web.sites if s.has_validators and not s.is_restless)
    server = source(web, 2.0)
    claim = FetchItem(1, f"http://{site.host}/", site.host)
    tag = server.answer(claim).headers["etag"]

    again = server.answer(FetchItem(1, claim.url, site.host, conditions={"If-None-Match": tag}))

    assert again.reason is Reason.UNCHANGED
    assert (server.traffic.n_unchanged, server.traffic.n_conditional) == (1, 1)


def test_a_calendar_goes_on_for_ever(web: SimulatedWeb) -> None:
    site = next(site for site in web.sites if site.kind is SiteKind.TRAP)
    url = f"http://{site.host}/calendar/2026/01/20"
    page = page_of(web, url, 15.0)

    assert f"http://{site.host}/calendar/2026/01/21" in {link.url for link in page.links}


def test_old_pages_come_to_light_late_and_say_what_they_are_planted_to_say(
    web: SimulatedWeb,
) -> None:
    planted = web.planted
    assert len(planted.dated) >= 20
    for article in planted.dated:
        assert article.published < 0 < article.listed_from
        assert article not in web.newest(web.sites[article.site], article.listed_from - 0.01)
    article, (copy, original) = planted.redated[0], planted.moved[0]
    for day in (article.redated - 1, article.redated + 0.1):
        page = page_of(web, web.url_of(article), day)
        published = find_published(page, moment_of_day(day))
        assert published is not None
        expected = article.redated if day > article.redated else article.published
        assert published.date() == moment_of_day(expected).date()
    assert copy.twin == original.number
    titles = {page_of(web, web.url_of(one), 20.9).title for one in (copy, original)}
    assert len(titles) == 1


def test_only_dense_pages_of_the_subject_are_items(web: SimulatedWeb) -> None:
    for article in web.articles:
        if web.is_item(article):
            assert article.subject == TOPIC
            assert web.sites[article.site].kind is not SiteKind.SPAM
            assert article.number not in web.old


def test_most_feeds_say_when_their_entries_were_published_and_some_do_not(
    web: SimulatedWeb,
) -> None:
    right_by_site: dict[int, set[bool]] = {}
    for site in web.sites:
        entries = web.newest(site, 20.0)
        if not site.has_feed or site.kind is SiteKind.HUB or len(entries) < 3:
            continue
        listed = page_of(web, f"http://{site.host}/feed.xml", 20.0).listed
        dates = believed_dates(listed, moment_of_day(20.0))
        is_right = bool(dates) and all(
            abs(dates[web.url_of(one)] - moment_of_day(one.says)) < timedelta(seconds=1)
            for one in entries[:3]
        )
        right_by_site.setdefault(site.number % 10, set()).add(is_right)

    assert {number for number, right in right_by_site.items() if right == {False}} == {
        UNDATED_FEED,
        REDATED_FEED,
    }
    assert sum(right == {True} for right in right_by_site.values()) == 8


def test_old_articles_are_on_the_subject_but_not_to_be_found_and_farms_are_neither(
    web: SimulatedWeb,
) -> None:
    items = {article.number for article in web.articles if web.is_item(article)}
    on_subject = {article.number for article in web.articles if web.is_on_subject(article)}
    of_farms = {a.number for a in web.articles if web.sites[a.site].kind is SiteKind.SPAM}

    assert on_subject - items == on_subject & set(web.old) != set()
    assert items < on_subject
    assert not on_subject & of_farms

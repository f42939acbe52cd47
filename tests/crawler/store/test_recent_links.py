"""Links of the last 30 days can count alone; hidden text, stuffing and farms do not help."""

from dataclasses import replace
from datetime import timedelta

import pytest

from crawler.crawl import manager
from crawler.models import Crawl, Harvest, Link
from crawler.page.parse import parse_page
from crawler.ranking.link_age import UNKNOWN_DAY, day_of
from crawler.ranking.votes import MUTUAL
from crawler.store.ranked_pages import kept_pages
from tests.crawler.conftest import MakeBoard
from tests.crawler.crawl.test_crawl_loop import crawl as crawl_all
from tests.crawler.store.test_baseline import item, look
from tests.crawler.web import NOON, PROFILE, SEED, SETTINGS, PaperWeb
from topics.pages.explain import why_sentence

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
OLD, NEW = "http://old.test/", "http://new.test/"


def topic(link_value: str) -> Crawl:
    """Two runs a day apart: an old page linked from five sites, then a new one from three."""
    topic = Crawl(key="solar", first_seen=NOON)
    settings = replace(SETTINGS, link_value=link_value, threshold=0.2)
    topic.describe(PROFILE, settings)
    topic.save()
    sites = [f"http://site{number}.test/" for number in range(5)]
    web = {
        SEED: item("list", None, *sites, OLD),
        OLD: item("old"),
        **{site: item(f"s{number}", None, OLD) for number, site in enumerate(sites)},
    }
    look(topic, web, NOON)
    praise = {site: item(f"s{n}", None, OLD, NEW) for n, site in enumerate(sites[:3])}
    look(topic, {**web, **praise, NEW: item("new")}, NOON + DAY, [SEED, *sites])
    return topic


def harvest(url: str) -> Harvest:
    return Harvest.objects.get(url__url=url)


def test_links_of_the_first_run_have_an_unknown_age_and_later_ones_a_day() -> None:
    topic("all")
    days = Link.objects.values_list("target__url", "found_day").distinct()

    assert set(days.filter(target__url=OLD)) == {(OLD, UNKNOWN_DAY)}
    assert set(days.filter(target__url=NEW)) == {(NEW, day_of(NOON + DAY))}


def test_when_all_links_count_a_young_page_is_compared_by_its_rate() -> None:
    topic("all")

    assert (harvest(OLD).n_linking_sites, harvest(NEW).n_linking_sites) == (6, 3)
    # In one day it got half as many as the other in all its years: at that rate it gets more.
    votes = {url: harvest(url).explanation["link"]["votes"] for url in (OLD, NEW)}
    assert votes[NEW] == pytest.approx(votes[OLD] + 1, abs=0.05)
    assert harvest(NEW).link_value > harvest(OLD).link_value


def test_the_date_on_a_front_page_does_not_make_it_young() -> None:
    """It is the date of its last teaser, while its links are of all its years."""
    crawl = Crawl(key="solar", first_seen=NOON)
    crawl.describe(PROFILE, replace(SETTINGS, threshold=0.2))
    crawl.save()
    post = f"{OLD}post"
    web = {
        SEED: item("list", None, OLD, post),
        OLD: item("front", NOON - DAY),
        post: item("post", NOON - DAY),
    }
    look(crawl, web, NOON)
    ages = {page.name.url: page.age_days for page in kept_pages(crawl, NOON)}

    assert (ages[OLD], ages[post]) == (None, 1)


def test_when_recent_links_count_the_new_page_leads_and_says_so() -> None:
    topic("recent")

    assert (harvest(OLD).n_linking_sites, harvest(NEW).n_linking_sites) == (0, 3)
    assert harvest(NEW).score > harvest(OLD).score
    assert "3 sites linked to it this month" in why_sentence(harvest(NEW).explanation)
    assert "no link from another site counts this month" in why_sentence(harvest(OLD).explanation)


def test_recent_links_grow_old() -> None:
    crawl = topic("recent")
    look(crawl, {SEED: item("list")}, NOON + 33 * DAY)

    assert harvest(NEW).n_linking_sites == 0


def test_a_farm_of_hosts_on_one_domain_counts_once() -> None:
    crawl = Crawl(key="solar", first_seen=NOON)
    crawl.describe(PROFILE, replace(SETTINGS, threshold=0.2))
    crawl.save()
    farm = [f"http://h{letter}.farm.test/" for letter in "abcdefgh"]
    web = {SEED: item("list", None, *farm), NEW: item("new")}
    look(crawl, web | {host: item(host, None, NEW) for host in farm}, NOON)

    assert harvest(NEW).n_linking_sites == 1


def test_sites_that_link_to_each_other_add_up_to_less_than_one_vote(make_board: MakeBoard) -> None:
    """A farm across domains praises itself; the hub, which no farm page links to, counts."""
    farm = [f"http://{letter}farm.test/" for letter in "abcd"]
    web = {SEED: item("list", None, *farm)}
    web |= {host: item(host, None, *(other for other in farm if other != host)) for host in farm}
    board = make_board(replace(SETTINGS, threshold=0.2))
    manager.start(board, [SEED], NOON)
    crawl_all(board, PaperWeb(web))
    pages = {page.name.site: page for page in board.kept_pages()}

    assert {*pages} >= {"afarm.test", "dfarm.test"}
    for host in ("afarm.test", "dfarm.test"):
        assert len(pages[host].votes.sites) == 4
        assert 0 < pages[host].votes.total < 1 + MUTUAL + MUTUAL


@pytest.mark.parametrize(
    "hidden",
    [
        '<div style="display:none">{}</div>',
        "<div hidden>{}</div>",
        '<p style="visibility: hidden">{}</p>',
        "<noscript>{}</noscript>",
        "<script>{}</script>",
        "<template>{}</template>",
        "<!-- {} -->",
    ],
)
def test_hidden_words_are_not_read(hidden: str) -> None:
    stuffed = hidden.format("solarium photovoltaics " * 50)
    page = f"<title>Soup</title><p>Cut the onions and add the broth.</p>{stuffed}"
    parsed = parse_page(page.encode(), "http://a.test/", "text/html")

    assert "photovoltaics" not in parsed.text
    assert not any("photovolta" in term for term in parsed.terms.vocabulary)


def framed(name: str, target: str, links: str) -> str:
    """An article on topic that links to a page, and a menu of links before it."""
    text = f"The solar cell {name} turns sunlight into electricity, and solar panels hold many. "
    prose = "".join(f"<p>{text}{part * 20}.</p>" for part in ("one ", "two ", "three "))
    article = f'<article><h1>Solar {name}</h1>{prose}<p>{text}<a href="{target}">cells</a></p>'
    return f"<title>Solar {name}</title><nav>{links}</nav>{article}</article>"


def test_a_link_in_a_frame_is_followed_and_is_no_vote(make_board: MakeBoard) -> None:
    web = {
        SEED: framed("hub", "http://praised.test/", '<a href="http://named.test/">Named</a>'),
        "http://praised.test/": framed("praised", "http://praised.test/2", ""),
        "http://named.test/": framed("named", "http://named.test/2", ""),
    }
    board = make_board(replace(SETTINGS, threshold=0.2))
    manager.start(board, [SEED], NOON)
    crawl_all(board, PaperWeb(web))

    linking = {page.name.site: page.votes.sites for page in board.kept_pages()}
    assert linking == {"hub.test": (), "praised.test": ("hub.test",), "named.test": ()}


def test_a_link_in_a_frame_does_not_return_praise(make_board: MakeBoard) -> None:
    """Or a page whose menu names its whole family would take their votes away."""
    praised = "http://praised.test/"
    web = {
        SEED: framed("hub", praised, ""),
        praised: framed("praised", "http://praised.test/2", f'<a href="{SEED}">Hub</a>'),
    }
    board = make_board(replace(SETTINGS, threshold=0.2))
    manager.start(board, [SEED], NOON)
    crawl_all(board, PaperWeb(web))

    linking = {page.name.site: page.votes.sites for page in board.kept_pages()}
    assert linking["praised.test"] == ("hub.test",)


def test_a_link_that_moves_into_the_frame_loses_its_vote() -> None:
    crawl = Crawl(key="solar", first_seen=NOON)
    crawl.describe(PROFILE, replace(SETTINGS, threshold=0.2))
    crawl.save()
    target = "http://praised.test/"
    article = framed("praised", "http://praised.test/2", "")
    look(crawl, {SEED: framed("hub", target, ""), target: article}, NOON)
    assert harvest(target).n_linking_sites == 1

    moved = framed("hub", "http://hub.test/2", f'<a href="{target}">Named</a>')
    look(crawl, {SEED: moved, target: article}, NOON + DAY)

    assert harvest(target).n_linking_sites == 0
    assert not Link.objects.votes().filter(target__url=target).exists()

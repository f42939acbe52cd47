"""Render what a simulated web shows: articles, lists, feeds, sitemaps, calendars."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from html import escape
from typing import Final

from crawler.lab.simulation.site import SimulatedArticle, SimulatedSite, SiteKind
from crawler.lab.simulation.times import moment_of_day
from crawler.lab.simulation.web import SimulatedWeb
from crawler.lab.simulation.words import NAMES, SUBJECTS
from crawler.lab.simulation.writing import ArticleWriter

#: Entries of a front page, a page of a section, a feed, a hub, a list of sites, a sitemap.
ON_FRONT, IN_SECTION, IN_FEED, ON_HUB, ON_SITES, IN_SITEMAP = 15, 25, 15, 30, 40, 300
#: Pages a section goes back.
SECTION_PAGES: Final = 6
FEED_PATH, SITEMAP_PATH = "/feed.xml", "/sitemap.xml"
#: Last digits of the numbers of sites whose feeds have no dates, and of those with wrong ones.
UNDATED_FEED, REDATED_FEED = 3, 7
_ZH: Final = "{0:%Y}年{0:%-m}月{0:%-d}日"


class Renderer:
    """Renders pages of one web.

    Parameters
    ----------
    seed : int
        Of the words.
    """

    def __init__(self, web: SimulatedWeb, seed: int) -> None:
        self._web = web
        self._seed = seed
        self._titles: dict[int, str] = {}

    def title(self, article: SimulatedArticle) -> str:
        """Return an article's title, the same everywhere."""
        found = self._titles.get(article.number)
        if found is None:
            found = self._writer(article).title()
            self._titles[article.number] = found
        return found

    def _writer(self, article: SimulatedArticle) -> ArticleWriter:
        return ArticleWriter(self._seed, article, self._web.sites[article.site])

    def article(self, article: SimulatedArticle, day: float) -> str:
        """Return an article's page, with the date where the site puts it."""
        site = self._web.sites[article.site]
        writer = self._writer(article)
        title = writer.title()
        says = moment_of_day(article.redated if day >= article.redated else article.says)
        links = [self._web.articles[number] for number in article.links]
        links = [other for other in links if other.published <= day]
        parts = [f"<h1>{escape(title)}</h1>", _byline(site, says)]
        for place, text in enumerate(writer.paragraphs()):
            more = "".join(self._sentence_link(other) for other in links[place : place + 1])
            parts.append(f"<p>{escape(text)} {more}</p>")
        if day >= article.revised:
            parts += [f"<p>{escape(writer.sentence())}</p>" for _ in range(4)]
        n_shown = len(parts) - 2
        if rest := links[n_shown:]:
            parts.append(self._list(rest))
        if article.pasted:
            parts.append(self._comments(article, day))
        if site.kind is SiteKind.SPAM:
            words = " ".join(SUBJECTS[site.language][article.subject] * 4)
            parts.append(f'<div style="display:none">{escape(words)}</div>')
        return self._page(site, title, "\n".join(parts), _head(site, says), day)

    def front(self, site: SimulatedSite, day: float) -> str:
        """Return a front page: what is new, the sections, a few other sites."""
        parts = [f"<h1>{escape(site.name)}</h1>"]
        if site.kind is SiteKind.HUB:
            parts.append(self._list(self._web.picked(site, day)[:ON_HUB]))
            parts.append(f'<p><a href="/sites">{_word(site, "sites")}</a></p>')
        else:
            parts.append(self._list(self._web.newest(site, day)[:ON_FRONT]))
        if site.kind is SiteKind.TRAP:
            parts.append(f'<p><a href="/calendar/{moment_of_day(day):%Y/%m/%d}">calendar</a></p>')
        return self._page(site, site.name, "\n".join(parts), _head(site, None), day)

    def section(self, site: SimulatedSite, subject: int, number: int, day: float) -> str:
        """Return a page of a section: articles of one subject, the newest first."""
        articles = self._web.newest(site, day, subject)
        shown = articles[(number - 1) * IN_SECTION : number * IN_SECTION]
        name = NAMES[site.language][subject]
        parts = [f"<h1>{escape(name)}</h1>", self._list(shown)]
        if number < SECTION_PAGES and len(articles) > number * IN_SECTION:
            parts.append(f'<p><a href="/s/{subject}/p{number + 1}">{_word(site, "older")}</a></p>')
        return self._page(site, name, "\n".join(parts), _head(site, None), day)

    def sites_list(self, hub: SimulatedSite, day: float) -> str:
        """Return a hub's list of sites of its subject, the youngest first."""
        subject = hub.subjects[0]
        known = [
            site
            for site in self._web.sites
            if subject in site.subjects
            and site.born + 0.5 <= day
            and site.kind not in (SiteKind.SPAM, SiteKind.HUB)
        ]
        # Which of the old ones stand there differs from list to list.
        known.sort(key=lambda site: (-site.born, (site.number * 7919 + hub.number) % 101))
        rows = [f'<li><a href="http://{s.host}/">{escape(s.name)}</a></li>' for s in known]
        body = f"<h1>{escape(hub.name)}</h1><ul>{''.join(rows[:ON_SITES])}</ul>"
        return self._page(hub, hub.name, body, _head(hub, None), day)

    def feed(self, site: SimulatedSite, day: float) -> str:
        """Return an RSS feed of the newest articles."""
        rows = []
        newest = self._web.newest(site, day)
        if site.kind is SiteKind.HUB:
            newest = self._web.picked(site, day)
        for article in newest[:IN_FEED]:
            says = article.redated if day >= article.redated else article.says
            url = self._web.url_of(article)
            rows.append(
                f"<item><title>{escape(self.title(article))}</title><link>{escape(url)}</link>"
                f"{_feed_date(site, says, day)}</item>"
            )
        return (
            f'<?xml version="1.0"?><rss version="2.0"><channel><title>{escape(site.name)}</title>'
            f"<link>http://{site.host}/</link>{''.join(rows)}</channel></rss>"
        )

    def sitemap(self, site: SimulatedSite, day: float) -> str:
        """Return a sitemap of the newest articles."""
        rows = [
            f"<url><loc>{escape(self._web.url_of(article))}</loc>"
            f"<lastmod>{moment_of_day(article.listed_from):%Y-%m-%d}</lastmod></url>"
            for article in self._web.newest(site, day)[:IN_SITEMAP]
        ]
        return (
            '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
            f"{''.join(rows)}</urlset>"
        )

    def calendar(self, site: SimulatedSite, when: datetime, day: float) -> str:
        """Return a day of a calendar in which nothing ever happens."""
        links = [
            f'<a href="/calendar/{when + timedelta(days=step):%Y/%m/%d}">{step:+d}</a>'
            for step in (-30, -7, -1, 1, 7, 30)
        ]
        name = NAMES[site.language][site.subjects[0]]
        body = f"<h1>{name} {when:%Y-%m-%d}</h1><p>{' '.join(links)}</p><p>No events.</p>"
        return self._page(site, f"{name} {when:%Y-%m-%d}", body, _head(site, None), day)

    def _page(self, site: SimulatedSite, title: str, body: str, head: str, day: float) -> str:
        shown = f"{title} - {site.name}"
        clock = f"<p>{moment_of_day(day):%H:%M:%S}</p>" if site.is_restless else ""
        return (
            f'<!DOCTYPE html><html lang="{site.language}"><head><meta charset="utf-8">'
            f"<title>{escape(shown)}</title>{head}</head><body><nav>{self._menu(site)}</nav>"
            f"<main>{body}</main><footer>{self._neighbours(site)}{clock}</footer></body></html>"
        )

    def _menu(self, site: SimulatedSite) -> str:
        links = [f'<a href="/">{escape(site.name)}</a>']
        if len(site.subjects) > 1:
            links += [
                f'<a href="/s/{subject}/p1">{escape(NAMES[site.language][subject])}</a>'
                for subject in site.subjects
            ]
        return " ".join(links)

    def _neighbours(self, site: SimulatedSite) -> str:
        """Links to the front pages of a few sites that many link to."""
        if site.kind is SiteKind.SPAM:
            return ""
        like = [
            s
            for s in self._web.sites
            if s.kind in (SiteKind.PORTAL, SiteKind.NEWS, SiteKind.HUB)
            and s.subjects[0] == site.subjects[0]
        ]
        chosen = like[site.number % 5 :: 5][:3]
        return " ".join(f'<a href="http://{s.host}/">{escape(s.name)}</a>' for s in chosen)

    def _list(self, articles: Sequence[SimulatedArticle]) -> str:
        return f"<ul>{''.join(f'<li>{self._link(article)}</li>' for article in articles)}</ul>"

    def _link(self, article: SimulatedArticle) -> str:
        return f'<a href="{escape(self._web.url_of(article))}">{escape(self.title(article))}</a>'

    def _sentence_link(self, article: SimulatedArticle) -> str:
        return f"{self._link(article)}."

    def _comments(self, article: SimulatedArticle, day: float) -> str:
        """Links that visitors left, to articles that were there."""
        there = [self._web.articles[number] for number in article.pasted]
        rows = "".join(f"<li>{self._link(a)}</li>" for a in there if a.published <= day)
        return f"<section><h2>2</h2><ul>{rows}</ul></section>"


def _head(site: SimulatedSite, says: datetime | None) -> str:
    """The head's links, and its date where the site puts it there."""
    parts = []
    if site.has_feed:
        parts.append(f'<link rel="alternate" type="application/rss+xml" href="{FEED_PATH}">')
    if says is not None and site.date_place == "meta":
        parts.append(f'<meta property="article:published_time" content="{says.isoformat()}">')
    if says is not None and site.date_place == "jsonld":
        parts.append(
            '<script type="application/ld+json">{"@context":"https://schema.org","@type":'
            f'"NewsArticle","datePublished":"{says.isoformat()}"}}</script>'
        )
    return "".join(parts)


def _byline(site: SimulatedSite, says: datetime) -> str:
    if site.date_place == "time":
        return f'<p><time datetime="{says.isoformat()}">{says:%Y-%m-%d}</time></p>'
    if site.date_place == "text":
        if site.language == "zh":
            return f"<p>{_ZH.format(says)} {says:%H:%M}</p>"
        return f"<p>Published {says:%B %-d, %Y}</p>"
    return ""


def _feed_date(site: SimulatedSite, says: float, day: float) -> str:
    """An entry's date; a tenth of the sites gives none, another that of the look."""
    if site.number % 10 == UNDATED_FEED:
        return ""
    when = moment_of_day(day if site.number % 10 == REDATED_FEED else says)
    return f"<pubDate>{when:%a, %d %b %Y %H:%M:%S GMT}</pubDate>"


def _word(site: SimulatedSite, name: str) -> str:
    words = {"sites": ("All sites", "全部网站"), "older": ("Older", "更早")}
    return words[name][site.language == "zh"]


def read_day(text: str) -> datetime | None:
    """Read "2026/01/05"; None for no day."""
    try:
        return datetime.strptime(text, "%Y/%m/%d").replace(tzinfo=UTC)
    except ValueError:
        return None

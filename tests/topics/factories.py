"""Rows for tests, written directly: topics with a crawl, runs and kept pages."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User

from crawler.models import Crawl, FrontierEntry, Harvest, Link, Page, Run, Site, Url
from crawler.models.web import READER_VERSION, pack_text
from crawler.page.url import domain_of, host_of
from topics.models import AddressProof, Topic

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def person(name: str = "ann", **more: Any) -> User:
    """Somebody; without a password, since making one is slow on purpose."""
    return User.objects.create_user(name, **more)


def prove(user: User, email: str) -> None:
    """Give somebody an address that was confirmed."""
    user.email = email
    user.save()
    AddressProof.objects.create(user=user, email=email, asked=NOON, confirmed=NOON)


def explanation(link: float = 0.35, content: float = 0.12, **more: Any) -> dict[str, Any]:
    """What the ranker and the judge leave with a page."""
    return {
        "parts": [{"name": "link", "value": link}, {"name": "content", "value": content}],
        "link": {"sites": ["hub.test"], "n_sites": 3, "scale": 1, "value": 0.5, "weight": 0.7},
        "content": {"matched": ["cache", "CPU"], "n_key": 20, "value": 0.4, "weight": 0.3},
        "judge": {
            "name": "cosine",
            "relevance": 0.71,
            "threshold": 0.5,
            "note": "",
            "matched": [{"term": "CPU", "share": 0.6, "via": ""}],
        },
    } | more


@dataclass
class Scene:
    """A topic with its crawl, to which pages are added."""

    topic: Topic
    crawl: Crawl
    run: Run
    now: datetime = NOON
    urls: dict[str, Url] = field(default_factory=dict)

    def url(self, address: str, *, seen: datetime | None = None) -> Url:
        """The row of a URL, made on first use."""
        if address not in self.urls:
            seen = seen or self.now - timedelta(days=1)
            site, _made = Site.objects.get_or_create(
                name=host_of(address), defaults={"domain": domain_of(address), "first_seen": seen}
            )
            self.urls[address] = Url.objects.create(url=address, site=site, first_seen=seen)
        return self.urls[address]

    def entry(self, address: str, parent: str | None = None, reason: str = "fetched") -> None:
        """Put an address into the frontier as done."""
        FrontierEntry.objects.create(
            crawl=self.crawl,
            url=self.url(address),
            parent=self.url(parent) if parent else None,
            run=self.run,
            state="done" if reason == "fetched" else "failed",
            reason=reason,
            found=self.now,
            ended=self.now,
            attempts=1,
        )

    def page(self, address: str, title: str, parent: str | None = None, **more: Any) -> Harvest:
        """Keep a page."""
        url = self.url(address)
        text = more.pop("text", "First line.\nSecond line.")
        Page.objects.create(
            url=url,
            title=title,
            packed_text=pack_text(text),
            reader_version=READER_VERSION,
            first_fetched=self.now,
            fetched=self.now,
            changed=self.now,
        )
        self.entry(address, parent)
        values = {
            "kept": True,
            "relevance": 0.71,
            "score": 0.47,
            "explanation": explanation(),
            "first_seen": self.now - timedelta(hours=3),
        } | more
        return Harvest.objects.create(crawl=self.crawl, url=url, run=self.run, **values)

    def link(self, source: str, target: str) -> None:
        """Let one page link to another."""
        Link.objects.create(source=self.url(source), target=self.url(target))


def topic_of(owner: User, slug: str = "chips", **more: Any) -> Topic:
    """A topic that has never run."""
    values = {"name": "Computing 计算机", "seeds": "https://portal.test/"} | more
    return Topic.objects.create(owner=owner, slug=slug, **values)


def scene_of(owner: User, slug: str = "chips", *, now: datetime = NOON, **run: Any) -> Scene:
    """A topic with a crawl and one run, ended by default."""
    topic = topic_of(owner, slug)
    crawl = Crawl(key=f"crawl-{slug}", first_seen=now - timedelta(days=2))
    crawl.describe(topic.profile(), topic.crawl_settings())
    crawl.save()
    topic.crawl = crawl
    topic.save()
    values = {
        "started": now - timedelta(hours=2),
        "ended": now - timedelta(hours=1),
        "n_pages": 200,
        "fetched": 40,
        "kept": 11,
        "failed": 3,
        "stop_reason": "budget",
        "reasons": {"fetched": 40, "robots_forbidden": 2, "gone": 1},
        "last_url": "https://portal.test/last",
    } | run
    return Scene(topic, crawl, Run.objects.create(crawl=crawl, **values), now)


def tight(html: str) -> str:
    """Return the page with single spaces, and none beside a tag, as a browser lays it out."""
    single = re.sub(r"[ \t\r\n]+", " ", html)
    return re.sub(r" ?(<[^>]*?) ?(/?>) ?", r"\1\2", single)

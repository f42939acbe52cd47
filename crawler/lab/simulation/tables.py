"""Empty tables in memory for one simulated web, in the place of the installation's."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.utils import ConnectionHandler

from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.lab.simulation.times import START
from crawler.models import Crawl, Page, Site, Url
from crawler.models.web import READER_VERSION, pack_terms
from crawler.page.parsed import PageTerms
from focusweb import database

_IN_MEMORY: Final = {"ENGINE": database.SQLITE, "NAME": ":memory:"}


def open_tables() -> None:
    """Point this process to empty tables in memory.

    For a process that does nothing else: no table of the installation can be reached after it.
    """
    handler = ConnectionHandler({DEFAULT_DB_ALIAS: dict(_IN_MEMORY)})
    connections.settings[DEFAULT_DB_ALIAS] = handler.settings[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = connections.create_connection(DEFAULT_DB_ALIAS)
    with connections[DEFAULT_DB_ALIAS].schema_editor() as editor:
        for app in ("contenttypes", "auth", "crawler"):
            for model in apps.get_app_config(app).get_models():
                editor.create_model(model)


def add_crawl(profile: TopicProfile, settings: CrawlSettings) -> Crawl:
    """Store the crawl of a topic that is watched from the start of the clock on."""
    crawl = Crawl(key="simulated", first_seen=START)
    crawl.describe(profile, settings)
    crawl.save()
    return crawl


def add_background(pages: Sequence[tuple[str, PageTerms]]) -> None:
    """Store the terms of pages by address, as other crawls of the installation left them."""
    before = START - timedelta(days=30)
    # A site of their own: to the crawl the sites of the web are unknown.
    site = Site.objects.create(name="other.example", domain="other.example", first_seen=before)
    for number, (language, terms) in enumerate(pages):
        address = f"http://{site.name}/{number}"
        url = Url.objects.create(url=address, site=site, first_seen=before)
        Page.objects.create(
            url=url,
            language=language,
            packed_terms=pack_terms(terms),
            content_hash=str(number),
            reader_version=READER_VERSION,
            first_fetched=before,
            fetched=before,
            changed=before,
        )

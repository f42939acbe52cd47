"""The readers of pages that register through the plugin hooks.

A module of its own: the processes that parse pages load it without Django.
"""

from collections.abc import Iterable

from crawler.page.dates.publishing_date import DateReader, Hints
from crawler.page.extractors import Extractor, LanguageReader
from crawler.page.parse import OUR_READERS
from focusweb.hookspecs import hookimpl


@hookimpl
def extractors() -> Iterable[Extractor]:
    """Feeds and sitemaps, PDF files, markup."""
    return OUR_READERS.extractors


@hookimpl
def language_readers() -> Iterable[LanguageReader]:
    """By script, and by the words of English."""
    return OUR_READERS.languages


@hookimpl
def date_readers() -> Iterable[DateReader]:
    """By everything that a page says of its date."""
    return (Hints(),)

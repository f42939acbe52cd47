"""What plugins can add: one function per extension point.

A plugin is any object (module or instance) with functions of these names marked
by `hookimpl`. They are called one plugin at a time, by keyword, through
`focusweb.plugins`, never through pluggy's own hook objects. A function may leave out arguments.
`settings` is what the plugin declares as its `Settings`, with the values that people chose.
"""

from collections.abc import Iterable
from typing import Any

import pluggy

MARKER = "focusweb"
#: The hooks that offer parts by name; the others bring news.
OFFERING = (
    *("strategies", "judges", "rankers", "scorers", "sources"),
    *("search_providers", "search_backends"),
    *("extractors", "language_readers", "date_readers"),
    *("exporters", "term_suggesters", "page_panels", "home_tiles", "channels"),
)
#: Those of a topic: their parts may have other settings in each topic.
OF_TOPIC = frozenset(
    {"strategies", "judges", "rankers", "scorers", "sources", "term_suggesters", "page_panels"}
)
#: The hooks that bring news, with the names of what they bring.
NEWS = {"pages_posted": ("run_id",), "run_ended": ("run_id",), "digest_sent": ("issue_id",)}
#: Their parts are called in the processes that parse pages.
OF_PAGES = ("extractors", "language_readers")
#: A call that lasts longer is ended, if Python can end it. A judge may learn from many pages, and
#: an engine writes many at once.
_TIME_LIMITS_S = dict.fromkeys(("sources", "judges", "channels", "search_backends"), 60.0)
_USUAL_TIME_LIMIT_S = 10.0
hookspec = pluggy.HookspecMarker(MARKER)
hookimpl = pluggy.HookimplMarker(MARKER)


def time_limit_s(hook: str) -> float:
    """How many seconds a call of a hook, or of what it offered, may last."""
    return _TIME_LIMITS_S.get(hook, _USUAL_TIME_LIMIT_S)


@hookspec
def strategies(settings: object) -> Iterable[Any]:
    """Strategies: classes shaped like `crawler.strategies.base.Strategy`."""
    return ()


@hookspec
def judges(settings: object) -> Iterable[Any]:
    """Judges: objects shaped like `crawler.knowledge.judge.JudgeKind`."""
    return ()


@hookspec
def pages_posted(run_id: int, settings: object) -> None:
    """A collector has posted pages of a run; the hook must return quickly."""


@hookspec
def run_ended(run_id: int, settings: object) -> None:
    """A run has ended; called once, unless the process dies just then."""


@hookspec
def digest_sent(issue_id: int, settings: object) -> None:
    """The mail server took an issue of a digest; called as `run_ended` is."""


@hookspec
def rankers(settings: object) -> Iterable[Any]:
    """Rankers: objects shaped like `crawler.ranking.score.Ranker`."""
    return ()


@hookspec
def scorers(settings: object) -> Iterable[Any]:
    """Scorers: objects shaped like `crawler.ranking.scorers.Scorer`."""
    return ()


@hookspec
def sources(settings: object) -> Iterable[Any]:
    """Seed sources: objects shaped like `crawler.sources.base.SourceKind`."""
    return ()


@hookspec
def search_providers(settings: object) -> Iterable[Any]:
    """Search providers for seeds: values of `crawler.search_providers.Provider`."""
    return ()


@hookspec
def extractors(settings: object) -> Iterable[Any]:
    """Extractors: objects shaped like `crawler.page.extractors.Extractor`."""
    return ()


@hookspec
def language_readers(settings: object) -> Iterable[Any]:
    """Language readers: objects shaped like `crawler.page.extractors.LanguageReader`."""
    return ()


@hookspec
def date_readers(settings: object) -> Iterable[Any]:
    """Date readers: objects shaped like `crawler.page.dates.publishing_date.DateReader`."""
    return ()


@hookspec
def search_backends(settings: object) -> Iterable[Any]:
    """Search engines: classes shaped like `topics.search.backend.SearchBackend`."""
    return ()


@hookspec
def exporters(settings: object) -> Iterable[Any]:
    """Kinds of files for search results: shaped like `topics.pages.search_export.Exporter`."""
    return ()


@hookspec
def term_suggesters(settings: object) -> Iterable[Any]:
    """Origins of suggested terms: shaped like `topics.profile.suggest.TermSuggester`."""
    return ()


@hookspec
def page_panels(settings: object) -> Iterable[Any]:
    """Parts of the page about one page: shaped like `topics.pages.blocks.PagePanel`."""
    return ()


@hookspec
def home_tiles(settings: object) -> Iterable[Any]:
    """Parts of the home page: shaped like `topics.pages.blocks.HomeTile`."""
    return ()


@hookspec
def channels(settings: object) -> Iterable[Any]:
    """Kinds of channels: objects shaped like `topics.delivery.channels.base.ChannelKind`."""
    return ()

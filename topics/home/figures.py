"""Counts that pages show and that take long: computed by the timer, or once when they are missing.

A page that counted itself would read every kept page of every topic each time.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from crawler.api.judging import count_words, farms
from crawler.api.sources import to_read_again
from crawler.api.tables import Harvest, Run
from topics.models import Topic, TopicFigures
from topics.pages.extracts import StoredQuotes, stored_quotes, words_of
from topics.pages.listing import StoredRow, count_stories, listed_first, stored_news
from topics.pages.news import in_order, known_in_order
from topics.sources.lines import source_health

#: What only the list of news needs.
LARGE: Final = ("figures__news", "figures__quotes")
#: Known pages shown with the news.
KNOWN_BESIDE: Final = 10
#: Pages after which a run that goes on is said to find no word of the topic.
MANY_PAGES: Final = 30


def figures_of(topic: Topic, now: datetime) -> TopicFigures:
    """The stored figures of a topic; new ones if there are none. Its crawl must be loaded."""
    stored: TopicFigures | None = getattr(topic, "figures", None)
    return stored or renew_figures(topic, topic.last_run(), now)


def stored_news_of(
    figures: TopicFigures, run: Run | None, now: datetime
) -> Sequence[StoredRow] | None:
    """The stored news of a topic; None if its newest run did something since, or they are old."""
    is_due = figures.is_due(state_of_figures(figures.topic, run), now)
    return None if is_due else figures.news


def renew_due(now: datetime) -> int:
    """Count again for topics in which a run has done something, or whose figures are old."""
    topics = Topic.objects.select_related("crawl", "figures").defer(*LARGE)
    due = []
    for topic in topics:
        run = topic.last_run()
        stored: TopicFigures | None = getattr(topic, "figures", None)
        if stored is None or stored.is_due(state_of_figures(topic, run), now):
            due.append((topic, run))
    for topic, run in due:
        renew_figures(topic, run, now)
    return len(due)


def renew_figures(topic: Topic, run: Run | None, now: datetime) -> TopicFigures:
    """Count for one topic, store and return it."""
    health = source_health(topic, now)
    known = list(known_in_order(topic, now))
    stuffers = sorted(farms(Harvest.objects.filter(crawl=topic.crawl).kept()))
    news = stored_news(topic, now, stuffers)
    figures = TopicFigures(
        topic=topic,
        counted=now,
        state=state_of_figures(topic, run),
        n_news=count_stories(news),
        n_known=len(known),
        best_known=known[:KNOWN_BESIDE],
        farms=stuffers,
        news=news,
        quotes=_quotes(topic, news, now),
        n_outdated=to_read_again(topic.crawl).count() if topic.crawl else 0,
        n_failing=health.n_failing,
        seeds_since=health.seeds_since,
        lacks_words=_lacks_words(topic, run),
    )
    # Two processes may count at once.
    names = [field.name for field in TopicFigures._meta.concrete_fields if not field.primary_key]
    TopicFigures.objects.bulk_create(
        [figures], update_conflicts=True, unique_fields=["topic"], update_fields=names
    )
    return figures


def _lacks_words(topic: Topic, run: Run | None) -> bool:
    """True if enough pages were fetched, and none holds a word of the topic."""
    if topic.crawl is None or run is None:
        return False
    n_pages, has_words = count_words(topic.crawl)
    return not has_words and (run.ended is not None or n_pages >= MANY_PAGES)


def _quotes(topic: Topic, news: Sequence[StoredRow], now: datetime) -> StoredQuotes:
    if topic.crawl is None:
        return {}
    first = listed_first(news, topic, now, began=topic.crawl.baseline_end())
    return stored_quotes(in_order(first), words_of(topic.crawl))


def state_of_figures(topic: Topic, run: Run | None) -> str:
    """What the counts depend on, besides time: the window, and what the newest run has done."""
    did = f" {run.pk} {run.fetched} {run.kept} {run.failed} {run.ended or ''}" if run else ""
    return f"{topic.fresh_days}{did}"[:80]

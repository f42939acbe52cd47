"""Common kinds of topics: which providers search for starting pages, and how often."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class TopicTemplate:
    """A template of a topic.

    Attributes
    ----------
    title, about, example : str
        `example` is the name of such a topic, in the reader's language.
    searches : tuple of str
        Search providers that are ticked when the person chooses the card.
    settings : mapping
        Fields of the topic that differ from their defaults.
    """

    key: str
    title: str | Promise
    about: str | Promise
    example: str | Promise
    searches: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)


CARDS: Final[tuple[TopicTemplate, ...]] = (
    TopicTemplate(
        "research",
        _("Research on a subject"),
        _("New papers and preprints, once a day; pages of the last 90 days count as new."),
        _("focused crawling, topical web crawler"),
        ("arxiv", "crossref"),
        {"fresh_days": 90},
    ),
    TopicTemplate(
        "news",
        _("News about a subject"),
        _("News sites of all countries, every 6 hours; pages of the last 7 days count as new."),
        _("battery recycling"),
        ("gdelt",),
        {"every_hours": 6, "fresh_days": 7, "breadth": "wide"},
    ),
    TopicTemplate(
        "technology",
        _("A technology or tool"),
        _("What developers discuss and write, once a day."),
        _("SQLite, DuckDB"),
        ("hackernews", "stackoverflow"),
    ),
    TopicTemplate(
        "company",
        _("A company or product"),
        _("News and discussions, every 12 hours; pages of the last 14 days count as new."),
        _("Framework Laptop"),
        ("gdelt", "hackernews"),
        {"every_hours": 12, "fresh_days": 14},
    ),
    TopicTemplate(
        "overview",
        _("An overview of a subject"),
        _("Starts from encyclopaedia articles in both languages and the pages they name."),
        _("smart grid, energy storage"),
        ("wikipedia-en", "wikipedia-zh"),
        {"fresh_days": 365},
    ),
    TopicTemplate(
        "sites",
        _("A few sites that I know"),
        _("Follows the sites you paste to their end; no search provider is used."),
        _("local history of my town"),
        (),
        {"breadth": "deep"},
    ),
)


def find_card(key: str) -> TopicTemplate | None:
    """Return the card of a key."""
    return next((card for card in CARDS if card.key == key), None)

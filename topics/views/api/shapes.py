"""What the API sends and receives."""

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from ninja import Schema
from pydantic import ConfigDict, Field

#: Larger numbers do not fit into every database.
Key = Annotated[int, Field(ge=1, le=2**53)]
Slug = Annotated[str, Field(min_length=1, max_length=80)]
Cursor = Annotated[str, Field(max_length=300)]
SearchText = Annotated[str, Field(min_length=1, max_length=256)]
TopicName = Annotated[str, Field(max_length=80)]
Offset = Annotated[str, Field(pattern=r"^[0-9]{0,6}$")]
SiteName = Annotated[str, Field(min_length=1, max_length=253)]
Limit = Annotated[int, Field(ge=1, le=200)]

Row = TypeVar("Row")


class Strict(Schema):
    """A body without unknown fields."""

    model_config = ConfigDict(extra="forbid")


class Problem(Schema):
    """What went wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[dict[str, Any]] = []


class Listed(Schema, Generic[Row]):
    """A part of a list. `next` is the cursor of the next part, or null."""

    items: list[Row]
    next: str | None = None


class TopicLine(Schema):
    """One topic in the list of topics."""

    slug: str
    name: str
    active: bool
    languages: list[str]
    next_run: datetime | None
    created: datetime

    @staticmethod
    def resolve_languages(topic: Any) -> list[str]:
        return list(topic.language_list())


class TopicDocument(Schema):
    """A topic with all its settings: the format of topic files."""

    format: Literal["focusweb-topic"]
    version: int
    name: str
    slug: str
    languages: list[str]
    queries: list[str]
    searches: list[Any]
    seeds: list[str]
    terms: list[dict[str, Any]]
    schedule: dict[str, Any]
    settings: dict[str, Any]
    sites: list[dict[str, Any]]
    active: bool


class Page(Schema):
    """A kept page of a topic."""

    id: int
    url: str
    title: str
    site: str
    language: str
    score: float
    relevance: float
    parts: dict[str, float]
    published: datetime | None
    first_seen: datetime
    rating: int
    read: bool
    starred: bool
    hidden: str
    note: str
    tags: list[str]


class FullPage(Page):
    """A page with its stored text and the reason of its score."""

    text: str
    matched_terms: list[str]


class Rating(Strict):
    """1 for relevant, -1 for not relevant, 0 to take a rating back."""

    value: Literal[-1, 0, 1]


class Rated(Schema):
    """A rating, and how many pages of the topic it moved; null while that is worked out."""

    value: int
    moved: int | None


class Marks(Strict):
    """What to change; what is left out stays."""

    read: bool | None = None
    starred: bool | None = None
    hidden: Literal["", "dull", "seen", "old", "poor"] | None = None
    note: str | None = Field(None, max_length=4000)
    tags: list[Annotated[str, Field(max_length=40)]] | None = Field(None, max_length=10)


class Tag(Schema):
    """A tag of a topic, and how many pages have it."""

    name: str
    pages: int


class Run(Schema):
    """One run of a topic."""

    id: int
    started: datetime
    ended: datetime | None
    page_limit: int
    fetched: int
    kept: int
    failed: int
    share_kept: float
    stop_reason: str
    reasons: dict[str, int]


class NewRun(Strict):
    """How many pages the run may fetch; null for the limit of the topic."""

    page_limit: int | None = Field(None, ge=1, le=100_000)


class Source(Schema):
    """A place that runs visit for new links."""

    kind: str
    address: str
    since: datetime
    visited: datetime | None
    failing_since: datetime | None
    failures: int


class SiteRule(Schema):
    """What a user wants of a site."""

    site: str
    rule: str


class NewSiteRule(Strict):
    """What to do with a site."""

    rule: Literal["raise", "lower", "pin", "block"]


class AlertRule(Schema):
    """What raises an alert of the topic."""

    id: int
    name: str
    active: bool
    min_score: float | None
    term: str
    site: str


class Issue(Schema):
    """One issue of the topic's digest."""

    id: int
    state: str
    covers_from: datetime | None
    covers_until: datetime | None
    pages: int


class RatedTop(Schema):
    """The ratings among the twenty best pages."""

    rated: int
    relevant: int
    share: float | None


class Evaluation(Schema):
    """How well a topic does: ratings of the best pages, and what its last runs kept."""

    top_20: RatedTop
    ratings: int
    kept: int
    fetched: int
    share_kept: float | None


class Found(Schema):
    """A page that a search found."""

    id: int
    topic: str
    url: str
    title: str
    site: str
    score: float
    published: datetime | None
    first_seen: datetime
    extract: str


class SearchAnswer(Schema):
    """A part of what a search found. `next` is the place of the next part, or null."""

    query: str
    total: int
    items: list[Found]
    next: str | None = None


class SavedSearch(Schema):
    """A saved search."""

    id: int
    name: str
    query: str
    topic: str | None
    order: str
    on_home: bool


class NewSavedSearch(Strict):
    """A search to save; one of the same name is replaced."""

    name: str = Field(min_length=1, max_length=120)
    query: str = Field(min_length=1, max_length=256)
    topic: Slug | None = None
    order: Literal["relevance", "newest", "score"] = "relevance"
    on_home: bool = True

"""What a topic file may hold: one JSON object, described in docs/topic-format.md."""

from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, time
from typing import Final, Literal, TypeVar

import msgspec
from django.core.exceptions import ValidationError
from msgspec import UNSET, UnsetType

from topics.errors import TopicError
from topics.rules import schedule

FORMAT: Final = "focusweb-topic"
VERSION: Final = 1
MAX_BYTES: Final = 5_000_000
#: With the ontologies that a topic uses.
MAX_BUNDLE_BYTES: Final = 50_000_000


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class TermRow(_Strict, frozen=True):
    """One term."""

    text: str
    weight: float = 1.0
    required: bool = False
    excluded: bool = False


class Hours(_Strict, frozen=True, tag_field="kind", tag=schedule.HOURS):
    """The interval in hours; the zone is that of days which searches of digests and rules name."""

    every: int = 24
    zone: str = "UTC"


class Daily(_Strict, frozen=True, tag_field="kind", tag=schedule.DAILY):
    """Every day at a local time."""

    at: str
    zone: str = "UTC"


class Weekly(_Strict, frozen=True, tag_field="kind", tag=schedule.WEEKLY):
    """On some days at a local time."""

    days: list[str]
    at: str
    zone: str = "UTC"


class SettingsRow(_Strict, frozen=True):
    """How to crawl and rank; a setting that is left out takes its default."""

    strategy: str | UnsetType = UNSET
    strategy_parameters: dict[str, float] | UnsetType = UNSET
    judge: str | UnsetType = UNSET
    judge_parameters: dict[str, float] | UnsetType = UNSET
    n_pages: int | UnsetType = UNSET
    max_depth_hops: int | UnsetType = UNSET
    link_weight: float | UnsetType = UNSET
    content_weight: float | UnsetType = UNSET
    threshold: float | UnsetType = UNSET
    fresh_days: int | UnsetType = UNSET
    half_life_days: int | UnsetType | None = UNSET
    breadth: str | UnsetType = UNSET
    ranker: str | UnsetType = UNSET
    link_value: str | UnsetType = UNSET
    link_scale: float | UnsetType = UNSET
    alert_score: float | UnsetType | None = UNSET
    plugin_settings: dict[str, dict[str, bool | int | float | str]] | UnsetType = UNSET


class SiteRow(_Strict, frozen=True):
    """A person's word on one site."""

    site: str
    rule: Literal["raise", "lower", "pin", "block"]


class TopicDocument(_Strict, frozen=True):
    """The whole file."""

    format: Literal["focusweb-topic"]
    version: Literal[1]
    name: str
    slug: str
    languages: list[str] = []
    queries: list[str] = []
    searches: list[str] = []
    seeds: list[str] = []
    terms: list[TermRow] = []
    schedule: Hours | Daily | Weekly = Hours()
    settings: SettingsRow = SettingsRow()
    sites: list[SiteRow] = []
    active: bool = True


class OntologyRow(_Strict, frozen=True):
    """An ontology that the topic uses."""

    title: str
    turtle: str


class ConceptRow(_Strict, frozen=True):
    """A concept that is attached to the topic."""

    ontology: str
    iri: str


class ExampleRow(_Strict, frozen=True):
    """An example page: by its address, or by its text."""

    url: str = ""
    text: str = ""
    relevant: bool = True


class RatingRow(_Strict, frozen=True):
    """The owner's word on a page."""

    url: str
    relevant: bool
    rated: datetime
    answer: bool = False


class SavedSearchRow(_Strict, frozen=True):
    """A search of the topic that the owner saved."""

    name: str
    query: str
    order: str = "relevance"
    without: list[str] = []
    on_home: bool = True


class RuleRow(_Strict, frozen=True):
    """An alert rule of the topic, without its channels."""

    name: str
    active: bool = True
    watches: str = "pages"
    after_days: int = 7
    search: str = ""
    min_score: float | None = None
    term: str = ""
    query: str = ""
    site: str = ""
    not_site: str = ""
    new_site: bool = False
    language: str = ""
    within_hours: int | None = None
    min_sites: int | None = None
    rate: str = "immediate"
    max_per_day: int = 5
    quiet_from: str | None = None
    quiet_until: str | None = None
    zone: str = "UTC"


class DigestRow(_Strict, frozen=True):
    """The settings of the topic's digest, without its channels and other topics."""

    active: bool = True
    frequency: str = "daily"
    at: str = "08:00"
    also_at: str = ""
    weekdays: str = ""
    zone: str = "UTC"
    language: str = "en"
    max_items: int = 20
    min_items: int = 1
    besides: str = "changes, alerts, terms, quiet"
    skip_empty: bool = True
    searches: list[str] = []


class TopicBundle(TopicDocument, frozen=True):
    """A topic file with all that its owner added; a part that is left out stays as it is."""

    ontologies: list[OntologyRow] = []
    concepts: list[ConceptRow] | UnsetType = UNSET
    switched_off: list[str] | UnsetType = UNSET
    examples: list[ExampleRow] | UnsetType = UNSET
    ratings: list[RatingRow] | UnsetType = UNSET
    saved_searches: list[SavedSearchRow] | UnsetType = UNSET
    rules: list[RuleRow] | UnsetType = UNSET
    digest: DigestRow | UnsetType | None = UNSET


Document = TypeVar("Document", bound=TopicDocument)


def read_document(data: bytes) -> TopicDocument:
    """Read a topic file; a TopicError names the field that is wrong."""
    return _read(data, TopicDocument, MAX_BYTES)


def read_bundle(data: bytes) -> TopicBundle:
    """Read a topic file that may be a bundle; a TopicError names the field that is wrong."""
    return _read(data, TopicBundle, MAX_BUNDLE_BYTES)


def _read(data: bytes, kind: type[Document], max_bytes: int) -> Document:
    if len(data) > max_bytes:
        raise TopicError(f"the file has {len(data)} bytes; a topic has at most {max_bytes}")
    try:
        # Some editors put a byte order mark first; RFC 8259, 8.1 lets a reader ignore it.
        return msgspec.json.decode(data.removeprefix(BOM_UTF8), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TopicError(str(error).replace("`$.", "`").replace("`$`", "the top level")) from error


def parse_time(text: str, place: str) -> time:
    """Return a time of day as a file has it; a TopicError names the place if it is none."""
    try:
        return schedule.read_time(text)
    except ValueError as error:
        told = f"{text!r} is not a time of day such as 08:00, without an offset"
        raise TopicError(f"{place}: {told}") from error


def shown_time(at: time) -> str:
    """Return a time of day as a file has it; seconds only where there are some."""
    return at.isoformat("minutes" if at.second == 0 else "seconds")


@contextmanager
def field_named(places: dict[str, str]) -> Iterator[None]:
    """Turn the first complaint about a row into one line that names its place in the file."""
    try:
        yield
    except ValidationError as error:
        field, complaints = next(iter(error.message_dict.items()))
        raise TopicError(f"{places.get(field, field)}: {complaints[0]}") from error

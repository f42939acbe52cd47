"""The home page: what each topic is up to, and what is new in it for the reader."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from crawler.api.tables import Harvest, Run
from focusweb.database import number_list
from focusweb.demo.web import CLOCK_FILE
from focusweb.prepared import prepared
from topics.home.figures import LARGE, figures_of
from topics.models import DigestIssue, Topic, Visit
from topics.pages.not_spam import is_trusted
from topics.pages.rows import failure_sentence
from topics.reasons import Sentence
from topics.runs.demo import clock_ends

#: Pages since a visit that are counted, in all topics together.
MAX_COUNTED: Final = 5000


@dataclass(frozen=True, slots=True)
class TopicLine:
    """One topic in the list of topics.

    Attributes
    ----------
    n_fresh, n_known : int
        Stories that are news, and those that are not.
    n_since : int or None
        News first seen since the reader opened the topic last; None if they never did.
    watched_since : datetime or None
        When its first run had seen what was there; None before.
    trouble : Sentence or None
        Why the last run saw nothing at all.
    n_failing : int
        Sources that failed on their last visit.
    seeds_since : datetime or None
        No seed has answered since then, if all of them fail.
    lacks_words : bool
        No fetched page contains a word of the topic.
    mail_state : str
        Of the digest's newest issue, or of one whose fate is unknown; "" without one.
    demo_until : datetime or None
        Until then a sample topic runs every minute, whatever its next run is planned for.
    """

    topic: Topic
    n_fresh: int
    n_known: int
    last_run: Run | None
    watched_since: datetime | None
    trouble: Sentence | None = None
    n_since: int | None = None
    n_failing: int = 0
    seeds_since: datetime | None = None
    lacks_words: bool = False
    mail_state: str = ""
    demo_until: datetime | None = None
    #: Domains whose pages count as keyword stuffing.
    farms: Sequence[str] = ()


def topic_lines(user: Any, now: datetime) -> list[TopicLine]:
    """A person's topics, with a fixed number of queries once each topic has its figures."""
    topics = _topics(user.pk)
    newest = [pk for topic in topics if (pk := _noted(topic, "last_run_pk"))]
    runs = {run.pk: run for run in _runs(newest)}
    since = _n_since(topics, user, now)
    return [_line(topic, runs.get(_noted(topic, "last_run_pk")), since, now) for topic in topics]


@prepared
def _runs(numbers: Sequence[int]) -> QuerySet[Run]:
    return Run.objects.filter(pk__in=number_list(numbers))


@prepared
def _topics(user: int) -> QuerySet[Topic]:
    runs = Run.objects.filter(crawl=OuterRef("crawl"))
    issues = DigestIssue.objects.filter(digest__topic=OuterRef("pk"))
    doubtful = issues.filter(state=DigestIssue.State.UNCERTAIN)
    merged = DigestIssue.State.MERGED
    return (
        Topic.objects.visible_to(user)
        .select_related("crawl", "figures", "digest")
        .defer(*LARGE)
        .annotate(
            last_run_pk=Subquery(runs.order_by("-started").values("pk")[:1]),
            watched_since=Subquery(
                runs.filter(fetched__gt=0).order_by("started").values("ended")[:1]
            ),
            last_visit=Subquery(
                Visit.objects.filter(topic=OuterRef("pk"), user_id=user).values("latest")[:1]
            ),
            is_doubtful=Exists(doubtful),
            mail_state=Subquery(issues.exclude(state=merged).order_by("-pk").values("state")[:1]),
        )
        .order_by("name", "pk")
    )


def _noted(topic: Topic, name: str) -> Any:
    """What `_topics` read beside a topic's own columns."""
    return getattr(topic, name)


def _line(topic: Topic, run: Run | None, since: dict[int, int], now: datetime) -> TopicLine:
    figures = figures_of(topic, now)
    state = _noted(topic, "mail_state") or ""
    return TopicLine(
        topic,
        n_fresh=figures.n_news,
        n_known=figures.n_known,
        last_run=run,
        watched_since=_noted(topic, "watched_since"),
        trouble=failure_sentence(run),
        n_since=since.get(topic.crawl_id or 0, 0) if _noted(topic, "last_visit") else None,
        n_failing=figures.n_failing,
        seeds_since=figures.seeds_since,
        lacks_words=figures.lacks_words,
        farms=figures.farms,
        mail_state=DigestIssue.State.UNCERTAIN if _noted(topic, "is_doubtful") else state,
        demo_until=clock_ends(topic, now, settings.DATA_DIR / CLOCK_FILE),
    )


def _n_since(topics: Sequence[Topic], user: Any, now: datetime) -> dict[int, int]:
    """By number of the crawl: stories that are news and came since the reader was there.

    As in the list of a topic, the best page stands for its story: a worse copy that came since
    makes it no new one.
    """
    since = {
        topic.crawl_id: (last, topic.window_start(now), figures_of(topic, now).farms)
        for topic in topics
        if topic.crawl_id is not None and (last := _noted(topic, "last_visit"))
    }
    if not since:
        return {}
    begin = min(window for _last, window, _farms in since.values())
    rows = [_Row(*one) for one in _came_since([topic.pk for topic in topics], user.pk, begin)]
    stories = sorted({row.story for row in rows if row.story is not None})
    rows = [row for row in rows if row.story is None]
    rows += [_Row(*one) for one in _of_stories(stories, begin)] if stories else []
    rows = [row for row in rows if row.crawl in since and since[row.crawl][1] <= row.dated <= now]
    doubtful = [row.pk for row in rows if row.domain in since[row.crawl][2]]
    unfair = {*doubtful} - _trusted(doubtful) if doubtful else set[int]()
    best: dict[tuple[int, int], _Row] = {}
    for row in sorted(rows, key=lambda row: (-row.score, row.pk)):
        if row.pk not in unfair:
            best.setdefault((row.crawl, -row.pk if row.story is None else row.story), row)
    return Counter(row.crawl for row in best.values() if row.first_seen > since[row.crawl][0])


class _Row(NamedTuple):
    pk: int
    crawl: int
    story: int | None
    score: float
    first_seen: datetime
    dated: datetime
    domain: str


#: As `_Row` has them.
_COLUMNS: Final = (
    "pk",
    "crawl_id",
    "story_id",
    "score",
    "first_seen",
    Coalesce("published", "first_seen"),
    "url__site__domain",
)


@prepared
def _came_since(topics: Sequence[int], user: int, begin: datetime) -> QuerySet[Any, Any]:
    """The pages found since the visits of a user."""
    visit = {"crawl__topic__visits__user": user, "crawl__topic__in": number_list(topics)}
    # As the index of such pages has it, or SQLite reads all kept pages.
    came = Q(first_seen__gt=F("crawl__topic__visits__latest"), kept=True, baseline=False, **visit)
    rows = Harvest.objects.not_stuffed().filter(came).repeating_none(begin).order_by()
    return rows.values_list(*_COLUMNS)[:MAX_COUNTED]


@prepared
def _of_stories(stories: Sequence[int], begin: datetime) -> QuerySet[Any, Any]:
    """The pages of some stories that may be news."""
    rows = Harvest.objects.not_stuffed().kept().filter(story__in=number_list(stories))
    rows = rows.filter(baseline=False).repeating_none(begin).order_by()
    return rows.values_list(*_COLUMNS)[:MAX_COUNTED]


def _trusted(numbers: Sequence[int]) -> set[int]:
    """Return those of some harvests that a person's word makes fair."""
    rows = Harvest.objects.filter(is_trusted(), pk__in=number_list(numbers))
    return set(rows.values_list("pk", flat=True))

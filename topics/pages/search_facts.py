"""What a query's facts mean: the pages of some topics for which they hold.

Facts stand in the tables and change at once; the index holds words only. Facts
side by side must hold for one topic's view of a page, not for two topics' views.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import reduce
from operator import and_, or_
from urllib.parse import quote

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from crawler.api.ontologies import label_key
from crawler.api.pages import NO_ARTICLE, PDF
from crawler.api.ranking import NEW_SITE
from crawler.api.tables import Harvest, HarvestQuerySet, Run
from focusweb.database import number_list
from topics.models import Alert, AlertMatch, AlertRule, PageChange, Reading, Thumb, Topic
from topics.pages.news import is_news
from topics.pages.search_concepts import names_of_concept
from topics.pages.search_periods import ReadersDay, during
from topics.pages.search_texts import pages_by_author, pages_matching, pages_without
from topics.search.errors import QueryError
from topics.search.problems import QueryProblem
from topics.search.query import Query
from topics.search.tree import (
    Ages,
    And,
    Clause,
    Fact,
    Field,
    Ids,
    Node,
    Not,
    Numbers,
    Or,
    Pattern,
    Period,
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a search looks: the topics, the moment it is, and the reader's time zone.

    `named` are the topics that a query may name; by default those it looks in. `reader` is the
    key of the person whose marks, ratings, rules and ontologies count; by default each topic's
    owner.

    Raises
    ------
    ValueError
        If a topic is shared and there is no reader: a search would show what its owner did.
    """

    topics: Sequence[Topic]
    now: datetime
    zone: tzinfo
    named: Sequence[Topic] = ()
    reader: int | None = None

    def __post_init__(self) -> None:
        if self.reader is None and any(topic.is_shared for topic in self.topics):
            raise ValueError("a search of a shared topic needs a reader")

    @property
    def day(self) -> ReadersDay:
        """The reader's day, and where it begins."""
        return ReadersDay(self.now.astimezone(self.zone).date(), self.zone)

    @property
    def readers(self) -> Collection[int]:
        """Keys of the people whose rules and ontologies count."""
        owners = {topic.owner_id for topic in self.topics}
        return owners if self.reader is None else {self.reader}

    @property
    def who_marks(self) -> int | F:
        """Whose marks and ratings count, as a query of rows with a topic has it."""
        return F("topic__owner") if self.reader is None else self.reader


def resolve(query: Query, scope: Scope) -> Query:
    """Replace every fact of a query by the pages for which it holds.

    Raises
    ------
    QueryError
        If a fact names a topic that is not there.
    """
    return replace(query, tree=_resolved(query.tree, scope))


def _resolved(node: Node, scope: Scope) -> Node:
    match node:
        case Fact(Field.TERM, str(term)):
            return names_of_concept(term, node.position, scope.readers)
        case Fact(Field.TEXT, Clause() as clause):
            return And((clause, Not(Ids(pages_without(clause, _kept(scope))))))
        case Fact(Field.AUTHOR, str(name)):
            return Ids(pages_by_author(name, _kept(scope)))
        case Fact(Field.PATTERN, Pattern() as pattern):
            return Ids(pages_matching(pattern, _kept(scope)))
        case Fact():
            return _pages([_condition(node, scope)], scope)
        case Not(part):
            return Not(_resolved(part, scope))
        case Or(parts):
            return Or(tuple(_resolved(part, scope) for part in parts))
        case And(parts):
            return _all_of(parts, scope)
        case _:
            return node


def _all_of(parts: Sequence[Node], scope: Scope) -> Node:
    """Facts side by side become one set of pages, and exclusions beside them count with it."""
    stated = [part for part in parts if _is_stated(part)]
    together: list[Q] = []
    rest: list[Node] = []
    for part in parts:
        match part:
            case Fact() if _is_stated(part):
                together.append(_condition(part, scope))
            case Not(Fact() as fact) if stated and _is_stated(fact):
                together.append(~_condition(fact, scope))
            case _:
                rest.append(_resolved(part, scope))
    if together:
        rest.append(_pages(together, scope))
    return rest[0] if len(rest) == 1 else And(tuple(rest))


def _view_condition(node: Node, scope: Scope) -> Q | None:
    """Return the condition for the views of a page of which a query is true.

    None if it holds for all views of a page alike, or for none of them alone: a page that words
    may have found is as good in each topic.
    """
    match node:
        case Fact() if _is_stated(node):
            return _condition(node, scope)
        case Not(part):
            inner = _view_condition(part, scope)
            return None if inner is None else ~inner
        case And(parts) | Or(parts):
            known = [one for part in parts if (one := _view_condition(part, scope)) is not None]
            if isinstance(node, And):
                return reduce(and_, known) if known else None
            return reduce(or_, known) if len(known) == len(parts) else None
        case _:
            return None


def views_that_fit(
    query: Query, scope: Scope, page_ids: Collection[int]
) -> frozenset[tuple[int, int]]:
    """Return which topics' views of some pages have the facts of a query that is not resolved.

    As numbers of crawl and page; empty if all views do, as those of one topic always do.
    """
    condition = _view_condition(query.tree, scope) if len(scope.topics) > 1 else None
    if condition is None:
        return frozenset()
    found = _kept(scope).filter(condition, url__in=number_list(page_ids))
    return frozenset(found.values_list("crawl_id", "url_id"))


def _is_stated(node: Node) -> bool:
    """Whether a fact is one that a topic's view of a page decides; others are alike for all."""
    of_texts = (Field.TERM, Field.TEXT, Field.AUTHOR, Field.PATTERN)
    return isinstance(node, Fact) and node.field not in of_texts


def _kept(scope: Scope) -> HarvestQuerySet:
    return Harvest.objects.kept().filter(crawl__topic__in=scope.topics)


def _pages(conditions: Iterable[Q], scope: Scope) -> Ids:
    found = _kept(scope).filter(reduce(and_, conditions))
    return Ids(frozenset(found.values_list("url_id", flat=True)))


def state_condition(state: str, scope: Scope) -> Q:
    """Return the condition for pages in a state, by its English name."""
    match state:
        case "news":
            return is_news(scope.topics, scope.now)
        case "known":
            return ~state_condition("news", scope)
        case "newsite":
            return _on_new_site(scope)
        case "seed":
            seeds = (
                Q(crawl=topic.crawl_id, url__url__in=topic.profile().seeds)
                for topic in scope.topics
            )
            return reduce(or_, seeds, Q(pk__in=[]))
        case "alerted":
            alerts = Alert.objects.filter(topic__owner__in=scope.readers)
            return Q(Exists(alerts.filter(harvest=OuterRef("pk"))))
        case "changed":
            own = PageChange.objects.filter(topic__owner__in=scope.readers)
            changes = own | PageChange.objects.watched_by(scope.who_marks)
            changes = changes.filter(topic__crawl=OuterRef("crawl"), url=OuterRef("url"))
            return Q(Exists(changes))
        case "read":
            return Q(Exists(_readings(scope).filter(read__isnull=False)))
        case "unread":
            return ~state_condition("read", scope)
        case "starred":
            return Q(Exists(_readings(scope).filter(starred__isnull=False)))
        case "hidden":
            return Q(Exists(_readings(scope).exclude(hidden="")))
        case "dup":
            others = Harvest.objects.kept().filter(story=OuterRef("story"))
            return Q(Exists(others.exclude(pk=OuterRef("pk")))) & Q(story__isnull=False)
        case _:
            value = 1 if state == "relevant" else -1
            thumbs = Thumb.objects.filter(
                url=OuterRef("url"), topic__crawl=OuterRef("crawl"), value=value
            )
            return Q(Exists(thumbs.filter(user=scope.who_marks)))


def _condition(fact: Fact, scope: Scope) -> Q:
    match fact.field, fact.value:
        case Field.SITE, str(host):
            site = Q(url__site__name=host) | Q(url__site__domain=host)
            return site | Q(url__site__name__endswith=f".{host}")
        case Field.URL, str(part):
            # Addresses are stored with other characters in their %-form.
            coded = quote(part, safe="/:?#[]@!$&'()*+,;=%~-._")
            return Q(url__url__icontains=part) | Q(url__url__icontains=coded)
        case Field.LANG, str(code):
            return Q(url__page__language=code) | Q(url__page__language__startswith=f"{code}-")
        case Field.TOPIC, str(name):
            return Q(crawl__topic=_topic(fact, name, scope))
        case Field.RULE, str(name):
            return _sent_by(_rules(fact, name, scope))
        case Field.SCORE, Numbers() as numbers:
            return _between("score", numbers)
        case Field.LINK, Numbers() as numbers:
            return _between("link_value", numbers)
        case Field.CONTENT, Numbers() as numbers:
            return _between("content_value", numbers)
        case Field.AGE, Ages() as ages:
            return _aged(ages, scope.now)
        case Field.PUB, Period() as period:
            return during("published", period, scope.day)
        case Field.SEEN, Period() as period:
            return during("first_seen", period, scope.day)
        case ((Field.BEFORE | Field.AFTER), Period() as period):
            unknown = Q(published=None) & during("first_seen", period, scope.day)
            return during("published", period, scope.day) | unknown
        case Field.HAS, str(part):
            return _holding(part)
        case Field.TAG, str(tag):
            return Q(Exists(_readings(scope).filter(tags__name__iexact=tag)))
        case Field.IS, str(state):
            return state_condition(state, scope)
        case _:
            raise TypeError(f"{fact.field} has the value {fact.value!r}")


def _topic(fact: Fact, name: str, scope: Scope) -> Topic:
    key = label_key(name)
    topics = scope.named or scope.topics
    fitting = [one for one in topics if key in (label_key(one.slug), label_key(one.name))]
    if fitting:
        # Names of owners may differ in upper and lower case only.
        return next((topic for topic in fitting if topic.slug == name), fitting[0])
    known = ", ".join(topic_condition(topic) for topic in topics[:10])
    raise QueryError(QueryProblem.UNKNOWN_TOPIC, fact.position, fact.text, hint=known)


def topic_condition(topic: Topic) -> str:
    """Return the condition that a topic keeps a page.

    The address of a shared topic, such as ann~2026, may look like a fuzzy word.
    """
    return f'topic:"{topic.slug}"' if topic.is_shared else f"topic:{topic.slug}"


def _rules(fact: Fact, name: str, scope: Scope) -> list[int]:
    """The readers' rules of a name."""
    own = AlertRule.objects.filter(owner__in=scope.readers)
    known = own.order_by("pk").values_list("pk", "name")
    found = [pk for pk, other in known if label_key(other) == label_key(name)]
    if not found:
        hint = ", ".join(f'rule:"{other}"' for _pk, other in known[:10])
        raise QueryError(QueryProblem.UNKNOWN_RULE, fact.position, fact.text, hint=hint)
    return found


def _sent_by(rules: Sequence[int]) -> Q:
    """Pages that became an alert of some rules."""
    return Q(Exists(AlertMatch.objects.filter(harvest=OuterRef("pk"), rule__in=rules)))


def _between(column: str, numbers: Numbers) -> Q:
    found = Q()
    if numbers.low is not None:
        found &= Q(**{f"{column}__gt" if numbers.open_low else f"{column}__gte": numbers.low})
    if numbers.high is not None:
        found &= Q(**{f"{column}__lt" if numbers.open_high else f"{column}__lte": numbers.high})
    return found


def _aged(ages: Ages, now: datetime) -> Q:
    """Published, or else first seen, so long ago."""
    found = Q()
    for compare, age in (("lte", ages.least), ("gte", ages.most)):
        if age is not None:
            # What is stored begins with the year 2.
            moment = now - min(age, now - datetime(2, 1, 1, tzinfo=UTC))
            unknown = Q(published=None, **{f"first_seen__{compare}": moment})
            found &= Q(**{f"published__{compare}": moment}) | unknown
    return found


def _holding(part: str) -> Q:
    match part:
        case "date":
            return Q(published__isnull=False)
        case "image":
            return Q(url__page__picture__gt="")
        case "author":
            return Q(url__page__byline__gt="")
        case "pdf":
            return _flagged(PDF)
        case _:
            return ~_flagged(NO_ARTICLE)


def _flagged(flag: str) -> Q:
    """A page's flags are a list with commas."""
    column = "url__page__flags"
    found = Q(**{column: flag}) | Q(**{f"{column}__startswith": f"{flag},"})
    found |= Q(**{f"{column}__endswith": f",{flag}"})
    return found | Q(**{f"{column}__contains": f",{flag},"})


def _readings(scope: Scope) -> QuerySet[Reading]:
    """What the reader did with the page."""
    same = Reading.objects.filter(url=OuterRef("url"), topic__crawl=OuterRef("crawl"))
    return same.filter(user=scope.who_marks)


def _on_new_site(scope: Scope) -> Q:
    """Sites first seen lately, and after the topic's first run."""
    runs = Run.objects.filter(crawl=OuterRef("crawl"), fetched__gt=0).order_by("started")
    lately = Q(url__site__first_seen__gt=scope.now - NEW_SITE)
    return lately & Q(url__site__first_seen__gt=Subquery(runs.values("ended")[:1]))

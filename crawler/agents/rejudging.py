"""Judge the pages that are stored once more: after a lesson, or to see what one would change."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from django.db import connection, transaction

from crawler.agents import bulk
from crawler.agents.briefing import Briefing, make_judge, make_strategy
from crawler.agents.database import DatabaseBlackboard
from crawler.agents.knowing import decided_pages, find_library, load_value, save_value
from crawler.agents.manager import renew_scores
from crawler.agents.memo import unpack_memo
from crawler.agents.stored_terms import stored_matrix
from crawler.knowledge.judge import Judge, Library
from crawler.knowledge.page_matrix import relevances
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.models import Crawl, FrontierEntry, Harvest, IndexOutbox, Page
from crawler.models.web import unpack_terms
from crawler.page.parsed import is_listing
from crawler.ranking.explain import explain
from crawler.ranking.many import content_values
from crawler.ranking.score import PageScore, PaperRanker, content_value
from crawler.ranking.site_rules import moved_by, with_rule
from crawler.reasons import Reason

#: A change that a reader can see at two decimals.
VISIBLE = 0.005
#: A change that is only the last digits of another order of adding up.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Moved:
    """What judging again changed, by number of the harvest row; best first.

    Attributes
    ----------
    entered, left : tuple of int
        Pages that are kept now, or no longer.
    moved : tuple of int
        Pages that stay, with another relevance or score.
    """

    entered: tuple[int, ...] = ()
    left: tuple[int, ...] = ()
    moved: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        """Pages that changed in any way."""
        return len(self.entered) + len(self.left) + len(self.moved)


@dataclass(frozen=True, slots=True)
class Rejudged:
    """A stored page as it stood, and as the judge sees it now.

    Attributes
    ----------
    pk, url : int
        Numbers of the harvest row and of its URL.
    was_kept, is_kept : bool
    was, relevance : float
        In [0, 1].
    old_score, score : float
        In [0, 1].
    """

    pk: int
    url: int
    was_kept: bool
    is_kept: bool
    was: float
    relevance: float
    old_score: float
    score: float

    @property
    def differs(self) -> bool:
        """True if its row must be written."""
        change = max(abs(self.relevance - self.was), abs(self.score - self.old_score))
        return self.was_kept is not self.is_kept or change > ROUNDING

    @property
    def moved(self) -> bool:
        """True if it stays and a reader can see a change."""
        change = max(abs(self.relevance - self.was), abs(self.score - self.old_score))
        return self.was_kept and self.is_kept and change >= VISIBLE


@dataclass(frozen=True, slots=True)
class Outcome:
    """Every stored page of a crawl, judged again."""

    judge: Judge
    library: Library
    pages: Sequence[Rejudged]

    def moved(self) -> Moved:
        """Sort the pages by what happened to them."""
        best = sorted(self.pages, key=lambda page: (-page.relevance, page.pk))
        return Moved(
            tuple(page.pk for page in best if page.is_kept and not page.was_kept),
            tuple(page.pk for page in best if page.was_kept and not page.is_kept),
            tuple(page.pk for page in best if page.moved),
        )


def judge_again(crawl: Crawl, profile: TopicProfile, settings: CrawlSettings) -> Outcome:
    """Judge every stored page of a crawl as if this were its topic; write nothing.

    Raises
    ------
    ConfigurationError
        If there is no such judge.
    """
    library = find_library(crawl)
    judge = make_judge(profile, settings, library)
    rows = list(
        Harvest.objects.filter(crawl=crawl, url__page__isnull=False)
        .order_by("pk")
        .values_list(
            "pk", "url_id", "kept", "relevance", "score", "link_value", "url__page__noindex",
            "url__page__flags", "url__site__name", "url__page__packed_terms",
        )
    )  # fmt: skip
    matrix = stored_matrix(tuple(bytes(row[-1]) for row in rows))
    found = relevances(judge, matrix).tolist()
    contents = content_values(matrix, judge.topic_terms, library.frequencies).tolist()
    decided, copies = decided_pages(crawl), _copies(crawl)
    by_order, blocked = _kept_by_order(crawl), settings.blocked_sites
    pages = []
    for row, relevance, content in zip(rows, found, contents, strict=True):
        pk, url, was_kept, was, old_score, link, noindex, flags, site, _packed = row
        passes = url in by_order or relevance >= settings.threshold
        wanted = decided.get(url, passes and url not in copies)
        hidden = noindex or site in blocked or is_listing(flags.split(","))
        is_kept = wanted and not hidden
        score = old_score
        if was_kept or is_kept:  # what nobody is shown need not be ranked
            score = settings.link_weight * link + settings.content_weight * content
            score += moved_by(score, settings.rule_of(site))
        pages.append(Rejudged(pk, url, was_kept, is_kept, was, relevance, old_score, score))
    return Outcome(judge, library, pages)


def _kept_by_order(crawl: Crawl) -> frozenset[int]:
    """URLs whose pages the crawl order keeps whatever the judge says."""
    done = FrontierEntry.objects.filter(crawl=crawl, state=FrontierEntry.State.DONE)
    memos = done.exclude(memo=b"").values_list("url_id", "memo")
    return frozenset(url for url, memo in memos if unpack_memo(memo).get("keep"))


def _copies(crawl: Crawl) -> frozenset[int]:
    """URLs whose pages are stored under another address already."""
    copies = FrontierEntry.objects.filter(crawl=crawl, reason=Reason.DUPLICATE)
    return frozenset(copies.values_list("url_id", flat=True))


def rejudge(crawl: Crawl, now: datetime) -> Moved:
    """Judge every stored page of a crawl again and keep what comes of it.

    The index learns of pages that entered and left.
    """
    outcome = judge_again(crawl, crawl.profile, crawl.settings)
    rules_changed = _note_rules(crawl)
    changed = {
        page.pk: page for page in outcome.pages if page.differs or (rules_changed and page.is_kept)
    }
    turned = [page.url for page in changed.values() if page.is_kept is not page.was_kept]
    when = bulk.moment(now)
    with transaction.atomic():
        bulk.execute_many(
            f"UPDATE {bulk.table(Harvest)} SET kept = %s, relevance = %s, content_value = %s,"
            " score = %s, explanation = %s WHERE id = %s",
            _rows(crawl, outcome, changed),
        )
        bulk.insert(IndexOutbox, ("page_id", "queued"), [(url, when) for url in turned])
        if rules_changed or any(page.is_kept and not page.was_kept for page in changed.values()):
            _rank(crawl, outcome, now, everything=rules_changed)
    return outcome.moved()


def _note_rules(crawl: Crawl) -> bool:
    """Remember by what rules pages were judged last; True if those were others.

    Each page's explanation names them, so all are written anew after a change.
    """
    settings = crawl.settings
    weights = settings.link_weight, settings.content_weight
    rules = msgspec.json.encode((settings.judge, settings.threshold, *weights, settings.link_value))
    if load_value(crawl, "judged") == rules:
        return False
    save_value(crawl, "judged", rules)
    return True


def _rows(
    crawl: Crawl, outcome: Outcome, changed: dict[int, Rejudged]
) -> Iterator[tuple[Any, ...]]:
    settings, adapt = crawl.settings, connection.ops.adapt_json_value
    for part in bulk.chunks(list(changed)):
        harvests = Harvest.objects.filter(pk__in=part).select_related("url__site")
        shown = [changed[pk].url for pk in part if changed[pk].is_kept or changed[pk].was_kept]
        packed = dict(Page.objects.filter(pk__in=shown).values_list("pk", "packed_terms"))
        for harvest in harvests:
            page = changed[harvest.pk]
            told, score, content = harvest.explanation, harvest.score, harvest.content_value
            if harvest.url_id in packed:
                ranked, told = _explained(outcome, settings, harvest, packed[harvest.url_id])
                score, content = ranked.value, ranked.content.value
            # Of a page nobody is shown, the terms named when it was fetched may stay.
            judge = {"relevance": page.relevance, "threshold": settings.threshold}
            told = told | {"judge": told.get("judge", {}) | judge}
            yield page.is_kept, page.relevance, content, score, adapt(told, None), harvest.pk


def _explained(
    outcome: Outcome, settings: CrawlSettings, harvest: Harvest, packed: bytes | memoryview
) -> tuple[PageScore, dict[str, Any]]:
    terms = unpack_terms(packed)
    content = content_value(terms, outcome.judge.topic_terms, outcome.library.frequencies)
    link = harvest.explanation.get("link", {})
    parts = {
        "link": settings.link_weight * harvest.link_value,
        "content": settings.content_weight * content.value,
    }
    score = PageScore(
        content, harvest.link_value, harvest.n_linking_sites, tuple(link.get("sites", ())),
        harvest.link_scale, parts,
    )  # fmt: skip
    score = with_rule(score, settings.rule_of(harvest.url.site.name))
    return score, explain(score, outcome.judge.judge(terms), settings)


def _rank(crawl: Crawl, outcome: Outcome, now: datetime, *, everything: bool) -> None:
    """Give pages that entered the links they have: only kept pages were ranked."""
    run = crawl.runs.order_by("-started").first()
    if run is None:
        return
    briefing = Briefing(
        version=0, profile=crawl.profile, settings=crawl.settings, judge=outcome.judge,
        strategy=make_strategy(crawl.settings), ranker=PaperRanker(),
        frequencies=outcome.library.frequencies,
    )  # fmt: skip
    renew_scores(DatabaseBlackboard(run), briefing, now, everything=everything)

"""A site's clock, rules and budget, between the tables and the collector that holds it."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import cast

from django.conf import settings

from crawler.fetch.robots import RobotsRules, Verdict
from crawler.messages import CrawlResult, SiteState
from crawler.models import Assignment, FrontierEntry, Site, SiteLines, SiteRobots, bulk
from crawler.models.web import EPOCH, HOLD, as_signed, as_unsigned
from crawler.page.article.site_frame import SiteFrame
from crawler.reasons import WITHOUT_REQUEST, Reason
from focusweb.database import write_transaction


def next_midnight(now: datetime) -> datetime:
    """When the budget of the day begins anew."""
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time(), UTC)


def site_state(site: Site, now: datetime) -> SiteState:
    """Return what a collector must know of a site."""
    today = site.day == now.astimezone(UTC).date()
    return SiteState(
        name=site.name,
        delay_s=site.delay_s,
        next_fetch_at=site.next_fetch_at,
        robots_until=site.robots_until,
        pages_left=settings.SITE_PAGES_PER_DAY - (site.pages_today if today else 0),
        bytes_left=settings.SITE_BYTES_PER_DAY - (site.bytes_today if today else 0),
        missing_print=as_unsigned(site.missing_print),
        missing_until=site.missing_until,
    )


#: The sites of an assignment.
_SITES = f"SELECT site_id FROM {bulk.table(Assignment.sites.through)} WHERE assignment_id = %s"
#: What the name of a holder begins with that is an assignment, and not a process.
HOLDER = "assignment "


def holder(assignment: int) -> str:
    """Who holds the sites of an assignment, from when it is posted until it is closed."""
    return f"{HOLDER}{assignment}"


def hold(assignment: int, sites: Collection[int], now: datetime) -> list[int]:
    """Hold those of some sites that are free, for an assignment. Return their numbers."""
    held: list[int] = []
    mine = holder(assignment)
    for some in bulk.chunks(list(sites)):
        # Another crawl may have taken one since it was read: the condition turns this into a lock.
        bulk.execute(
            f"UPDATE {bulk.table(Site)} SET held_by = %s, held_until = %s"
            f" WHERE id IN ({bulk.places(some)}) AND held_until <= %s",
            [mine, bulk.moment_parameter(now + HOLD), *some, bulk.moment_parameter(now)],
        )
        rows = bulk.select(
            f"SELECT id FROM {bulk.table(Site)} WHERE id IN ({bulk.places(some)}) AND held_by = %s",
            [*some, mine],
        )
        held += [number for (number,) in rows]
    return held


def extend_hold(assignment: int, now: datetime) -> None:
    """Hold the sites of an assignment longer, but for those it does not hold any more."""
    bulk.execute(
        f"UPDATE {bulk.table(Site)} SET held_until = %s WHERE id IN ({_SITES}) AND held_by = %s",
        [bulk.moment_parameter(now + HOLD), assignment, holder(assignment)],
    )


def lost_sites(assignment: int) -> list[int]:
    """Return the sites of an assignment that it does not hold any more."""
    rows = bulk.select(
        f"SELECT id FROM {bulk.table(Site)} WHERE id IN ({_SITES}) AND held_by <> %s",
        [assignment, holder(assignment)],
    )
    return [number for (number,) in rows]


def let_go(states: Iterable[SiteState], held_by: str, now: datetime) -> None:
    """Give sites back with their clocks as they are now, those that `held_by` holds still."""
    states, epoch = list(states), bulk.moment_parameter(EPOCH)
    bulk.execute_many(
        f"UPDATE {bulk.table(Site)} SET held_by = '', held_until = %s, next_fetch_at = %s,"
        " delay_s = %s, missing_print = %s, missing_until = %s WHERE name = %s AND held_by = %s",
        [
            (
                epoch,
                bulk.moment_parameter(state.next_fetch_at),
                state.delay_s,
                as_signed(state.missing_print),
                bulk.moment_parameter(state.missing_until),
                state.name,
                held_by,
            )
            for state in states
        ],
    )
    for state in filter(is_spent, states):
        # Or each of its URLs would be handed out and given back today.
        FrontierEntry.objects.filter(
            url__site__name=state.name,
            state=FrontierEntry.State.NEW,
            not_before__lt=next_midnight(now),
        ).set_aside(Reason.SITE_BUDGET, not_before=next_midnight(now))


def find_rules(name: str) -> RobotsRules:
    """Return the rules of a site as they were last read; all is forbidden if it was removed."""
    # One statement: a verdict must not be taken for that of other rules.
    rows = bulk.select(
        f"SELECT robots_verdict, packed FROM {bulk.table(Site)} site"
        f" LEFT JOIN {bulk.table(SiteRobots)} robots ON robots.site_id = site.id"
        " WHERE site.name = %s",
        [name],
    )
    verdict, packed = rows[0] if rows else ("forbid_all", None)
    return RobotsRules(bytes(packed or b""), cast(Verdict, verdict))


def keep_rules(state: SiteState, rules: RobotsRules) -> None:
    """Store rules that were just read, and what the site's state has from them."""
    with write_transaction():
        site = Site.objects.filter(name=state.name)
        # The pause they request is stored as well: if this process dies now, it is still known.
        if not site.update(
            robots_verdict=rules.verdict, robots_until=state.robots_until, delay_s=state.delay_s
        ):
            return  # Somebody removed it meanwhile.
        stored = SiteRobots(site_id=site.values_list("pk", flat=True).get(), packed=rules.packed)
        SiteRobots.objects.bulk_create(
            [stored], update_conflicts=True, unique_fields=["site"], update_fields=["packed"]
        )


def find_frames(names: Collection[str]) -> dict[str, SiteFrame]:
    """Return what was learnt of the frames of some sites, by name."""
    statement = (
        f"SELECT name, packed FROM {bulk.table(SiteLines)} learnt"
        f" JOIN {bulk.table(Site)} site ON site.id = site_id WHERE name IN"
    )
    rows = bulk.select_among(statement, names)
    return {name: SiteFrame.load(bytes(packed)) for name, packed in rows}


def keep_frames(frames: Mapping[str, SiteFrame]) -> None:
    """Store what was learnt of the frames of sites. The caller holds the sites."""
    with write_transaction():
        # A site that was removed meanwhile is stopped.
        statement = f"SELECT id, name FROM {bulk.table(Site)} WHERE NOT stopped AND name IN"
        rows = bulk.select_among(statement, frames)
        going = [(number, frames[name].dump()) for number, name in rows]
        bulk.insert(
            SiteLines,
            ("site_id", "packed"),
            going,
            conflict="ON CONFLICT (site_id) DO UPDATE SET packed = excluded.packed",
        )


def is_spent(state: SiteState) -> bool:
    """True if the site's budget of today is used up."""
    return any(left is not None and left <= 0 for left in (state.pages_left, state.bytes_left))


def charge(postings: Sequence[CrawlResult], now: datetime) -> None:
    """Count today's requests to each site."""
    pages: Counter[str] = Counter()
    n_bytes: Counter[str] = Counter()
    for posting in postings:
        if posting.reason not in WITHOUT_REQUEST:
            pages[posting.claim.site] += 1
            n_bytes[posting.claim.site] += posting.n_bytes
    day = now.astimezone(UTC).date()
    bulk.execute_many(
        f"UPDATE {bulk.table(Site)} SET"
        " pages_today = CASE WHEN day = %s THEN pages_today + %s ELSE %s END,"
        " bytes_today = CASE WHEN day = %s THEN bytes_today + %s ELSE %s END,"
        " day = %s WHERE name = %s",
        [
            (day, n, n, day, n_bytes[name], n_bytes[name], day, name)
            for name, n in sorted(pages.items())
        ],
    )


def stopped_sites() -> frozenset[str]:
    """Names of all stopped sites."""
    # Written so that the index of stopped sites answers it.
    rows = bulk.select(f"SELECT name FROM {bulk.table(Site)} WHERE stopped", [])
    return frozenset(name for (name,) in rows)

"""What a dead collector held comes back, late enough to stay polite."""

import random
from datetime import datetime, timedelta
from functools import partial

from crawler.checks import invariants
from crawler.crawl import dispatch, manager
from crawler.crawl.collector import collect
from crawler.crawl.database_blackboard import DatabaseBlackboard
from crawler.crawl.manager import BatchLimits
from crawler.models import Assignment, Crawl, FrontierEntry, Run, Site
from crawler.models.web import EPOCH, HOLD
from crawler.reasons import Reason
from crawler.store import removal
from crawler.store.frontier import leases
from tests.crawler.web import NOON, SEED, PaperWeb

State = FrontierEntry.State


def take_seed(run: Run) -> DatabaseBlackboard:
    """A board whose one seed is in the hands of a collector."""
    board = DatabaseBlackboard(run)
    manager.start(board, [SEED], NOON)
    manager.plan(board, NOON, BatchLimits(), random.Random(1))
    assert board.take("somebody", NOON) is not None
    return board


def test_a_dead_owners_urls_are_ready_again(run: Run) -> None:
    take_seed(run)

    freed = leases.expire(NOON, lambda owner: owner == "somebody", lambda site: 2.0)

    entry = FrontierEntry.objects.get()
    assert freed == 1
    assert (entry.state, entry.crashes) == (State.NEW, 1)
    assert list(invariants.frontier_breaches(NOON)) == []


def test_the_whole_pause_begins_when_the_lease_is_taken_back(run: Run) -> None:
    take_seed(run)

    leases.expire(NOON, lambda owner: True, lambda site: 2.0)

    site = Site.objects.get()
    assert site.next_fetch_at == NOON + timedelta(seconds=2)
    assert site.held_by == ""


def test_a_run_whose_collector_died_is_planned_for_at_once(run: Run) -> None:
    take_seed(run)
    Run.objects.update(begun=True)
    Crawl.objects.update(managed_until=NOON)

    leases.expire(NOON, lambda owner: owner == "somebody", lambda site: 2.0)

    assert dispatch.to_plan(NOON, 1, lambda owner: False) == [run]


def test_a_living_owner_keeps_its_lease_until_it_ends(run: Run) -> None:
    take_seed(run)

    assert leases.expire(NOON + HOLD / 2, lambda owner: False, lambda site: 2.0) == 0
    assert leases.expire(NOON + HOLD, lambda owner: False, lambda site: 2.0) == 1


def test_results_that_come_too_late_are_left(run: Run) -> None:
    board = take_seed(run)
    work = Assignment.objects.get()
    leases.expire(NOON, lambda owner: True, lambda site: 0.0)
    late = board._slice(work.pk, "somebody", NOON)

    assert board.post(late, [], NOON) is False


def test_an_assignment_nobody_took_comes_back_without_blame(run: Run) -> None:
    board = DatabaseBlackboard(run)
    manager.start(board, [SEED], NOON)
    manager.plan(board, NOON, BatchLimits(), random.Random(1))

    leases.expire(NOON + HOLD, lambda owner: True, lambda site: 0.0)

    assert FrontierEntry.objects.get().crashes == 0


def die_with_everything(run: Run, *, n_deaths: int) -> None:
    """Let collectors of this run take what is planned, begin it, and die."""
    board = DatabaseBlackboard(run)
    manager.start(board, [SEED], NOON)
    for _ in range(n_deaths):
        assert manager.plan(board, NOON, BatchLimits(n_collectors=1), random.Random(1)) == 1
        work = board.take("somebody", NOON)
        assert work is not None
        if work.on_trial:
            leases.begin_trial(work.number, work.claims[0].key)
        assert leases.expire(NOON, lambda owner: True, lambda site: 0.0) == 1


def test_a_url_that_kills_is_left_for_good_after_two_deaths_alone(run: Run) -> None:
    """F18: one death in whatever company, then two alone."""
    die_with_everything(run, n_deaths=2)
    assert FrontierEntry.objects.get().state == State.NEW

    die_with_everything(run, n_deaths=1)

    entry = FrontierEntry.objects.get()
    assert (entry.state, entry.reason) == (State.QUARANTINED, Reason.QUARANTINED)
    assert entry.detail == "3 collectors died over it, 2 of them alone"
    assert list(invariants.silent_ends()) == []


def test_one_killer_among_others_is_the_only_one_left_for_good(run: Run) -> None:
    """F18: the others were in hand at its first death only."""
    board = DatabaseBlackboard(run)
    manager.start(board, [SEED], NOON)
    manager.plan(board, NOON, BatchLimits(), random.Random(1))
    collect(board, PaperWeb(), "tester", lambda: NOON)
    killer, n_deaths, now = "http://hub.test/gone", 0, NOON
    for turn in range(60):
        now += timedelta(seconds=1)
        manager.plan(board, now, BatchLimits(n_collectors=1), random.Random(turn))
        taken = Assignment.objects.filter(closed=None).last()
        if taken is None:
            continue
        if taken.entries.filter(state=State.LEASED, url__url=killer).exists():
            work = board.take("doomed", now)
            assert work is not None
            if work.on_trial:
                leases.begin_trial(work.number, key_of(killer))
            n_deaths += leases.expire(now, lambda owner: True, lambda site: 0.0)
        else:
            collect(board, PaperWeb(), "tester", partial(_same, now))

    left = FrontierEntry.objects.filter(state=State.QUARANTINED)
    assert [entry.url.url for entry in left] == [killer]
    assert n_deaths == 3
    assert not FrontierEntry.objects.exclude(url__url=killer).filter(crashes__gt=0).exists()


def kill_urls_of_a_site(run: Run, n_urls: int, *, robots_until: datetime) -> None:
    """Let collectors die over every URL they try, all on one site."""
    board = DatabaseBlackboard(run)
    manager.start(board, [f"http://deadly.test/{number}" for number in range(n_urls)], NOON)
    Site.objects.update(robots_until=robots_until)
    for turn in range(200):
        now = NOON + timedelta(seconds=turn)
        if manager.plan(board, now, BatchLimits(n_collectors=1), random.Random(turn)) < 1:
            return
        work = board.take("doomed", now)
        assert work is not None
        if work.on_trial:
            leases.begin_trial(work.number, work.claims[0].key)
        leases.expire(now, lambda owner: True, lambda site: 0.0)
    raise AssertionError("there is no end of it")


def test_a_site_whose_robots_txt_kills_is_stopped_and_may_be_tried_again(run: Run) -> None:
    kill_urls_of_a_site(run, 50, robots_until=EPOCH)

    ends = set(FrontierEntry.objects.values_list("state", "reason"))
    assert ends == {(State.FAILED, Reason.SITE_QUARANTINED)}
    assert Assignment.objects.filter(died=True).count() <= 6
    assert Site.objects.get().stopped
    assert list(invariants.silent_ends()) == []

    assert removal.allow_site(Site.objects.get()) == 50
    assert set(FrontierEntry.objects.values_list("state", "trials")) == {(State.NEW, 0)}


def test_a_site_whose_robots_txt_was_read_is_not_stopped_for_its_pages(run: Run) -> None:
    kill_urls_of_a_site(run, 3, robots_until=NOON + timedelta(days=1))

    assert not Site.objects.get().stopped
    assert not FrontierEntry.objects.filter(reason=Reason.SITE_QUARANTINED).exists()


def test_a_site_that_a_dead_process_held_outside_a_run_is_free_again(run: Run) -> None:
    take_seed(run)
    held = {"first_seen": NOON, "held_until": NOON + HOLD}
    Site.objects.create(name="dead.test", domain="dead.test", held_by="dead", **held)
    Site.objects.create(name="live.test", domain="live.test", held_by="live", **held)

    freed = leases.free_sites(NOON, lambda owner: owner != "live", lambda site: 2.0)

    site = Site.objects.get(name="dead.test")
    assert freed == 1
    assert (site.held_by, site.next_fetch_at) == ("", NOON + timedelta(seconds=2))
    assert Site.objects.exclude(held_by="").count() == 2, "an assignment's is freed with it"


def key_of(url: str) -> int:
    return FrontierEntry.objects.get(url__url=url).url_id


def test_suspects_are_tried_one_by_one_in_one_assignment(run: Run) -> None:
    """Of a hundred URLs that were in hand at a death, each would take a plan of its own."""
    urls = [f"http://s{number}.test/" for number in range(5)]
    board, number = board_with(run, *urls)
    board.assign([list(number.values())], NOON)
    board.take("doomed", NOON)
    leases.expire(NOON, lambda owner: True, lambda site: 0.0)

    board.assign([list(number.values())], NOON)
    work = board.take("next", NOON)

    assert work is not None
    assert (work.on_trial, len(work.claims)) == (True, 5)
    killer = work.claims[2].key
    leases.begin_trial(work.number, killer)
    leases.expire(NOON, lambda owner: True, lambda site: 0.0)
    counts = FrontierEntry.objects.values_list("url_id", "crashes", "trials")
    assert {key: rest for key, *rest in counts} == {
        key: [2, 1] if key == killer else [1, 0] for key in number.values()
    }
    board.assign([[killer, *(key for key in number.values() if key != killer)]], NOON)
    alone = board.take("last", NOON)
    assert alone is not None
    assert [claim.key for claim in alone.claims] == [killer]


def _same(now: datetime) -> datetime:
    return now


def test_other_deaths_speak_for_a_url(run: Run) -> None:
    """A machine that is killed all the time must not be blamed on what it just fetched."""
    crawl = run.crawl
    for number in range(3):
        Assignment.objects.create(
            crawl=crawl, run=run, posted=NOON, closed=NOON, taken_by=f"other {number}", died=True
        )
    die_with_everything(run, n_deaths=5)
    assert FrontierEntry.objects.get().state == State.NEW

    die_with_everything(run, n_deaths=1)

    assert FrontierEntry.objects.get().state == State.QUARANTINED, "2 + 3 alone"


def test_deaths_of_another_day_say_nothing(run: Run) -> None:
    yesterday = NOON - leases.MEMORY - timedelta(seconds=1)
    Assignment.objects.create(
        crawl=run.crawl, run=run, posted=NOON, closed=yesterday, taken_by="other", died=True
    )

    die_with_everything(run, n_deaths=3)

    assert FrontierEntry.objects.get().state == State.QUARANTINED


def test_whatever_kills_often_enough_is_left_for_good_on_any_machine(run: Run) -> None:
    Assignment.objects.bulk_create(
        Assignment(crawl=run.crawl, run=run, posted=NOON, closed=NOON, taken_by="x", died=True)
        for _ in range(100)
    )

    die_with_everything(run, n_deaths=1 + leases.MAX_QUARANTINE_AFTER)

    assert FrontierEntry.objects.get().state == State.QUARANTINED


def test_a_death_before_the_url_was_asked_for_is_no_trial(run: Run) -> None:
    """While the collector let the site rest, say."""
    board = DatabaseBlackboard(run)
    manager.start(board, [SEED], NOON)
    for _ in range(20):
        manager.plan(board, NOON, BatchLimits(), random.Random(1))
        board.take("somebody", NOON)
        leases.expire(NOON, lambda owner: True, lambda site: 0.0)

    entry = FrontierEntry.objects.get()
    assert (entry.state, entry.crashes, entry.trials) == (State.NEW, 20, 0)


def test_a_suspect_waits_until_all_else_is_fetched(run: Run) -> None:
    die_with_everything(run, n_deaths=2)

    assert FrontierEntry.objects.get().tier == 1


def test_who_survives_a_url_clears_it(run: Run) -> None:
    die_with_everything(run, n_deaths=2)
    board = DatabaseBlackboard(run)
    manager.plan(board, NOON, BatchLimits(), random.Random(1))

    collect(board, PaperWeb(), "tester", lambda: NOON)

    entry = FrontierEntry.objects.get(url__url=SEED)
    assert (entry.state, entry.crashes, entry.trials) == (State.DONE, 0, 0)


def test_a_suspect_is_fetched_alone(run: Run) -> None:
    board = DatabaseBlackboard(run)
    manager.start(board, [SEED], NOON)
    manager.plan(board, NOON, BatchLimits(), random.Random(1))
    collect(board, PaperWeb(), "tester", lambda: NOON)
    FrontierEntry.objects.filter(url__url="http://hub.test/gone").update(crashes=1)

    manager.plan(board, NOON, BatchLimits(), random.Random(1))

    work = board.take("tester", NOON)
    assert work is not None
    assert [claim.url for claim in work.claims] == ["http://hub.test/gone"]


def run_of_another_crawl(run: Run) -> Run:
    """A run of a crawl that wants the same."""
    crawl = Crawl(key="other", first_seen=NOON)
    crawl.describe(run.crawl.profile, run.crawl.settings)
    crawl.save()
    return Run.objects.create(crawl=crawl, started=NOON, n_pages=50)


ROUTER, OTHER = "http://one.test/a", "http://one.test/b"


def board_with(run: Run, *urls: str) -> tuple[DatabaseBlackboard, dict[str, int]]:
    """A board whose frontier holds some URLs, and their numbers."""
    board = DatabaseBlackboard(run)
    manager.start(board, urls, NOON)
    entries = FrontierEntry.objects.filter(crawl=run.crawl)
    return board, dict(entries.values_list("url__url", "url_id"))


def test_i4_an_assignment_that_waited_past_its_hold_is_not_taken(run: Run) -> None:
    """Another process may hold its site by then: two collectors would contact it at once."""
    board, number = board_with(run, ROUTER, OTHER)
    board.assign([[number[ROUTER]]], NOON)
    later = NOON + HOLD + timedelta(seconds=1)
    board.assign([[number[OTHER]]], later)

    first, second = board.take("A", later), board.take("B", later)

    assert first is not None
    assert [claim.url for claim in first.claims] == [OTHER]
    assert second is None


def test_i4_a_collector_gets_no_url_of_a_site_that_its_assignment_lost(run: Run) -> None:
    board, number = board_with(run, ROUTER, "http://two.test/")
    board.assign([list(number.values())], NOON)
    Site.objects.filter(name="one.test").update(held_by="somebody else")

    work = board.take("A", NOON)

    assert work is not None
    assert [claim.url for claim in work.claims] == ["http://two.test/"]
    assert set(work.sites) == {"two.test"}
    board.close(work, {}, NOON)
    assert Site.objects.get(name="one.test").held_by == "somebody else"
    assert set(FrontierEntry.objects.values_list("state", flat=True)) == {State.NEW}
    assert list(invariants.frontier_breaches(NOON)) == []


def test_i4_a_site_that_another_plan_holds_is_not_assigned(run: Run) -> None:
    """Two crawls may choose a site at the same moment; the first to assign it has it."""
    board, number = board_with(run, ROUTER, "http://two.test/")
    assert board.assign([[number[ROUTER]]], NOON) == 1

    assert board.assign([[number[ROUTER]]], NOON) == 0

    second, its = board_with(run_of_another_crawl(run), OTHER, "http://two.test/")
    assert second.assign([[its[OTHER], its["http://two.test/"]]], NOON) == 1
    work = second.take("B", NOON)
    assert work is not None
    assert [claim.url for claim in work.claims] == ["http://two.test/"]


def test_i4_a_collector_that_overslept_leaves_the_next_holders_site_alone(run: Run) -> None:
    board, number = board_with(run, ROUTER, OTHER)
    board.assign([[number[ROUTER]]], NOON)
    slow = board.take("A", NOON)
    later = NOON + HOLD + timedelta(seconds=1)
    board.assign([[number[OTHER]]], later)
    next_one = board.take("B", later)
    assert slow is not None and next_one is not None

    board.close(slow, {}, later)

    site = Site.objects.get(name="one.test")
    assert (site.held_by, site.held_until) == (f"assignment {next_one.number}", later + HOLD)


def test_a_run_never_has_more_assignments_open_than_there_are_collectors(run: Run) -> None:
    urls = [f"http://s{number}.test/" for number in range(40)]
    board, _ = board_with(run, *urls)
    limits = BatchLimits(n_collectors=2, slice_pages=5)
    assert manager.plan(board, NOON, limits, random.Random(1)) == 2

    assert manager.plan(board, NOON, limits, random.Random(1)) == 0

    taken = board.take("A", NOON)
    assert manager.plan(board, NOON, limits, random.Random(1)) == 0
    assert taken is not None
    board.close(taken, {}, NOON)
    assert manager.plan(board, NOON, limits, random.Random(1)) == 1

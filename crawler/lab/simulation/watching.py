"""Watch one simulated web under one policy, and sum up what that showed."""

from dataclasses import dataclass
from datetime import datetime

from crawler.lab.simulation.making import Extent
from crawler.lab.simulation.measures import Discovery
from crawler.lab.simulation.monitor import Monitor, WatchPlan
from crawler.lab.simulation.outcome import Watching
from crawler.lab.simulation.policies import Key, TrueRate
from crawler.lab.simulation.revisiting import POLICIES
from crawler.lab.simulation.site import Kind
from crawler.lab.simulation.times import day_of
from crawler.lab.simulation.web import SimulatedWeb, make_web
from crawler.lab.simulation.words import TOPIC
from crawler.page.url import site_of

#: The oracle knows how many items come in so many days around a moment.
ORACLE_DAYS = 3.0


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What one watching of a web showed; counts, so that several can be added up.

    Attributes
    ----------
    discovery : Discovery
        Of the subject's articles, found and kept.
    n_wins, n_on_top, n_average_on_top, n_duels : int
        Better pages on new sites: ranked above, among the first ten in time; average pages
        among them; and duels in all.
    n_spam, n_places, n_early_spam : int
        Of the first ten places after every run, and of them those in the first days.
    n_spam_kept : int
        Pages of farms that the judge let through.
    n_unchanged, n_conditional : int
        Answers by 304, and looks again at pages that were still the same.
    n_traps, n_requests : int
    n_old_shown, n_old_met : int
        Planted old articles that say how old they are, or did at the first look: shown as
        news, and fetched when they came to light.
    n_moved_shown, n_moved_met : int
        The same of those that came back under a new address with a new date.
    n_moved_unknowable, n_moved_known_shown : int
        Of these, those fetched before anybody had fetched the original, and those shown as news
        although it had been fetched.
    n_sources : int
        Sources known at the end.
    """

    discovery: Discovery
    n_wins: int
    n_on_top: int
    n_average_on_top: int
    n_duels: int
    n_spam: int
    n_places: int
    n_early_spam: int
    n_spam_kept: int
    n_unchanged: int
    n_conditional: int
    n_traps: int
    n_requests: int
    n_old_shown: int
    n_old_met: int
    n_moved_shown: int
    n_moved_met: int
    n_moved_unknowable: int
    n_moved_known_shown: int
    n_sources: int


def watch_web(extent: Extent, plan: WatchPlan, policy_name: str, seed: int) -> Verdicts:
    """Make a web, watch it under a policy, and sum up."""
    web = make_web(seed, extent)
    policy = POLICIES[policy_name](true_rate(web), seed)
    watching = Watching(Monitor(web, seed, policy, plan))
    watching.monitor.watch(watching.after_run)
    return _sum_up(watching)


def true_rate(web: SimulatedWeb) -> TrueRate:
    """How many of the subject's articles a source's site publishes per day around a moment.

    Of a list by a hub: how many it takes up.
    """
    days: dict[str, list[float]] = {}
    for site in web.sites:
        if site.kind is Kind.HUB:
            listed = [(day, web.articles[number]) for day, number in web.picks.by_hub[site.number]]
        else:
            listed = [(day, web.articles[number]) for day, number in web.listed[site.number]]
        days[site.host] = [day for day, article in listed if article.subject == TOPIC]

    def rate(source: Key, now: datetime) -> float:
        here = day_of(now)
        there = days.get(site_of(str(source)), [])
        n_around = sum(abs(day - here) <= ORACLE_DAYS for day in there)
        return (n_around + 0.1) / (2 * ORACLE_DAYS)

    return rate


def _sum_up(watching: Watching) -> Verdicts:
    monitor = watching.monitor
    asked, web = monitor.source.asked, monitor.web
    met = watching.old_met()
    moved = frozenset(copy.number for copy, _ in web.planted.moved)
    unknowable = watching.moved_unknowable()
    kept = [posting for posting in monitor.board.harvests.values() if posting.kept]
    hosts = [web.by_host[posting.claim.site] for posting in kept]
    return Verdicts(
        discovery=watching.discovery(),
        n_wins=sum(watching.wins.values()),
        n_on_top=sum(watching.on_top.values()),
        n_average_on_top=sum(watching.average_on_top.values()),
        n_duels=len(watching.wins),
        n_spam=watching.n_spam,
        n_places=watching.n_places,
        n_early_spam=watching.n_early_spam,
        n_spam_kept=sum(site.kind is Kind.SPAM for site in hosts),
        n_unchanged=asked.n_unchanged,
        n_conditional=asked.n_conditional,
        n_traps=asked.n_traps,
        n_requests=asked.n_requests,
        n_old_shown=len((watching.shown_old & met) - moved),
        n_old_met=len(met - moved),
        n_moved_shown=len(watching.shown_old & met & moved),
        n_moved_met=len(met & moved),
        n_moved_unknowable=len(met & unknowable),
        n_moved_known_shown=len((watching.shown_old & met & moved) - unknowable),
        n_sources=len(monitor.policy.states()),
    )

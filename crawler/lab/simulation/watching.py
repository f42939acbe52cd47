"""Watch one simulated web, and sum up what that showed."""

from dataclasses import dataclass

from crawler.lab.simulation.making import Extent
from crawler.lab.simulation.measures import Discovery
from crawler.lab.simulation.monitor import Monitor, WatchPlan
from crawler.lab.simulation.outcome import Watching
from crawler.lab.simulation.web import make_web
from crawler.sources import registry


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
    n_old, n_old_wins, n_old_listed, n_old_listed_wins : int
        Pairs with an old average page of the most linked site, and those in which the better
        page has the higher score; the same of pairs in the list of news, by the list's order.
    n_spam, n_places, n_early_spam : int
        Of the first ten places after every run, and of them those in the first days.
    n_spam_kept : int
        Pages of farms that the judge let through.
    n_farm_sites, n_farm_sites_found, n_honest_sites, n_honest_sites_taken : int
        Sites of farms with a kept page, and those that were found to be farms; honest sites with
        a kept page, and those that were taken for farms after any run.
    n_unchanged, n_conditional : int
        Answers by 304, and further visits of pages that were still the same.
    n_old_shown, n_old_met : int
        Planted old articles that say how old they are, or did at the first look: shown as
        news, and fetched when they came to light.
    n_moved_shown, n_moved_met : int
        The same of those that came back under a new address with a new date.
    n_moved_unknowable, n_moved_known_shown : int
        Of these, those fetched before the original was, and those shown as news although the
        original was fetched before.
    n_sources : int
        Sources known at the end.
    """

    discovery: Discovery
    n_wins: int
    n_on_top: int
    n_average_on_top: int
    n_duels: int
    n_old: int
    n_old_wins: int
    n_old_listed: int
    n_old_listed_wins: int
    n_spam: int
    n_places: int
    n_early_spam: int
    n_spam_kept: int
    n_farm_sites: int
    n_farm_sites_found: int
    n_honest_sites: int
    n_honest_sites_taken: int
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


def watch_web(extent: Extent, plan: WatchPlan, seed: int) -> Verdicts:
    """Make a web, watch it with the product's code on empty tables, and sum up."""
    watching = Watching(Monitor(make_web(seed, extent), seed, plan))
    watching.monitor.watch(watching.after_run)
    return _sum_up(watching)


def _sum_up(watching: Watching) -> Verdicts:
    monitor = watching.monitor
    traffic, web = monitor.source.traffic, monitor.web
    met = watching.old_met()
    moved = frozenset(copy.number for copy, _ in web.planted.moved)
    unknowable = watching.moved_unknowable()
    n_farm_sites, n_farm_sites_found = watching.n_sites(spam=True)
    n_honest_sites, n_honest_sites_taken = watching.n_sites(spam=False)
    return Verdicts(
        discovery=watching.discovery(),
        n_wins=sum(watching.wins.values()),
        n_on_top=sum(watching.on_top.values()),
        n_average_on_top=sum(watching.average_on_top.values()),
        n_duels=len(watching.wins),
        n_old=watching.n_old,
        n_old_wins=watching.n_old_wins,
        n_old_listed=watching.n_old_listed,
        n_old_listed_wins=watching.n_old_listed_wins,
        n_spam=watching.n_spam,
        n_places=watching.n_places,
        n_early_spam=watching.n_early_spam,
        n_spam_kept=watching.n_spam_kept(),
        n_farm_sites=n_farm_sites,
        n_farm_sites_found=n_farm_sites_found,
        n_honest_sites=n_honest_sites,
        n_honest_sites_taken=n_honest_sites_taken,
        n_unchanged=traffic.n_unchanged,
        n_conditional=traffic.n_conditional,
        n_traps=traffic.n_traps,
        n_requests=traffic.n_requests,
        n_old_shown=len((watching.shown_old & met) - moved),
        n_old_met=len(met - moved),
        n_moved_shown=len(watching.shown_old & met & moved),
        n_moved_met=len(met & moved),
        n_moved_unknowable=len(met & unknowable),
        n_moved_known_shown=len((watching.shown_old & met & moved) - unknowable),
        n_sources=len(registry.load_sources(monitor.crawl)),
    )

"""The whole experiment: policies on sources alone, and the product on whole webs."""

import gc
import multiprocessing
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from typing import Final

from crawler.lab.simulation.making import Extent
from crawler.lab.simulation.measures import Discovery
from crawler.lab.simulation.monitor import WatchPlan
from crawler.lab.simulation.rates import Drift
from crawler.lab.simulation.revisiting import RevisitPlan, simulate_visits
from crawler.lab.simulation.tables import open_tables
from crawler.lab.simulation.watching import Verdicts, watch_web

#: The policy of the product.
OURS: Final = "ours"


@dataclass(frozen=True, slots=True)
class SimulationScope:
    """How much is simulated.

    Attributes
    ----------
    seed : int
        Of the first web; the others follow.
    n_seeds : int
        Webs, and sets of sources.
    """

    policies: tuple[str, ...]
    seed: int = 0
    n_seeds: int = 3
    extent: Extent = field(default_factory=Extent)
    revisit: RevisitPlan = field(default_factory=RevisitPlan)
    watch: WatchPlan = field(default_factory=WatchPlan)

    @property
    def seeds(self) -> range:
        """Seeds of everything random."""
        return range(self.seed, self.seed + self.n_seeds)


@dataclass(frozen=True, slots=True)
class SourcesJob:
    """One policy on sources alone."""

    policy: str
    seed: int
    drift: Drift


@dataclass(frozen=True, slots=True)
class WebJob:
    """The product on a whole web."""

    seed: int


@dataclass(slots=True)
class SimulationResults:
    """What came out, in the order of the seeds.

    Attributes
    ----------
    sources : dict of (Drift, str) to list of Discovery
        By kind of drift and policy.
    """

    sources: dict[tuple[Drift, str], list[Discovery]] = field(
        default_factory=lambda: defaultdict(list)
    )
    webs: list[Verdicts] = field(default_factory=list)


def jobs_of(scope: SimulationScope) -> list[SourcesJob | WebJob]:
    """Everything there is to do, the longest first.

    Whole webs run the product's own code, so under its own policy alone.
    """
    webs = scope.seeds if OURS in scope.policies else ()
    jobs: list[SourcesJob | WebJob] = [WebJob(seed) for seed in webs]
    for drift in Drift:
        jobs += [SourcesJob(name, seed, drift) for name in scope.policies for seed in scope.seeds]
    return jobs


def simulate(
    scope: SimulationScope, progress: Callable[[], object] = lambda: None, *, n_processes: int = 2
) -> SimulationResults:
    """Run every job, on several cores; nothing depends on how many."""
    jobs = jobs_of(scope)
    done = dict(_run_all(scope, jobs, progress, n_processes))
    results = SimulationResults()
    for job in jobs:
        found = done[job]
        if isinstance(job, SourcesJob) and isinstance(found, Discovery):
            results.sources[job.drift, job.policy].append(found)
        elif isinstance(found, Verdicts):
            results.webs.append(found)
    return results


Outcome = Discovery | Verdicts


def _run_all(
    scope: SimulationScope,
    jobs: Sequence[SourcesJob | WebJob],
    progress: Callable[[], object],
    n_processes: int,
) -> Iterator[tuple[SourcesJob | WebJob, Outcome]]:
    # Always in processes of their own: a web's tables take the place of the installation's.
    gc.collect()
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(n_processes, mp_context=context) as processes:
        running: dict[Future[Outcome], SourcesJob | WebJob] = {
            processes.submit(run_job, scope, job): job for job in jobs
        }
        for future in as_completed(running):
            yield running[future], future.result()
            progress()


def run_job(scope: SimulationScope, job: SourcesJob | WebJob) -> Outcome:
    """Run one job, in a process that does nothing else."""
    if isinstance(job, SourcesJob):
        return simulate_visits(replace(scope.revisit, drift=job.drift), job.policy, job.seed)
    open_tables()
    return watch_web(scope.extent, scope.watch, job.seed)


def chosen_policies(names: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Policies by name, each once, in the order they are known.

    Raises
    ------
    ValueError
        If the policy does not exist, or none is named.
    """
    wanted, there = set(names), list(known)
    if strangers := wanted - set(there):
        raise ValueError(f"no policy {min(strangers)!r}; there are {', '.join(there)}")
    if not wanted:
        raise ValueError(f"name at least one of {', '.join(there)}")
    return tuple(name for name in there if name in wanted)

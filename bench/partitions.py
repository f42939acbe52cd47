"""Simulate a frontier that is split by site over many machines: python bench/partitions.py

Sites have very different sizes, as on the web. Three rules say on which machine a site is: the
remainder of its hash; the highest hash of site and machine (rendezvous hashing); the same, but a
machine that is full is passed over (bounded loads). There are two loads: requests that a site
allows in an hour, as politeness limits it to one in DELAY_S seconds; and rows that are ready, no
more of a site than a day of such requests. Its other URLs wait in an archive.

Then a crawl of sites placed by the third rule is run by the clock of the simulation. A machine
joins after a third of the time, and one dies after two thirds. A site moves with the time of its
next request. What a dead machine did last is not known, so its sites rest until its lease ends. The
web's own log says whether any site was requested sooner than DELAY_S after its last answer.

    python bench/partitions.py [--sites 200000] [--machines 16] [--seed 0] [--minutes 30] [--json F]
"""

import argparse
import heapq
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

#: Between the answer of a site and the next request to it, in seconds.
DELAY_S = 1.0
#: After so long the sites of a dead machine are given to others, in seconds.
LEASE_S = 100.0
DAY_S = 24 * 3600.0
#: The web site of rank r has so many URLs as the first one / r ** SKEW.
SKEW = 0.9
N_URLS_A_SITE = 50
#: No machine gets more than so many times the mean of either load.
BOUND = 1.1
#: Requests that a machine has under way, and how long one lasts: log-normal, median and spread.
N_REQUESTS, ANSWER_S, ANSWER_SPREAD = 64, 0.3, 0.8

Sizes = NDArray[np.int64]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Placing:
    """How even a rule is: loads of the fullest machine, divided by the mean.

    Attributes
    ----------
    rows, requests : float
        >= 1, by URLs that are ready, and by requests possible in an hour.
    moved : float
        Share of the ready URLs that move when a machine is added.
    named : int
        Sites that are not where their hash says, so a table must name their machine.
    """

    rows: float
    requests: float
    moved: float
    named: int


@dataclass(frozen=True, slots=True)
class Crawl:
    """What a simulated crawl did.

    Attributes
    ----------
    n_requests, n_moved : int
        Requests in all; sites that came to another machine.
    n_early : int
        Requests sooner than DELAY_S after the site's last answer, or while one was under way.
    busiest : float
        Requests of the busiest of the machines that ran to the end, divided by their mean.
    """

    n_requests: int
    n_moved: int
    n_early: int
    busiest: float


def site_sizes(n_sites: int, rng: np.random.Generator) -> Sizes:
    """URLs of each site, in random order."""
    ranks = np.arange(1, n_sites + 1, dtype=np.float64) ** -SKEW
    sizes: Sizes = np.maximum(1, ranks / ranks.sum() * n_sites * N_URLS_A_SITE).astype(np.int64)
    rng.shuffle(sizes)
    return sizes


def hashed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hashes of 64-bit numbers, the same on every machine (the last step of SplitMix64)."""
    first = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    second = (first ^ (first >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return second ^ (second >> np.uint64(31))


def preferences(n_sites: int, n_machines: int) -> Places:
    """The machines in the order in which each site prefers them, shape (n_sites, n_machines)."""
    sites = hashed(np.arange(1, n_sites + 1, dtype=np.uint64))[:, None]
    machines = hashed(np.arange(1, n_machines + 1, dtype=np.uint64) << np.uint64(32))[None, :]
    order: Places = np.argsort(hashed(sites ^ machines), axis=1)[:, ::-1]
    return order


def by_remainder(sizes: Sizes, n_machines: int) -> Places:
    """The machine of each site by the remainder of its hash."""
    hashes = hashed(np.arange(1, len(sizes) + 1, dtype=np.uint64))
    places: Places = (hashes % np.uint64(n_machines)).astype(np.int64)
    return places


def by_preference(sizes: Sizes, n_machines: int) -> Places:
    """The machine of each site by rendezvous hashing."""
    return preferences(len(sizes), n_machines)[:, 0]


def by_bounded_preference(sizes: Sizes, n_machines: int) -> Places:
    """As `by_preference`, the largest sites first, but no machine gets more than `BOUND`.

    A site that fits nowhere goes where its rows leave most room.
    """
    wanted = preferences(len(sizes), n_machines)
    loads = np.array([requests_of(sizes, DAY_S), requests_of(sizes)])
    room = np.repeat(BOUND * loads.sum(axis=1)[:, None] / n_machines, n_machines, axis=1)
    places = np.empty(len(sizes), np.int64)
    for site in np.argsort(-sizes, kind="stable").tolist():
        load = loads[:, site]
        fitting = (one for one in wanted[site].tolist() if (room[:, one] >= load).all())
        places[site] = machine = next(fitting, int(room[0].argmax()))
        room[:, machine] -= load
    return places


def without(places: Places, sizes: Sizes, dead: int) -> Places:
    """Places without one machine: each of its sites goes where there is most room."""
    left, rows = places.copy(), requests_of(sizes, DAY_S)
    loads = np.bincount(places, rows)
    loads[dead] = np.inf
    for site in sorted(np.flatnonzero(places == dead).tolist(), key=lambda one: -rows[one]):
        left[site] = machine = int(loads.argmin())
        loads[machine] += rows[site]
    return left


def requests_of(sizes: Sizes, seconds: float = 3600) -> NDArray[np.float64]:
    """Requests to each site that politeness allows in some time."""
    return np.minimum(sizes, seconds / (DELAY_S + ANSWER_S))


def evenness(places: Places, loads: NDArray[np.float64], n_machines: int) -> float:
    """The load of the fullest machine, divided by the mean load."""
    each = np.bincount(places, loads, n_machines)
    return float(each.max() / each.mean())


def compare(sizes: Sizes, n_machines: int) -> dict[str, Placing]:
    """Each rule, with one machine more and without."""
    rules = {
        "remainder": by_remainder,
        "preference": by_preference,
        "bounded preference": by_bounded_preference,
    }
    rows = requests_of(sizes, DAY_S)
    first = by_preference(sizes, n_machines)
    found = {}
    for name, rule in rules.items():
        places, after = rule(sizes, n_machines), rule(sizes, n_machines + 1)
        found[name] = Placing(
            rows=evenness(places, rows, n_machines),
            requests=evenness(places, requests_of(sizes), n_machines),
            moved=float(rows[places != after].sum() / rows.sum()),
            named=int((places != first).sum()) if rule is by_bounded_preference else 0,
        )
    return found


class Machines:
    """A crawl by several machines, each with the sites placed on it."""

    def __init__(
        self, sizes: Sizes, n_machines: int, rng: np.random.Generator, lease_s: float
    ) -> None:
        self.sizes, self.rng, self.lease_s = sizes.copy(), rng, lease_s
        self.n_requests = np.zeros(n_machines + 1, dtype=np.int64)
        #: When each site answered last, or will answer the request that is under way.
        self.answered = np.full(len(sizes), -DELAY_S)
        self.n_early = self.n_moved = 0
        self.dead: set[int] = set()
        #: Sites by when they may be requested again, of each machine.
        self.waiting: list[list[tuple[float, int]]] = []
        self.places = by_bounded_preference(sizes, n_machines)
        self.place(self.places, 0.0)

    def place(self, places: Places, now: float, *, dead: int = -1) -> None:
        """Give each site to a machine; those of a dead one rest until its lease ends."""
        self.n_moved += int((self.places != places).sum())
        queues: list[list[tuple[float, int]]] = [[] for _ in self.n_requests]
        for site in np.flatnonzero(self.sizes).tolist():
            if self.places[site] == dead:
                due = now + self.lease_s
            else:
                due = max(now, float(self.answered[site]) + DELAY_S)
            queues[places[site]].append((due, site))
        for queue in queues:
            heapq.heapify(queue)
        self.places, self.waiting = places, queues

    def request(self, machine: int, site: int, now: float) -> float:
        """Make a request; return when its answer is there."""
        self.n_early += now < self.answered[site] + DELAY_S - 1e-9
        self.n_requests[machine] += 1
        self.sizes[site] -= 1
        self.answered[site] = now + self.rng.lognormal(np.log(ANSWER_S), ANSWER_SPREAD)
        return float(self.answered[site])


def crawl(
    sizes: Sizes,
    n_machines: int,
    seconds: float,
    rng: np.random.Generator,
    *,
    lease_s: float = LEASE_S,
) -> Crawl:
    """Run the crawl: a machine joins after a third of the time, one dies after two thirds."""
    machines = Machines(sizes, n_machines, rng, lease_s)
    changes = [(seconds / 3, "join"), (2 * seconds / 3, "die")]
    #: Machines by when they can do something next.
    turns = [(0.0, machine) for machine in range(n_machines)]
    heapq.heapify(turns)
    under_way: list[list[float]] = [[] for _ in range(n_machines + 1)]
    while turns:
        now, machine = heapq.heappop(turns)
        if changes and now >= changes[0][0]:
            _, change = changes.pop(0)
            if change == "join":
                machines.place(by_bounded_preference(sizes, n_machines + 1), now)
                heapq.heappush(turns, (now, n_machines))
            else:
                machines.dead.add(0)
                machines.place(without(machines.places, sizes, 0), now, dead=0)
        if now >= seconds or machine in machines.dead:
            continue
        answers, queue = under_way[machine], machines.waiting[machine]
        while answers and answers[0] <= now:
            heapq.heappop(answers)
        while queue and queue[0][0] <= now and len(answers) < N_REQUESTS:
            _, site = heapq.heappop(queue)
            end = machines.request(machine, site, now)
            heapq.heappush(answers, end)
            if machines.sizes[site]:
                heapq.heappush(queue, (end + DELAY_S, site))
        # A full machine waits for an answer, another one for a site.
        if len(answers) >= N_REQUESTS:
            then = answers[0]
        else:
            then = max(now, queue[0][0]) if queue else now + 1.0
        heapq.heappush(turns, (then, machine))
    lasting = machines.n_requests[1:n_machines]
    return Crawl(
        int(machines.n_requests.sum()),
        machines.n_moved,
        int(machines.n_early),
        float(lasting.max() / lasting.mean()),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the rules, run the crawl; exit with 1 if a request came too early."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sites", type=int, default=200_000)
    parser.add_argument("--machines", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    rng = np.random.default_rng(options.seed)
    sizes = site_sizes(options.sites, rng)
    print(f"{options.sites} sites, {sizes.sum()} URLs; the largest has {sizes.max()}", flush=True)
    placings = compare(sizes, options.machines)
    for name, placing in placings.items():
        print(
            f"{name:28} rows {placing.rows:.3f}  requests {placing.requests:.3f}  "
            f"moved {placing.moved:.1%}  named {placing.named}"
        )
    done = crawl(sizes, options.machines, options.minutes * 60, rng)
    print(
        f"{done.n_requests} requests, {done.n_moved} sites moved, {done.n_early} requests too "
        f"early, busiest machine {done.busiest:.3f} of the mean"
    )
    if options.json:
        data = {"placings": {name: asdict(one) for name, one in placings.items()}}
        options.json.write_text(json.dumps(data | {"crawl": asdict(done)}, indent=1))
    return 1 if done.n_early else 0


if __name__ == "__main__":
    sys.exit(main())

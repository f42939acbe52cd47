"""What the rules of robots.txt take in a worker's memory.

    MALLOC_ARENA_MAX=2 python bench/robots_memory.py [N_FILES]

reads N_FILES (default 10,000) different robots.txt of 500 KiB each as a worker does, in 16
threads, asks each for two paths, and prints what the process grew by at most and what one file
costs. The files are of six kinds: short rules, rules with wildcards, long rules, Chinese paths,
bytes that are no UTF-8, and sitemaps. A second line says the same of a worker that holds the
rules of 100 such sites at once, as it does with an assignment of 100 sites. The variable is what
`manage.py up` starts its parts with.
"""

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

sys.path.insert(0, str(Path(__file__).parents[1]))

from crawler.fetch.robots import MAX_ROBOTS_BYTES, RobotsRules, parse_robots

N_THREADS = 16
N_OPEN = 100
MIB = 1 << 20
KINDS = (
    b"Disallow:/%d\n",
    b"Disallow: /*%d*a\n",
    b"Disallow: /%d" + b"x" * 1000 + b"\n",
    "Disallow: /%d电网\n".encode(),
    b"Disallow: /%d" + b"\xff" * 100 + b"\n",
    b"Sitemap: http://[?sig%d" + b"?sig" * 2000 + b"\n",
)
# What writing a file takes is not the worker's.
_writing = Lock()


def body(number: int) -> bytes:
    """A robots.txt of 500 KiB that no other number has."""
    kind = KINDS[number % len(KINDS)]
    n_lines = MAX_ROBOTS_BYTES // (len(kind) + 2)
    first = 100_000 + number * 37
    lines = b"".join(kind % line for line in range(first, first + n_lines))
    return (b"User-agent: *\n" + lines)[:MAX_ROBOTS_BYTES]


def read(number: int) -> RobotsRules:
    """Read a file, and ask it for two paths."""
    with _writing:
        file = body(number)
    rules = parse_robots(file, base=f"http://{number}.test/robots.txt")
    for path in ("/", f"/{100_000 + number * 37}"):
        rules.allows(f"http://{number}.test{path}")
    return rules


def peak_mib() -> float:
    """The most this process has taken since `forget_peak`."""
    rows = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("VmHWM:")) / 1024


def forget_peak() -> None:
    """Let the kernel measure from now on."""
    Path("/proc/self/clear_refs").write_text("5", "ascii")


def read_all(n_files: int, n_open: int) -> tuple[float, float, int]:
    """Read files of which at most `n_open` are held; MiB grown by, CPU seconds, bytes stored."""
    forget_peak()
    before, started, n_stored = peak_mib(), time.process_time(), 0
    with ThreadPoolExecutor(N_THREADS) as threads:
        for start in range(0, n_files, n_open):
            held = list(threads.map(read, range(start, min(start + n_open, n_files))))
            n_stored = max(n_stored, max(len(rules.text.encode()) for rules in held))
            del held
    return peak_mib() - before, time.process_time() - started, n_stored


def main() -> None:
    """Print both measurements."""
    n_files = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    read(0)
    for n_open, n in ((N_THREADS, n_files), (N_OPEN, min(n_files, 10 * N_OPEN))):
        grown, cpu_s, n_stored = read_all(n, n_open)
        sys.stdout.write(
            f"{n} files, {n_open} held at once: +{grown:.1f} MiB at most,"
            f" {1000 * cpu_s / n:.0f} ms of processor time and at most {n_stored} bytes each\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()

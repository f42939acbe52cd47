"""A PostgreSQL server for the hosts: `python -m tests.hosts.server ADDRESS NETWORK`.

It prints its URL and folder, then does what each line of its input says: stop or start.
"""

import sys

from tools.postgres import running_server


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(address: str, network: str) -> None:
    """Serve until the input ends."""
    with running_server(address, network) as server:
        _say(f"{server.url} {server.folder}")
        for line in sys.stdin:
            {"stop": server.stop, "start": server.start}[line.strip()]()
            _say("done")


if __name__ == "__main__":
    main(*sys.argv[1:])

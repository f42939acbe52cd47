"""Store a small database with data for the test of upgrades.

At the commit whose database is stored, with this file copied to it:
`python -m tests.topics.migrations.store_database stored.sql.gz`. The stored one is of commit
8c8487c.
"""

import gzip
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from tests.crashes.installation import SLUG, Installation
from tests.crashes.site import Web

ONTOLOGY = "fixtures/ontologies/computing.ttl"


def main(out: Path, folder: Path) -> None:
    """Crawl six pages, add one with an alert rule with a channel and an ontology, and dump the tables."""
    with (
        Web(6, 2, folder / "server.log") as web,
        Installation(folder / "data", web) as installation,
    ):
        jobs = (("crawl", SLUG), ("rule", "reader@example.org"), ("import", ONTOLOGY))
        for job in jobs:
            assert installation.work(*job) == 0, installation.log()
        with closing(sqlite3.connect(installation.folder / "focusweb.sqlite3")) as base:
            text = "\n".join(base.iterdump()) + "\n"
    out.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(sys.argv[1]), Path(scratch))

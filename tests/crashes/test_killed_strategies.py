"""An order with a long memory loses nothing when the process dies between two of its layers.

The other tests here kill crawls in the order `focus`.
"""

import json
from pathlib import Path

from tests.crashes.installation import SLUG, Installation
from tests.crashes.site import Web

N_PAGES = 24


ORDER = "viterbi"


def test_an_order_that_was_killed_fetches_every_page(tmp_path: Path) -> None:
    with (
        Web(N_PAGES, 4, tmp_path / "server.log") as web,
        Installation(tmp_path / "data", web) as installation,
    ):
        topic = json.loads(installation.manage("topic_export", SLUG))
        topic["settings"]["strategy"] = ORDER
        (tmp_path / "topic.json").write_text(json.dumps(topic), "utf-8")
        installation.manage("topic_import", str(tmp_path / "topic.json"))

        for point in ("page.committed:1", "claim.after:2"):
            code = installation.work("crawl", SLUG, kill_at=point)
            assert code == -9, installation.log()
        assert installation.work("crawl", SLUG) == 0, installation.log()

        assert installation.check() == ""
        assert installation.pages() == {web.url(number) for number in range(N_PAGES)}
        memory = "SELECT payload FROM crawler_knowledge WHERE name = 'strategy'"
        [(payload,)] = installation.rows(memory)
        assert isinstance(payload, bytes)
        assert payload.startswith(ORDER.encode() + b"\0")

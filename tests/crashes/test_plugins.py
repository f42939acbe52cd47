"""A plugin whose every part raises stops no crawl, nor does one that is gone."""

import json
from pathlib import Path

from tests.crashes.installation import SLUG, Installation
from tests.crashes.site import Web

N_PAGES = 10
PLUGIN = """
from focusweb.hookspecs import hookimpl


class Bad:
    topic_terms = frozenset()

    def __init__(self, name):
        self.name = name

    def build(self, profile, settings, library):
        return self

    def fail(self, *values, **named):
        raise RuntimeError("out of luck")

    judge = score = find = fail


class Order(Bad):
    name = "order"
    start = rate_seed = rate_links = integrate = choose = Bad.fail

    def __init__(self):
        pass


@hookimpl
def judges():
    return [Bad("judge")]


@hookimpl
def strategies():
    return [Order]


@hookimpl
def rankers():
    return [Bad("ranking")]


@hookimpl
def sources():
    return [Bad("source")]


@hookimpl
def pages_posted(run_id):
    raise RuntimeError("deaf")
"""


def problems(installation: Installation) -> list[tuple[str, str, str]]:
    """What the last run says of plugins."""
    rows = installation.rows(
        "SELECT CAST(problems AS TEXT) FROM crawler_run ORDER BY id DESC LIMIT 1"
    )
    found = json.loads(str(rows[0][0]))
    return sorted((row["trouble"], row["about"], row["detail"]) for row in found)


def test_a_crawl_goes_on_whatever_a_plugin_does(tmp_path: Path) -> None:
    with Web(N_PAGES, 2, tmp_path / "server.log") as web:
        installation = Installation(tmp_path / "data", web, FOCUSWEB_LOAD_PLUGINS="bad")
        (tmp_path / "data/plugins").mkdir()
        (tmp_path / "data/plugins/bad.py").write_text(PLUGIN)
        installation.change(
            "UPDATE topics_topic SET judge = 'judge', strategy = 'order', ranker = 'ranking'"
        )

        installation.manage("crawl", SLUG, "--pages", "4")

        assert len(installation.pages()) == 4
        found_problems = problems(installation)
        failed = [
            one for one in found_problems if one[0] != "part_missing"
        ]  # missing, once it is paused
        assert [(trouble, about) for trouble, about, _ in failed] == [
            ("part_failed", "judge"),
            ("part_failed", "order"),
            ("part_failed", "ranking"),
            ("source_failed", "source"),
        ]
        assert all("RuntimeError: out of luck" in detail for *_, detail in failed)
        stored = json.loads((tmp_path / "data/plugins/states.json").read_text())
        assert stored["bad"]["paused"] is True

        installation.environment["FOCUSWEB_SAFE_MODE"] = "1"
        installation.manage("crawl", SLUG)

        assert installation.pages() == {web.url(number) for number in range(N_PAGES)}
        found_problems = problems(installation)
        assert [(trouble, about) for trouble, about, _ in found_problems] == [
            ("part_missing", "judge"),
            ("part_missing", "order"),
            ("part_missing", "ranking"),
        ]
        assert found_problems[0][2].startswith("no judges named 'judge'; there are: adaptive, ")

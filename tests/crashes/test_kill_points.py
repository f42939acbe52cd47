"""The process dies at each named place, once; afterwards everything is as if it had not."""

import time

import pytest

from focusweb.failpoints import POINTS
from tests.crashes.installation import DELAY_S, ROOT, SLUG, Installation, assert_whole
from tests.crashes.site import Web, breaches

ONTOLOGY = str(ROOT / "fixtures" / "ontologies" / "computing.ttl")
ELSEWHERE = (
    "sched.",
    "import.",
    "rebuild.",
    "digest.",
    "alert.",
    "event.",
    "bundle.",
    "delivery.",
    "backup.",
    "restore.",
)
IN_TRANSACTION = "page.inserted"
CRAWLING = [point for point in POINTS if not point.startswith(ELSEWHERE)]


@pytest.mark.parametrize("point", CRAWLING)
def test_a_death_in_a_crawl_loses_nothing(installation: Installation, web: Web, point: str) -> None:
    nth = 3 if point.startswith(("fetch.", "parse.")) else 1

    assert installation.work("crawl", SLUG, kill_at=f"{point}:{nth}") == -9, installation.log()

    assert_whole(installation, web)


def test_a_site_whose_robots_file_kills_is_left_for_good(
    installation: Installation, web: Web
) -> None:
    """F18: one death in whatever company, then two alone, though no page was requested."""
    ends = [installation.work("crawl", SLUG, kill_at="robots.done:1") for _ in range(4)]

    assert ends == [-9, -9, -9, 0], installation.log()
    assert installation.rows("SELECT state, trials, detail FROM crawler_frontierentry") == [
        ("quarantined", 2, "3 collectors died over it, 2 of them alone")
    ]
    assert installation.check() == ""


@pytest.mark.parametrize("point", CRAWLING)
@pytest.mark.torture
def test_a_full_disk_at_a_place_loses_nothing(
    installation: Installation, web: Web, point: str
) -> None:
    code = installation.work("crawl", SLUG, kill_at=f"{point}:1:enospc")

    assert code in (0, 1)
    assert "on purpose" in installation.log() or code == 0
    assert_whole(installation, web)


@pytest.mark.torture
@pytest.mark.parametrize("point", CRAWLING)
def test_a_sleep_past_the_lease_does_nothing_twice(
    installation: Installation, web: Web, point: str
) -> None:
    """Another process takes over meanwhile; what the sleeper still has in hand is left."""
    with Installation(installation.folder, web) as other:
        installation.start("crawl", SLUG, kill_at=f"{point}:1:sleep")
        while not installation.rows("SELECT id FROM crawler_run"):
            time.sleep(0.05)
        code = other.work("crawl", SLUG)
        if point == IN_TRANSACTION:
            # It holds the tables' lock: others wait for 20 s, then end and say so.
            assert code == 0 or "database is locked" in installation.log()
        else:
            assert code == 0, installation.log()
        assert installation.end() == 0, installation.log()

    assert_whole(installation, web)
    # Its own fetch, and that of whoever took over.
    assert installation.rows("SELECT url_id FROM crawler_page WHERE n_fetches > 2") == []
    assert breaches(web.log, DELAY_S) == []


OTHER_JOBS = [
    *((point, ("tick",)) for point in POINTS if point.startswith("sched.")),
    *((point, ("import", ONTOLOGY)) for point in POINTS if point.startswith("import.")),
    *((point, ("reindex",)) for point in POINTS if point.startswith("rebuild.")),
]


@pytest.mark.torture
@pytest.mark.parametrize(("point", "job"), OTHER_JOBS)
def test_a_full_disk_in_other_work_is_a_clear_end_and_the_next_try_is_whole(
    installation: Installation, web: Web, point: str, job: tuple[str, ...]
) -> None:
    assert installation.work("crawl", SLUG) == 0, installation.log()

    assert installation.work(*job, kill_at=f"{point}:1:enospc") == 1

    assert "no space left on device (on purpose" in installation.log()
    assert installation.work(*job) == 0, installation.log()
    assert_whole(installation, web)


@pytest.mark.parametrize("point", [point for point in POINTS if point.startswith("sched.")])
def test_a_death_in_the_scheduler_begins_one_run(
    installation: Installation, web: Web, point: str
) -> None:
    assert installation.work("tick", kill_at=f"{point}:1") == -9, installation.log()

    assert installation.work("tick") == 0, installation.log()

    assert installation.rows("SELECT count(*) FROM crawler_run") == [(1,)]
    assert_whole(installation, web)


@pytest.mark.parametrize("point", [point for point in POINTS if point.startswith("import.")])
def test_r6_a_death_in_an_import_leaves_all_or_nothing(
    installation: Installation, point: str
) -> None:
    assert installation.work("import", ONTOLOGY, kill_at=f"{point}:1") == -9, installation.log()
    n_concepts = installation.rows("SELECT count(*) FROM crawler_concept")[0][0]

    assert installation.work("import", ONTOLOGY) == 0, installation.log()

    n_whole = installation.rows("SELECT count(*) FROM crawler_concept")[0][0]
    assert n_concepts in (0, n_whole)
    assert n_whole != 0
    assert installation.work("import", ONTOLOGY) == 0
    assert "changed 0 rows" in installation.log()


@pytest.mark.parametrize("point", [point for point in POINTS if point.startswith("rebuild.")])
def test_a_death_while_the_index_is_built_leaves_one_that_answers(
    installation: Installation, web: Web, point: str
) -> None:
    assert installation.work("crawl", SLUG) == 0, installation.log()

    assert installation.work("reindex", kill_at=f"{point}:1") == -9, installation.log()

    assert installation.check() == "", "the old index or the new one is in place"
    assert installation.work("reindex") == 0, installation.log()
    assert_whole(installation, web)
    builds = list((installation.folder / "index").glob("g-*"))
    assert len(builds) == 1

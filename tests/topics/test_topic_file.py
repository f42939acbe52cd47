"""A topic goes into a file and comes back unchanged; a bad file is refused in one line."""

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from crawler.models import Run
from tests.topics.factories import person
from topics.models import Topic

FULL: dict[str, Any] = {
    "format": "focusweb-topic",
    "version": 1,
    "name": "电网 Power grid",
    "slug": "电网",
    "languages": ["zh", "en"],
    "searches": ["arxiv", "https://forum.test/search.json?q={searchTerms}"],
    "queries": ["特高压 输电", "smart grid"],
    "seeds": ["https://dianwang.test/", "https://grid.test/a"],
    "terms": [
        {"text": "储能", "weight": 2.0, "required": False, "excluded": False},
        {"text": "game", "weight": 1.0, "required": False, "excluded": True},
    ],
    "schedule": {"kind": "weekly", "days": ["mon", "thu"], "at": "08:00", "zone": "Asia/Shanghai"},
    "settings": {
        "strategy": "best_first",
        "strategy_parameters": {},
        "judge": "cosine",
        "judge_parameters": {},
        "plugin_settings": {},
        "n_pages": 300,
        "max_depth_hops": 4,
        "link_weight": 0.6,
        "content_weight": 0.4,
        "threshold": 0.3,
        "fresh_days": 14,
        "alert_score": 0.8,
        "breadth": "wide",
        "ranker": "paper",
        "link_value": "recent",
        "link_scale": 3.5,
        "half_life_days": 0,
    },
    "sites": [
        {"site": "grid.test", "rule": "raise"},
        {"site": "spam.test:8080", "rule": "block"},
        {"site": "xn--fiq228c.test", "rule": "pin"},
    ],
    "active": False,
}


@pytest.fixture
def root(db: None) -> User:
    return person("root", is_superuser=True)


def write(folder: Path, document: object) -> Path:
    file = folder / "topic.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document))
    return file


def load(folder: Path, document: object, **options: Any) -> str:
    out = StringIO()
    call_command("topic_import", str(write(folder, document)), stdout=out, **options)
    return out.getvalue()


def exported(slug: str) -> Any:
    out = StringIO()
    call_command("topic_export", slug, stdout=out)
    return json.loads(out.getvalue())


SCHEDULES = [
    {"kind": "hours", "every": 6},
    {"kind": "hours", "every": 6, "zone": "Asia/Shanghai"},
    {"kind": "daily", "at": "23:59", "zone": "Europe/Berlin"},
    {"kind": "weekly", "days": ["sun"], "at": "00:00", "zone": "UTC"},
]


@pytest.mark.parametrize("plan", [FULL["schedule"], *SCHEDULES])
def test_a_topic_survives_the_round_trip(tmp_path: Path, root: User, plan: dict[str, Any]) -> None:
    document = FULL | {"schedule": plan}
    assert "电网 of root imported" in load(tmp_path, document)
    assert exported("电网") == document


def test_what_is_left_out_takes_its_default(tmp_path: Path, root: User) -> None:
    short = {key: FULL[key] for key in ("format", "version", "name", "slug", "seeds")}
    load(tmp_path, short)
    data = exported("电网")
    assert data["settings"]["n_pages"] == 200
    assert data["schedule"] == {"kind": "hours", "every": 24}
    assert data["active"] is True


def test_importing_again_brings_the_topic_up_to_date(tmp_path: Path, root: User) -> None:
    load(tmp_path, FULL)
    before = Topic.objects.get().pk
    changed = FULL | {"name": "Grid", "terms": FULL["terms"][:1]}
    assert "brought up to date" in load(tmp_path, changed)
    assert exported("电网") == changed
    assert Topic.objects.get().pk == before


@pytest.mark.parametrize("plan", [FULL["schedule"], *SCHEDULES])
def test_another_schedule_plans_the_next_run_anew(
    tmp_path: Path, root: User, plan: dict[str, Any]
) -> None:
    load(tmp_path, FULL)
    planned = timezone.now() + timedelta(days=30)
    Topic.objects.update(next_run=planned)
    load(tmp_path, FULL | {"schedule": plan})
    next_run = Topic.objects.get().next_run
    assert next_run is not None
    assert (next_run < planned) is (plan != FULL["schedule"])


def test_the_crawler_is_reported_of_the_topic(tmp_path: Path, root: User) -> None:
    load(tmp_path, FULL)
    crawl = Topic.objects.get().crawl
    assert crawl is not None
    assert crawl.profile.seeds == ("https://dianwang.test/", "https://grid.test/a")
    assert crawl.settings.n_pages == 300
    assert crawl.settings.blocked_sites == {"spam.test:8080"}


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path, root: User) -> None:
    assert "imported" in load(tmp_path, "\ufeff" + json.dumps(FULL))
    assert exported("电网") == FULL


def with_(path: str, value: object) -> dict[str, Any]:
    """The full document with one value replaced."""
    document: dict[str, Any] = json.loads(json.dumps(FULL))
    *way, last = path.split(".")
    place: Any = document
    for step in way:
        place = place[int(step)] if step.isdecimal() else place[step]
    place[last] = value
    return document


BAD = [
    ("{", "truncated"),
    ("[]", "Expected `object`"),
    (with_("format", "opml"), "format"),
    (with_("version", 2), "version"),
    (with_("colour", "red"), "unknown field `colour`"),
    (with_("name", 5), "`name`"),
    (with_("seeds", "https://a.test/"), "`seeds`"),
    (with_("seeds", ["ftp://a.test/"]), "seeds: Line 1: not an http or https URL"),
    (with_("slug", "a b"), "slug: "),
    (with_("terms.0.weight", "2"), "`terms[0].weight`"),
    (with_("terms.0.weight", 99), "terms[0].weight: "),
    (with_("terms.1.required", True), "terms[1].excluded: A term cannot be both"),
    (with_("terms.1.text", "储能"), "terms[1].text: '储能' is listed twice"),
    (with_("schedule.kind", "yearly"), "`schedule.kind`"),
    (with_("schedule.at", "25:00"), "schedule.at: '25:00' is not a time of day"),
    (with_("schedule.at", "08:00Z"), "schedule.at: '08:00Z' is not a time of day"),
    (with_("schedule.days", ["thx"]), "schedule.days: “thx” is not a day"),
    (with_("schedule.days", []), "schedule.days: Weekly runs need at least one day"),
    (with_("schedule.zone", "Mars"), "schedule.zone: “Mars” is not a time zone"),
    (with_("settings.n_page", 5), "unknown field `n_page`"),
    (with_("settings.n_pages", 5.5), "`settings.n_pages`"),
    (with_("settings.threshold", float("nan")), "malformed"),
    (with_("settings.link_weight", 0.9), "settings.content_weight: The weights"),
    (with_("settings.strategy", "teleport"), "settings.strategy: “teleport”"),
    (FULL | {"sites": [{"site": "a b", "rule": "pin"}]}, "sites[0].site: 'a b' is not a host"),
    (FULL | {"sites": [{"site": "a.test/x", "rule": "pin"}]}, "sites[0].site"),
    (FULL | {"sites": [{"site": "a.test", "rule": "love"}]}, "sites[0].rule"),
    (
        FULL | {"sites": FULL["sites"][:1] * 2},
        "sites[1].site: 'grid.test' is listed twice",
    ),
    (FULL | {"settings": {"breadth": "vast"}}, "settings.breadth"),
    (FULL | {"settings": {"link_value": "old"}}, "settings.link_value"),
]


@pytest.mark.parametrize(("document", "said"), BAD)
def test_a_bad_file_is_refused_in_one_line_and_changes_nothing(
    tmp_path: Path, root: User, document: object, said: str
) -> None:
    load(tmp_path, FULL)
    with pytest.raises(CommandError) as caught:
        load(tmp_path, document)
    message = str(caught.value)
    assert said in message
    assert message.startswith(str(tmp_path / "topic.json"))
    assert "\n" not in message
    assert exported("电网") == FULL


def test_a_missing_file_is_named(tmp_path: Path, root: User) -> None:
    with pytest.raises(CommandError, match=r"none\.json: No such file"):
        call_command("topic_import", str(tmp_path / "none.json"))


def test_without_a_superuser_the_command_says_what_to_do(tmp_path: Path, db: None) -> None:
    with pytest.raises(CommandError, match="no superuser to own it"):
        load(tmp_path, FULL)


def test_an_unknown_owner_is_named(tmp_path: Path, root: User) -> None:
    with pytest.raises(CommandError, match="no user 'zoe'"):
        load(tmp_path, FULL, owner="zoe")


def test_nobody_takes_over_anothers_topic(tmp_path: Path, root: User, bob: User) -> None:
    load(tmp_path, FULL)
    load(tmp_path, FULL | {"name": "Bob's"}, owner="bob")
    assert [(t.owner, t.name) for t in Topic.objects.order_by("pk")] == [
        (root, FULL["name"]),
        (bob, "Bob's"),
    ]
    with pytest.raises(CommandError, match="name one of root/电网, bob/电网"):
        exported("电网")
    assert exported("bob/电网")["name"] == "Bob's"


def test_exporting_an_unknown_topic_names_those_there_are(tmp_path: Path, root: User) -> None:
    load(tmp_path, FULL)
    with pytest.raises(CommandError, match=r"no topic 'grid'\. Topics: 电网"):
        call_command("topic_export", "grid")


@pytest.fixture
def samples(tmp_path: Path, settings: Settings) -> Path:
    """A folder of sample topics that may be crawled."""
    folder = tmp_path / "fixtures" / "demo_topics"
    folder.mkdir(parents=True)
    write(folder, FULL)
    settings.BASE_DIR = tmp_path
    settings.CONTACT_URL = "https://me.test/"
    return folder


def test_samples_are_loaded_and_started_once(samples: Path, root: User) -> None:
    out = StringIO()
    call_command("load_demo", stdout=out)
    call_command("load_demo", stdout=out)
    assert out.getvalue().splitlines() == [
        "1 sample topics loaded.",
        "The sample topics were loaded before.",
    ]
    assert Topic.objects.get().sample
    assert Run.objects.count() == 1


def test_a_sample_has_the_alert_threshold_of_its_file(samples: Path, root: User) -> None:
    call_command("load_demo", stdout=StringIO())
    topic = Topic.objects.get()
    assert topic.alert_score == FULL["settings"]["alert_score"]
    assert topic.alerts_from is not None


def test_samples_that_were_deleted_do_not_come_back(samples: Path, root: User) -> None:
    call_command("load_demo", stdout=StringIO())
    Run.objects.all().delete()
    Topic.objects.all().delete()
    call_command("load_demo", stdout=StringIO())
    assert not Topic.objects.exists()


def test_one_bad_sample_loads_none(samples: Path, root: User) -> None:
    (samples / "worse.json").write_text("{")
    with pytest.raises(CommandError, match=r"worse\.json"):
        call_command("load_demo", stdout=StringIO())
    assert not Topic.objects.exists()

"""The command-line client against a real server."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from crawler.models import IndexOutbox, Page, Run
from focusweb.demo.loopback_server import LoopbackServer, Request, Response
from tests.topics.factories import NOON, Scene, person, scene_of
from topics.accounts.api_tokens import TokenScope, make_token
from topics.search.outbox import drain_all

CONSOLE = "from focusweb.command_line import console; console()"
Done = subprocess.CompletedProcess[str]
Client = Callable[..., Done]


def focusweb(*words: str, **environment: str) -> Done:
    """Run the command as it is installed."""
    return subprocess.run(
        [sys.executable, "-c", CONSOLE, *words],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.getcwd(), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def scene(transactional_db: None) -> Scene:
    scene = scene_of(person("ann"))
    for number in range(3):
        title = f"Cache \x1b[2J{number} 缓存"
        scene.page(f"https://notes.test/{number}", title, score=0.9 - number / 10)
    scene_of(person("bob"), "secret").page("https://bob.test/", "Cache of Bob")
    return scene


@pytest.fixture
def client(scene: Scene, live_server: LiveServer) -> Client:
    """Run a command with a token of Ann's, which may have fewer scopes."""

    def run(*words: str, scopes: tuple[str, ...] = tuple(TokenScope), **environment: str) -> Done:
        token = make_token(scene.topic.owner, "client", list(scopes), NOON)
        named = {"FOCUSWEB_API": live_server.url, "FOCUSWEB_TOKEN": token}
        return focusweb(*words, **(named | environment))

    return run


def test_topics_pages_and_runs_are_listed(client: Client, scene: Scene) -> None:
    topics, runs = client("topics"), client("runs", "chips", PYTHONIOENCODING="ascii")
    pages = client("pages", "chips", "--order", "score", "--limit", "2")

    assert (topics.stdout, topics.stderr) == (f"chips  {scene.topic.name}\n", "")
    first, address, second, _ = pages.stdout.splitlines()
    assert first.startswith("0.900  ") and first.endswith("  Cache  [2J0 缓存")
    assert (address, second[:5]) == ("       https://notes.test/0", "0.800")
    assert runs.stdout.startswith(f"{scene.run.started:%Y-%m-%dT%H:%M}  fetched ")


def test_json_is_what_the_api_sends(client: Client, scene: Scene) -> None:
    found = json.loads(client("pages", "chips", "--json", "--order", "score").stdout)["items"]

    assert [page["url"] for page in found] == [f"https://notes.test/{n}" for n in range(3)]
    assert found[0]["score"] == 0.9
    assert json.loads(client("topics", "--json").stdout)["items"][0]["slug"] == "chips"


def test_a_long_list_comes_in_parts(client: Client, scene: Scene) -> None:
    for number in range(3, 205):
        scene.page(f"https://notes.test/{number}", "Cache")

    found = json.loads(client("pages", "chips", "--json", "--limit", "1000").stdout)["items"]

    assert {page["url"] for page in found} == {f"https://notes.test/{n}" for n in range(205)}
    assert len(found) == 205


def test_a_search_finds_pages_of_its_user(
    client: Client, scene: Scene, settings: Settings, tmp_path: Path
) -> None:
    settings.INDEX_DIR = tmp_path
    IndexOutbox.objects.bulk_create(
        IndexOutbox(page_id=page, queued=NOON) for page in Page.objects.values_list("pk", flat=True)
    )
    drain_all(60)

    found, nothing = client("search", "cache"), client("search", "volcano")

    assert sorted(found.stdout.split())[-3:] == sorted("缓存" for _ in range(3))
    assert "bob" not in found.stdout
    assert (nothing.stdout, nothing.returncode) == ("", 0)


def test_a_run_is_started_and_stopped(client: Client, scene: Scene, settings: Settings) -> None:
    settings.CONTACT_URL = "http://us.test/"
    started = client("runs", "chips", "--start")
    again = client("runs", "chips", "--start")
    client("runs", "chips", "--stop")

    assert started.stdout.endswith("fetched 0, kept 0  under way\n")
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr.startswith("focusweb: ")
    assert Run.objects.open().get().stop_asked


@pytest.mark.parametrize(
    ("words", "environment", "message"),
    [
        (("pages", "secret"), {}, "focusweb: "),
        (("search", '"open'), {}, "focusweb: "),
        (("search", "x" * 257), {}, "not valid; query.q: String should have at most 256"),
        (("topics", "--limit", "0"), {}, "focusweb: --limit must be from 1 to 100000, got 0"),
        (("topics",), {"FOCUSWEB_TOKEN": "fw_no"}, "Create a token at Account, API tokens"),
        (("topics",), {"FOCUSWEB_API": "http://127.0.0.1:9"}, "does not answer: "),
        (("topics",), {"FOCUSWEB_API": "ftp://a.test"}, "must begin with http:// or https://"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(
    client: Client, words: tuple[str, ...], environment: dict[str, str], message: str
) -> None:
    done = client(*words, **environment)

    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_token_without_the_scope_starts_nothing(client: Client, scene: Scene) -> None:
    done = client("runs", "chips", "--start", scopes=("read",))

    assert done.returncode == 1
    assert "scope" in done.stderr


def test_a_token_is_read_from_a_file_that_only_its_owner_reads(
    scene: Scene, live_server: LiveServer, tmp_path: Path
) -> None:
    file = tmp_path / "focusweb/token"
    file.parent.mkdir()
    where = {"FOCUSWEB_API": live_server.url, "XDG_CONFIG_HOME": str(tmp_path)}
    missing = focusweb("topics", **where)
    file.write_text(make_token(scene.topic.owner, "file", ["read"], NOON) + "\n")
    file.chmod(0o640)
    open_to_others = focusweb("topics", **where)
    file.chmod(0o600)

    assert "there is no token. Make one at Account, API tokens" in missing.stderr
    assert f"others can read {file}. Run: chmod 600 {file}" in open_to_others.stderr
    assert focusweb("topics", **where).stdout.startswith("chips")
    other = focusweb("topics", **{**where, "FOCUSWEB_TOKEN_FILE": str(tmp_path / "none")})
    assert str(tmp_path / "none") in other.stderr


ELSEWHERE = {
    "/redirect/api/v1/topics": Response(302, b"", headers={"Location": "/stolen"}),
    "/page/api/v1/topics": Response(200, b"<p>another program</p>"),
    "/broken/api/v1/topics": Response(500, b"<p>another program</p>"),
}


@pytest.mark.parametrize("path", ["redirect", "page", "broken", "none"])
def test_another_program_at_the_address_is_named(path: str) -> None:
    asked: list[str] = []

    def answer(request: Request) -> Response:
        asked.append(request.target.partition("?")[0])
        return ELSEWHERE.get(asked[-1], Response(404, b"none"))

    with LoopbackServer(answer) as server:
        address = f"http://127.0.0.1:{server.port}/{path}"
        done = focusweb("topics", FOCUSWEB_TOKEN="fw_x", FOCUSWEB_API=address)

    assert done.returncode == 1
    assert "the API of FocusWeb" in done.stderr
    assert asked == [f"/{path}/api/v1/topics"]


def test_other_commands_go_to_django(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)

    done = focusweb("search", "--help"), focusweb("reindex", "--help", FOCUSWEB_DATA=str(tmp_path))

    assert "--address" in done[0].stdout
    assert "--if-needed" in done[1].stdout

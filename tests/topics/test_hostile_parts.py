"""Hostile parts of plugins where the product uses them: it goes on, and the plugin is named.

`tests/focusweb/test_hostile_plugins.py` has the hooks themselves. Extractors and language readers
are called in processes of their own: `tests/crawler/sandbox/test_page_plugins.py`.
"""

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from crawler.judging.answers import MAX_MEMORY_BYTES
from crawler.knowledge.judge import Verdict
from crawler.ranking.score import PaperRanker
from crawler.ranking.scorers import Opinion
from crawler.sources.base import Found
from focusweb import hookspecs
from focusweb.hookspecs import hookimpl
from focusweb.parameters import Parameter, ParameterRule
from focusweb.part_shapes import SHAPES
from focusweb.plugin_settings import setting
from focusweb.plugins import plugins
from focusweb.testing import Crawled, LoadPlugin
from tests.topics.delivery.rules_and_channels import channel_of
from tests.topics.factories import NOON, Scene, person
from tests.topics.views.conftest import get
from topics.delivery import timestamps
from topics.delivery.channels import deliveries
from topics.delivery.channels.base import RETRY_DELAYS
from topics.models import Delivery, Topic
from topics.profile.suggest import Suggestion
from topics.rules.parameters import problems_of
from topics.search.backend import Hit, SearchResult
from topics.search.errors import SearchError
from topics.search.outbox import drain_all
from topics.search.store import default_store

#: More than any answer may have. `test_hostile_plugins` has a gigabyte.
TOO_MUCH = MAX_MEMORY_BYTES + 1


class SilentError(Exception):
    def __str__(self) -> str:
        raise ValueError("no text")


def raises(error: BaseException) -> Callable[..., Any]:
    def deed(*given: Any, **named: Any) -> Any:
        raise error

    return deed


def hang(*given: Any, **named: Any) -> Any:
    while True:
        pass


def write(*given: Any, **named: Any) -> Any:
    return Topic.objects.all().delete()


#: What a function of a part does, and what is noted; the name of a deed of `LARGE` does more.
DEEDS: dict[str, tuple[Callable[..., Any], str]] = {
    "raises": (raises(RuntimeError("no")), "RuntimeError: no"),
    "exits": (raises(SystemExit(3)), "SystemExit: 3"),
    "silent": (raises(SilentError()), "SilentError: its message raises ValueError"),
    "hangs": (hang, "PluginTimeoutError: the call lasted too long"),
    "wrong type": (lambda *given, **named: object(), "TypeError: "),
    "writes": (write, "PluginWriteError: "),
}


@cache
def huge_text() -> str:
    return "x" * TOO_MUCH


def score_that_is_too_long(*given: Any, **named: Any) -> Any:
    score = PaperRanker().score(*given, **named)
    object.__setattr__(score, "counted_by", huge_text())
    return score


#: What a function of a part answers that has the right type, and is too much.
LARGE: dict[str, Callable[..., Any]] = {
    "judges": lambda *given: Verdict(0.5, note=huge_text()),
    "strategies": lambda *given, **named: bytes(TOO_MUCH),
    "rankers": score_that_is_too_long,
    "scorers": lambda page: Opinion(0.1, huge_text()),
    "date_readers": lambda page, now: huge_text(),
    "exporters": lambda query, pages: bytes(TOO_MUCH),
    "term_suggesters": lambda topic: [Suggestion(huge_text(), "evil")],
    "search_backends": lambda *given, **named: SearchResult(0, tuple([Hit(-1, 0.0)] * 10**7)),
    "channels": lambda *given: bytes(TOO_MUCH),
}


def deed_of(hook: str, deed: str) -> tuple[Callable[..., Any], str]:
    return (LARGE[hook], "") if deed == "too much" else DEEDS[deed]


def deeds_of(*hooks: str) -> list[Any]:
    """Every deed that is possible for a hook."""
    return [(hook, deed) for hook in hooks for deed in (*DEEDS, *["too much"] * (hook in LARGE))]


class Part:
    """A part whose functions all do one deed; what is built of it is the same part."""

    name = label = hint = version = content_type = "evil"
    signs = needs_consent = repeatable = False
    retry_delays = RETRY_DELAYS
    topic_terms = frozenset({"solar"})

    def __init__(self, hook: str, deed: Callable[..., Any], *but: str) -> None:
        for function in SHAPES[hook].functions:
            if function not in but:
                setattr(self, function, deed)
        self.judge = deed

    def build(self, *given: Any) -> Any:
        """A judge can be made of it."""
        return self

    def create(self, folder: object) -> Any:
        """So can an index."""
        return self

    open = create


def plugin_of(hook: str, part: object) -> object:
    return SimpleNamespace(**{hook: hookimpl(lambda: [part])})


@pytest.fixture
def use(load_plugin: LoadPlugin) -> Iterator[Callable[..., Any]]:
    """Switch on a plugin with one part; the function returns what is noted of it."""

    def switch_on(
        hook: str, part: object, deed: str, *, is_plugin: bool = False
    ) -> Callable[[], Any]:
        loaded = load_plugin(part if is_plugin else plugin_of(hook, part), f"evil_{hook}")
        if deed in ("hangs", "too much"):
            # Another deed is to be noted as what it is, however busy the processors are.
            loaded.time_limit_s = lambda hook: 0.05
        return lambda: loaded.states.of(f"evil_{hook}")

    yield switch_on
    plugins().time_limit_s = hookspecs.time_limit_s


def evil_strategy(deed: Callable[..., Any]) -> type:
    """A strategy is a class; it can be made."""
    functions = dict.fromkeys(SHAPES["strategies"].functions, staticmethod(deed))
    return type("Evil", (), {"name": "evil", **functions})


IN_A_CRAWL = ("judges", "strategies", "rankers", "scorers", "sources", "date_readers")


@pytest.mark.parametrize("deed", [*DEEDS, "too much"])
def test_a_crawl_ends_as_without_the_plugins_and_each_is_named(
    crawl: Callable[..., Crawled], use: Any, scene: Scene, deed: str
) -> None:
    before = crawl()
    noted = {}
    for hook in IN_A_CRAWL:
        if deed == "too much" and hook not in LARGE:
            continue
        function, error = deed_of(hook, deed)
        part: object = evil_strategy(function) if hook == "strategies" else Part(hook, function)
        if hook == "judges":
            part = Part(hook, function, "build")
        noted[hook] = (use(hook, part, deed), error)

    after = crawl(judge="evil", strategy="evil", ranker="evil")

    assert after.run.ended is not None
    assert after.kept.keys() == before.kept.keys()
    assert {url: end for url, end in after.ends.items() if url in before.ends} == before.ends
    for hook, (state, error) in noted.items():
        assert state().hook == hook
        assert state().error.startswith(error)
        assert len(state().error) < 3000
    assert Topic.objects.filter(pk=scene.topic.pk).exists()


PLACEHOLDER = "This part comes from a plugin that failed."


def suggest(client: Client, scene: Scene) -> None:
    assert "evil" not in get(client, "topics/chips/profile/suggestions")


def show_panel(client: Client, scene: Scene) -> None:
    page = scene.crawl.harvests.earliest("pk")
    html = get(client, f"topics/chips/pages/{page.pk}/")
    assert PLACEHOLDER in html
    assert "Path from a seed" in html


def show_tile(client: Client, scene: Scene) -> None:
    html = get(client, "")
    assert PLACEHOLDER in html
    assert "Computing" in html


def export(client: Client, scene: Scene) -> None:
    assert "evil" in get(client, "topics/chips/sharing/")
    failed = client.get("/search/export?q=cache&format=evil")
    assert (failed.status_code, failed.content) == (503, b"the plugin of this format failed")
    assert client.get("/search/export?q=cache&format=csv").status_code == 200


def search(client: Client, scene: Scene) -> None:
    """The index of the usual engine is searched until one of the plugin's is complete."""
    with pytest.raises(SearchError, match="the search engine evil failed: "):
        drain_all(1.0)
    assert "notes.test/cache" in get(client, "search/?q=cache")
    label = default_store().root / "current" / "focusweb.json"
    label.write_text(json.dumps({"backend": "evil", "version": "evil"}))
    assert "Search is out of order." in get(client, "search/?q=cache")
    assert client.get("/search/export?q=cache&format=csv").status_code == 400
    assert "Search index" in get(client, "system/")


def deliver(client: Client, scene: Scene) -> None:
    """Its form, its test, its rule, and a message that was stored before."""
    form = {"kind": "evil", "target": "http://[", "language": "en"}
    assert client.post("/channels/", form).status_code == 422
    channel = channel_of(scene.topic.owner, "evil", "there")
    stored = Delivery.objects.create(
        uid=uuid.uuid4(),
        key="stored",
        channel=channel,
        subject="Before",
        message=b"before",
        state="rendered",
        created=NOON,
    )
    tested = client.post(f"/channels/{channel.pk}/change", {"do": "test"}, follow=True)
    assert "The test could not be written: " in tested.content.decode()
    assert deliveries.send_one(stored.pk, lambda: NOON)
    stored.refresh_from_db()
    assert stored.state == "uncertain"
    assert len(stored.problem) <= 500
    assert "stored" not in get(client, f"channels/{channel.pk}/")
    timestamps.clamp_future_timestamps(NOON)


#: What the product does with the parts of these hooks.
ON_PAGES: dict[str, Callable[[Client, Scene], None]] = {
    "term_suggesters": suggest,
    "page_panels": show_panel,
    "home_tiles": show_tile,
    "exporters": export,
    "search_backends": search,
    "channels": deliver,
}


@pytest.mark.parametrize(("hook", "deed"), deeds_of(*ON_PAGES))
def test_pages_and_tasks_go_on_and_the_plugin_is_named(
    as_ann: Client, use: Any, scene: Scene, settings: Settings, hook: str, deed: str
) -> None:
    settings.INDEX_DIR = settings.DATA_DIR / "index"
    drain_all(60)
    function, error = deed_of(hook, deed)
    made = ("create", "open") if deed in ("too much", "wrong type") else ()
    state = use(hook, Part(hook, function, *made), deed)
    if hook == "search_backends":
        settings.SEARCH_ENGINE = "evil"

    ON_PAGES[hook](as_ann, scene)

    assert state().hook == hook
    assert state().error.startswith(error)
    assert 0 < len(state().error) < 3000
    assert Topic.objects.filter(pk=scene.topic.pk).exists()


def rule_that_raises(*values: float) -> bool:
    raise RuntimeError("no rule")


@pytest.mark.parametrize("hook", ["strategies", "judges"])
def test_a_rule_of_parameters_that_raises_refuses_the_values(
    as_ann: Client, use: Any, scene: Scene, hook: str
) -> None:
    part = evil_strategy(hang) if hook == "strategies" else Part(hook, hang)
    part.parameters = (Parameter("size", 0.5, "how large"),)  # type: ignore[union-attr]
    part.rules = (ParameterRule(("size",), rule_that_raises, "odd"),)  # type: ignore[union-attr]
    state = use(hook, part, "raises")

    assert problems_of(hook, "evil", {"size": 0.7}) == ["RuntimeError: no rule"]
    assert state().error == "RuntimeError: no rule"


@pytest.mark.parametrize("deed", DEEDS)
def test_settings_that_misbehave_when_they_are_made_leave_the_forms(
    client: Client, use: Any, scene: Scene, deed: str
) -> None:
    """They behave while they are loaded."""
    function, error = DEEDS[deed]
    is_evil: list[bool] = []

    @dataclass
    class Settings:
        size: float = setting(0.5, "how large")

        def __post_init__(self) -> None:
            if is_evil and deed != "wrong type":
                function()

    plugin = plugin_of("sources", Part("sources", lambda *given: Found()))
    plugin.Settings = Settings  # type: ignore[attr-defined]
    state = use("sources", plugin, deed, is_plugin=True)
    is_evil.append(True)
    client.force_login(person("root", is_superuser=True))

    shown = client.get("/plugins/evil_sources/")
    saved = client.post("/plugins/evil_sources/", {"plugin-evil_sources-size": "0.7"})
    client.force_login(scene.topic.owner)
    of_topic = client.get("/topics/chips/plugins/")

    assert (shown.status_code, of_topic.status_code) == (200, 200)
    if deed != "wrong type":
        assert saved.status_code == 422
        assert state().error.startswith(error)


def test_every_hook_has_its_deeds_somewhere() -> None:
    """The other four are called elsewhere, or are data."""
    elsewhere = {"extractors", "language_readers", "search_providers"}

    assert {*IN_A_CRAWL, *ON_PAGES} | elsewhere == set(hookspecs.OFFERING)

"""What the strategy focus had learnt in an older version is read after an upgrade."""

from importlib import import_module

import msgspec
from django.apps import apps

from crawler.models import Crawl, Knowledge
from crawler.strategies.focus_memory import (
    FocusMemory,
    FocusState,
    SeenPage,
    load_memory,
    load_state,
)
from tests.topics.factories import Scene

states = import_module("crawler.migrations.0030_focus_states")
PAGE = SeenPage(7, "a.test", 1.5, False, 3, 2, b"ab", [11])


def state_after_an_upgrade(crawl: Crawl, payload: bytes) -> bytes:
    Knowledge.objects.create(crawl=crawl, name="strategy", payload=payload)
    states.wrap(apps, None)
    return bytes(Knowledge.objects.get(crawl=crawl, name="strategy").payload)


def test_a_state_that_was_a_memory_alone_becomes_the_memory_of_a_state(scene: Scene) -> None:
    memory = FocusMemory([1, 2], [PAGE], b"\1\0\0\0\x80\x3f")
    old = msgspec.msgpack.encode(msgspec.structs.asdict(memory) | {"n_unrated": 4})

    owner, _, state = state_after_an_upgrade(scene.crawl, b"focus\0" + old).partition(b"\0")

    assert owner == b"focus"
    assert load_state(state).n_pages == 1
    assert load_memory(load_state(state).memory) == memory


def test_a_state_of_this_version_and_one_of_another_strategy_stay(scene: Scene) -> None:
    crawl = scene.crawl
    for payload in (b"focus\0" + FocusState(b"x").dump(), b"genetic\0\1", b"old"):
        assert state_after_an_upgrade(crawl, payload) == payload
        Knowledge.objects.filter(crawl=crawl).delete()

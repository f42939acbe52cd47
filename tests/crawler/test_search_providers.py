"""The search providers of plugins: data that no search can be made with is refused and named."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from crawler.search_providers import PROVIDERS, SUBJECTS, Provider, known_providers
from focusweb.hookspecs import hookimpl
from focusweb.testing import LoadPlugin
from topics.forms import searches

SOUND = replace(PROVIDERS[-1], name="papers")


def test_ours_are_known_through_the_hook() -> None:
    assert list(known_providers().values()) == list(PROVIDERS)


def test_every_subject_has_a_name_for_people() -> None:
    assert tuple(searches.SUBJECTS) == SUBJECTS


class Sly(Provider):
    def address(self, words: str) -> str:
        return "http://127.0.0.1/"


@pytest.mark.parametrize(
    ("offered", "error"),
    [
        (SimpleNamespace(name="papers"), "must be a crawler.search_providers.Provider"),
        (
            Sly("papers", "P", "news", "http://p.test/{searchTerms}", "", "http://p.test/"),
            "must be",
        ),
        (replace(SOUND, title=7), "must be lines of text"),  # type: ignore[arg-type]
        (replace(SOUND, title="a\nb"), "must be lines of text"),
        (replace(SOUND, title="a" * 1001), "must be lines of text"),
        (replace(SOUND, name="two words"), "must be one word"),
        (replace(SOUND, name=""), "it has no name of 1 to 40 characters"),
        (replace(SOUND, subject="cars"), "subject must be one of encyclopaedia, "),
        (replace(SOUND, template="file:///{searchTerms}"), "is not a web address"),
        (replace(SOUND, terms="javascript:alert(1)"), "is not a web address"),
        (replace(SOUND, template="http://p.test/"), "must hold {searchTerms}"),
        (replace(SOUND, linking="http://p.test/"), "must hold {searchTerms}"),
        (replace(SOUND, format="xyz"), "'xyz' is not a known format"),
        (replace(SOUND, pause_s=0.1), "pause_s must be 1 to 3600"),
        (replace(SOUND, pause_s=float("nan")), "pause_s must be 1 to 3600"),
    ],
)
def test_a_provider_that_cannot_be_searched_is_named(
    load_plugin: LoadPlugin, offered: Any, error: str
) -> None:
    loaded = load_plugin(SimpleNamespace(search_providers=hookimpl(lambda: [offered])))

    assert list(known_providers().values()) == list(PROVIDERS)
    assert error in loaded.states.of("tested").error

"""Blocks of plugins: what they say is text, and one that fails leaves a note in its place."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from tests.topics.factories import Scene
from tests.topics.views.conftest import get

PLUGIN = """
from focusweb.hookspecs import hookimpl
from topics.pages.blocks import Line

class Odd:
    name = "odd"
    def heading(self):
        return "Odd <b>"
    def lines(self, *about):
        {}

@hookimpl
def home_tiles():
    return [Odd()]

page_panels = hookimpl(lambda: [Odd()])
"""
PLACEHOLDER = "This part comes from a plugin that failed."


@pytest.fixture
def with_lines(tmp_path: Path, settings: Settings) -> Any:
    """Switch on a plugin whose panel and tile have this body."""

    def switch_on(body: str) -> None:
        settings.PLUGINS_DIR, settings.LOAD_PLUGINS = tmp_path / "own", ["odd"]
        settings.PLUGINS_DIR.mkdir()
        (settings.PLUGINS_DIR / "odd.py").write_text(PLUGIN.format(body))

    return switch_on


def both(client: Client, scene: Scene) -> str:
    page = scene.crawl.harvests.earliest("pk")
    return get(client, "") + get(client, f"topics/chips/pages/{page.pk}/")


def test_what_a_block_says_is_shown_as_text(as_ann: Client, scene: Scene, with_lines: Any) -> None:
    with_lines("return [Line('<script>1</script>', '/a?b=<', '<i>')]")

    html = both(as_ann, scene)

    assert html.count("Odd &lt;b&gt;") == 2
    assert html.count("&lt;script&gt;1&lt;/script&gt;") == 2
    assert 'href="/a?b=&lt;"' in html
    assert "<i>" not in html


BAD = [
    "raise ValueError('no')",
    "raise SystemExit(1)",
    "return 7",
    "return ['text']",
    "return [Line('x', 'javascript:alert(1)')]",
    "return [Line('x', '//evil.test/')]",
    "return [Line('x', r'/\\evil.test')]",
    "from topics.models import Topic; Topic.objects.all().delete()",
]


@pytest.mark.parametrize("body", BAD)
def test_a_block_that_fails_leaves_a_note_and_the_rest_of_the_page(
    as_ann: Client, scene: Scene, with_lines: Any, body: str
) -> None:
    with_lines(body)

    html = both(as_ann, scene)

    assert html.count(PLACEHOLDER) == 2
    assert "Path from a seed" in html
    assert "evil" not in html
    assert "javascript:" not in html


def test_a_block_without_end_is_cut(as_ann: Client, scene: Scene, with_lines: Any) -> None:
    with_lines("import itertools; return (Line('z' * 999) for _ in itertools.count())")

    html = both(as_ann, scene)

    assert html.count("z" * 300) == 2 * 50
    assert "z" * 301 not in html


def test_a_block_without_lines_is_not_shown(as_ann: Client, scene: Scene, with_lines: Any) -> None:
    with_lines("return []")

    assert "Odd" not in both(as_ann, scene)

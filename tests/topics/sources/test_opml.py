"""A topic's sources can be carried to a feed reader, and back."""

from dataclasses import replace

import pytest

from crawler.page.lists.reading_lists import read_reading_list
from crawler.sources import registry
from tests.topics.factories import NOON, Scene
from topics.sources.lines import SourceLine, source_lines
from topics.sources.opml import write_opml


@pytest.fixture
def line(scene: Scene) -> SourceLine:
    """The seed of the topic."""
    return source_lines(scene.topic, NOON)[0]


def test_what_is_written_can_be_pasted_as_seeds(line: SourceLine) -> None:
    feed = replace(line, kind=registry.FEEDS, url="https://a.test/feed?a=1&b=<2>")
    text = write_opml('Grid <&> "电网"\x0b]]>', [line, feed], NOON).decode()

    found = read_reading_list(text)

    assert [one.url for one in found] == [line.url, "https://a.test/feed?a=1&b=%3C2%3E"]
    assert 'type="rss"' in text
    assert '<title>Grid &lt;&amp;&gt; "电网" ]]&gt;</title>' in text


def test_searches_and_other_schemes_are_left_out(line: SourceLine) -> None:
    others = [replace(line, url=url) for url in ("", "javascript:alert(1)", "file:///etc/passwd")]
    assert "outline" not in write_opml("T", others, NOON).decode()

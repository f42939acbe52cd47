"""The command writes a topic's crawl as a snapshot, or says in one line why not."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from crawler.replay.snapshot import read_snapshot
from tests.crawler.solar_web import SHAPES, crawl_shapes
from tests.crawler.web import SEED
from tests.topics.factories import NOON, topic_of
from topics.models import Topic
from topics.profile.crawl import save_crawl


@pytest.fixture
def topic(ann: User) -> Topic:
    """A topic on solar cells that was never crawled."""
    return topic_of(ann, "solar", name="solar cells", seeds=SEED, threshold=0.3, judge="cosine")


def test_a_topics_crawl_becomes_a_snapshot(
    topic: Topic, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl_shapes(save_crawl(topic, NOON))

    call_command("export_snapshot", "solar", str(tmp_path / "solar"))

    assert f"solar: {len(SHAPES)} pages, " in capsys.readouterr().out
    assert len(read_snapshot(tmp_path / "solar").pages) == len(SHAPES)


def test_a_topic_without_a_crawl_is_reported(topic: Topic, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"solar: it was never crawled; `crawl solar` does"):
        call_command("export_snapshot", "solar", str(tmp_path))
    save_crawl(topic, NOON)
    with pytest.raises(CommandError, match=r"solar: no page of a seed has been fetched yet"):
        call_command("export_snapshot", "solar", str(tmp_path))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none", "DIR"], r"There is no topic 'none'. Topics: solar."),
        (["solar", "DIR", "--pages", "0"], r"--pages must be at least 1, got 0"),
    ],
)
def test_a_wrong_word_is_reported(topic: Topic, words: list[str], said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("export_snapshot", *words)


def test_a_file_in_the_way_is_reported(topic: Topic, tmp_path: Path) -> None:
    crawl_shapes(save_crawl(topic, NOON))
    (tmp_path / "file").write_text("", "utf-8")

    with pytest.raises(CommandError, match=r"file: is a file; name a folder"):
        call_command("export_snapshot", "solar", str(tmp_path / "file"))

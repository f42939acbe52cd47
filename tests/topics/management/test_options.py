"""Numbers that no table can hold are refused before anything is done."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from crawler.models import Run
from tests.topics.factories import Scene


@pytest.mark.parametrize(
    ("n_pages", "bound"),
    [
        ("0", "at least 1"),
        ("-1", "at least 1"),
        ("2147483648", "at most 2147483647"),
        ("9" * 30, "at most 2147483647"),
    ],
)
@pytest.mark.parametrize("command", ["crawl", "export_pages", "export_snapshot"])
def test_a_number_of_pages_that_cannot_be_is_refused(
    scene: Scene, tmp_path: Path, command: str, n_pages: str, bound: str
) -> None:
    target = [] if command == "crawl" else [str(tmp_path / "pages.csv")]
    n_runs = Run.objects.count()

    with pytest.raises(CommandError, match=f"--pages must be {bound}, got {n_pages}"):
        call_command(command, scene.topic.slug, *target, "--pages", n_pages)

    assert Run.objects.count() == n_runs
    assert list(tmp_path.iterdir()) == []

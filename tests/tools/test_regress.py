"""`make regress`: what counts as worse."""

import json
from pathlib import Path

import pytest

from bench import regress

TOPICS = [f"t{number}" for number in range(12)]


def figures(f1: float, *, spread: float = 0.0) -> regress.Figures:
    """Figures of twelve topics, whose F1 lies `spread` above and below in turn."""
    return {
        topic: {"recall": 0.8, "f1": f1 + spread * (-1) ** number, "ap_unseen": 0.7}
        for number, topic in enumerate(TOPICS)
    }


@pytest.mark.parametrize(
    ("now", "spread", "is_worse"),
    [(0.6, 0.0, False), (0.55, 0.0, True), (0.59, 0.2, False), (0.65, 0.0, False)],
    ids=["the same", "every topic falls", "within noise", "better"],
)
def test_a_figure_is_worse_only_beyond_noise(now: float, spread: float, is_worse: bool) -> None:
    rows = regress.compare(figures(now, spread=spread), figures(0.6), seed=0)

    assert {row["measure"]: row["is_worse"] for row in rows} == {
        "recall": False,
        "f1": is_worse,
        "ap_unseen": False,
    }
    assert regress.report(rows) == is_worse


def test_only_topics_of_both_are_compared() -> None:
    fewer = {topic: figures(0.1)[topic] for topic in TOPICS[:3]} | {"new": figures(0.1)["t0"]}

    assert {row["n_topics"] for row in regress.compare(fewer, figures(0.6), seed=0)} == {3}
    with pytest.raises(SystemExit, match="--update"):
        regress.compare({"new": fewer["new"]}, figures(0.6), seed=0)


def test_a_snapshot_without_stored_figures_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "table.json"
    table.write_text(json.dumps({"other": {}}))

    with pytest.raises(SystemExit) as stopped:
        regress.main([str(tmp_path / "web"), "--table", str(table)])

    assert stopped.value.code == 2
    assert "no figures of web" in capsys.readouterr().err

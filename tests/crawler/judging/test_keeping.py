"""Which pages are kept."""

from typing import Any

import pytest

from crawler.judging.keeping import is_kept


@pytest.mark.parametrize(
    ("relevance", "rest", "expected"),
    [
        (0.5, {}, True),
        (0.49, {}, False),
        (0.0, {"forced": True}, True),
        (1.0, {"copy": True}, False),
        (1.0, {"forced": True, "copy": True}, False),
        (0.0, {"label": True}, True),
        (0.0, {"label": True, "copy": True}, True),
        (1.0, {"label": False}, False),
        (1.0, {"label": False, "forced": True}, False),
        (1.0, {"hidden": True}, False),
        (1.0, {"hidden": True, "forced": True}, False),
        (1.0, {"hidden": True, "label": True}, False),
    ],
)
def test_a_rating_stands_before_the_judge_and_nothing_before_what_is_hidden(
    relevance: float, rest: dict[str, Any], *, expected: bool
) -> None:
    assert is_kept(relevance, 0.5, **rest) is expected

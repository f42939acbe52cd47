"""The parameters that strategies and judges declare are checked, each error in one line."""

import inspect
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from focusweb import plugins
from focusweb.parameters import (
    Parameter,
    ParameterError,
    ParameterRule,
    declared,
    find_problems,
    require,
)

DOCS = Path(__file__).resolve().parents[2] / "docs"
ORDERS, JUDGES = plugins.by_name("strategies"), plugins.by_name("judges")


@dataclass(frozen=True)
class Kind:
    """Something with two parameters that belong together, and one that stands alone."""

    parameters: tuple[Parameter, ...] | None = (
        Parameter("low", 0.2, "the lower"),
        Parameter("high", 0.8, "the upper", excluded=frozenset({1.0})),
        Parameter("count", 5, "how many", 1, math.inf, is_whole=True),
    )
    rules: tuple[ParameterRule, ...] = (
        ParameterRule(("low", "high"), lambda low, high: low < high, "low %(low)s, high %(high)s"),
    )


@pytest.mark.parametrize(
    "given", [{}, {"low": 0}, {"low": 0.0, "high": 0.999}, {"count": 7.0}, {"count": 1}]
)
def test_a_value_in_its_range_is_taken(given: dict[str, float]) -> None:
    assert list(find_problems(Kind(), given)) == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"size": 1.0}, "unknown parameter size; available: low, high, count"),
        ({"low": "much"}, "low must be a number, got much"),
        ({"low": None}, "low must be a number, got None"),
        ({"low": True}, "low must be a number, got True"),
        ({"low": [1]}, "low must be a number, got [1]"),
        ({"low": math.nan}, "low must be a number, got nan"),
        ({"count": math.inf}, "count must be a number, got ∞"),
        ({"low": -0.1}, "low must be in [0, 1], got -0.1"),
        ({"high": 1.0}, "high must be in [0, 1), got 1"),
        ({"count": 0}, "count must be in [1, ∞), got 0"),
        ({"count": 2.5}, "count must be a whole number, got 2.5"),
        ({"low": 0.8}, "low 0.8, high 0.8"),
        ({"low": 0.9, "high": 0.5}, "low 0.9, high 0.5"),
        ({"low": "x" * 100}, f"low must be a number, got {'x' * 60}"),
    ],
)
def test_a_wrong_value_is_reported_in_one_line(given: dict[str, Any], said: str) -> None:
    assert [str(problem) for problem in find_problems(Kind(), given)] == [said]


def test_each_wrong_value_is_reported_and_rules_only_for_sound_ones() -> None:
    problems = list(find_problems(Kind(), {"low": 2.0, "high": -1.0}))

    assert [problem.name for problem in problems] == ["low", "high"]


def test_a_kind_that_declares_nothing_decides_for_itself() -> None:
    assert list(find_problems(Kind(parameters=None), {"anything": "goes"})) == []
    assert declared(object()) is None


def test_a_kind_without_parameters_takes_none() -> None:
    (problem,) = find_problems(Kind(parameters=()), {"low": 1.0})

    assert str(problem) == "unknown parameter low; no parameters are available"


def test_what_is_required_is_refused_as_a_value() -> None:
    with pytest.raises(ParameterError, match=r"^low must be in \[0, 1\], got 3$"):
        require(Kind(), low=3.0)


@pytest.mark.parametrize(
    "kind",
    [*ORDERS.values(), *JUDGES.values()],
    ids=[*(f"order {name}" for name in ORDERS), *(f"judge {name}" for name in JUDGES)],
)
def test_every_kind_of_ours_declares_sound_defaults(kind: Any) -> None:
    parameters = declared(kind)

    assert parameters is not None
    defaults = {parameter.name: parameter.default for parameter in parameters}
    assert list(find_problems(kind, defaults)) == []
    assert all(parameter.meaning for parameter in parameters)


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_has_the_defaults_it_declares(name: str) -> None:
    made = inspect.signature(ORDERS[name]).parameters
    named = {key: one.default for key, one in made.items() if one.kind is not one.VAR_KEYWORD}

    own_defaults = {one.name: one.default for one in ORDERS[name].parameters if one.name in named}

    assert own_defaults == named


def row(name: str, one: Parameter) -> str:
    return f"| `{name}` | `{one.name}` | {one.default:g} | {one.range} | {one.meaning} |"


@pytest.mark.parametrize(("file", "kinds"), [("strategies.md", ORDERS), ("judges.md", JUDGES)])
def test_the_table_of_parameters_is_what_is_declared(file: str, kinds: dict[str, Any]) -> None:
    text = (DOCS / file).read_text("utf-8")
    table = text.partition("## Parameters\n")[2].partition("\n## ")[0]

    rows = [line for line in table.splitlines() if line.startswith("| `")]

    assert rows == [row(name, one) for name in sorted(kinds) for one in kinds[name].parameters]

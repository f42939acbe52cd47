"""The settings that strategies, judges and plugins declare: names, defaults, ranges, rules."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


def gettext_noop(text: str) -> str:
    """Mark a sentence for translators; the view that shows it translates it."""
    return text


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that a person may set.

    Attributes
    ----------
    meaning : str
        What it does, in a few words for people.
    lowest, highest : float
        Its range, both ends allowed.
    excluded : frozenset of float
        An end that is not allowed after all.
    is_whole : bool
        A count.
    """

    name: str
    default: float
    meaning: str
    lowest: float = 0.0
    highest: float = 1.0
    excluded: frozenset[float] = frozenset()
    is_whole: bool = False

    @property
    def range(self) -> str:
        """Its range as it is written: "[0, 1)"."""
        left = "(" if self.lowest in self.excluded or self.lowest == -math.inf else "["
        right = ")" if self.highest in self.excluded or self.highest == math.inf else "]"
        return f"{left}{_shown(self.lowest)}, {_shown(self.highest)}{right}"

    def allows(self, value: float) -> bool:
        """True if a number lies in the range."""
        return self.lowest <= value <= self.highest and value not in self.excluded

    def problem_with(self, value: object) -> "ParameterProblem | None":
        """Return what is wrong with a value."""
        values = {"name": self.name, "value": _shown(value)}
        if (
            not isinstance(value, int | float)
            or isinstance(value, bool)
            or not math.isfinite(value)
        ):
            return ParameterProblem(self.name, NO_NUMBER, values)
        if self.is_whole and value != int(value):
            return ParameterProblem(self.name, NOT_WHOLE, values)
        if not self.allows(value):
            return ParameterProblem(self.name, OUT_OF_RANGE, values | {"range": self.range})
        return None


@dataclass(frozen=True, slots=True)
class SwitchParameter:
    """Yes or no.

    Attributes
    ----------
    meaning : str
        What it does, in a few words for people.
    """

    name: str
    default: bool
    meaning: str

    def problem_with(self, value: object) -> "ParameterProblem | None":
        """Return what is wrong with a value."""
        if isinstance(value, bool):
            return None
        return ParameterProblem(self.name, NO_SWITCH, {"name": self.name, "value": _shown(value)})


@dataclass(frozen=True, slots=True)
class TextParameter:
    """One line of text.

    Attributes
    ----------
    meaning : str
        Its purpose, in a few words for users.
    """

    name: str
    default: str
    meaning: str
    max_chars: int = 200

    def problem_with(self, value: object) -> "ParameterProblem | None":
        """Return what is wrong with a value."""
        if isinstance(value, str) and len(value) <= self.max_chars and value.isprintable():
            return None
        values = {"name": self.name, "limit": self.max_chars}
        return ParameterProblem(self.name, NO_LINE, values)


AnyParameter = Parameter | SwitchParameter | TextParameter


@dataclass(frozen=True, slots=True)
class ParameterRule:
    """What several parameters must be together.

    Attributes
    ----------
    names : tuple of str
        The parameters, in the order in which `holds` takes their values.
    holds : callable
    sentence : str
        What must hold, with "%(name)s" where a value stands.
    """

    names: tuple[str, ...]
    holds: Callable[..., bool]
    sentence: str


@dataclass(frozen=True, slots=True)
class ParameterProblem:
    """What is wrong with a parameter.

    Attributes
    ----------
    template : str
        The sentence before `values` are filled in, as translators know it.
    """

    name: str
    template: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.template % self.values


class ParameterError(ValueError):
    """A parameter is not what its kind declares."""


UNKNOWN = gettext_noop("unknown parameter %(name)s; available: %(known)s")
NONE_AT_ALL = gettext_noop("unknown parameter %(name)s; no parameters are available")
NO_NUMBER = gettext_noop("%(name)s must be a number, got %(value)s")
NOT_WHOLE = gettext_noop("%(name)s must be a whole number, got %(value)s")
OUT_OF_RANGE = gettext_noop("%(name)s must be in %(range)s, got %(value)s")
NO_SWITCH = gettext_noop("%(name)s must be true or false, got %(value)s")
NO_LINE = gettext_noop("%(name)s must be one line of text of at most %(limit)d characters")


def declared(kind: object) -> tuple[AnyParameter, ...] | None:
    """Return the parameters of a strategy, judge or plugin; None if it says nothing of them."""
    parameters: tuple[AnyParameter, ...] | None = getattr(kind, "parameters", None)
    return parameters


def find_problems(kind: Any, given: Mapping[str, Any]) -> Iterator[ParameterProblem]:
    """Hold given values against what a kind declares.

    Parameters
    ----------
    kind : object
        With `parameters`, and `rules` if some belong together; one that declares nothing
        has no problem here.
    given : mapping of str to object
        Values by name; what is left out has its default.

    Yields
    ------
    ParameterProblem
        The first of each parameter, then broken rules if every value is sound.
    """
    parameters = declared(kind)
    if parameters is None:
        return
    known = {parameter.name: parameter for parameter in parameters}
    problems = [
        problem
        for name, value in given.items()
        if (problem := _problem(name, value, known)) is not None
    ]
    yield from problems
    if problems:
        return
    values = {name: one.default for name, one in known.items()} | dict(given)
    for rule in getattr(kind, "rules", ()):
        chosen = {name: values[name] for name in rule.names}
        if not rule.holds(*chosen.values()):
            shown = {name: _shown(value) for name, value in chosen.items()}
            yield ParameterProblem(rule.names[-1], rule.sentence, shown)


def require(kind: Any, **given: float) -> None:
    """Refuse values that a kind does not allow.

    Raises
    ------
    ParameterError
        Says in one line what is wrong with the first of them.
    """
    for problem in find_problems(kind, given):
        raise ParameterError(str(problem))


def _problem(
    name: str, value: object, known: Mapping[str, AnyParameter]
) -> ParameterProblem | None:
    parameter = known.get(name)
    if parameter is None:
        names = ", ".join(known)
        return ParameterProblem(
            name, UNKNOWN if known else NONE_AT_ALL, {"name": name, "known": names}
        )
    return parameter.problem_with(value)


def _shown(value: Any) -> str:
    if isinstance(value, float) and math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:g}" if isinstance(value, float) else str(value)[:60]

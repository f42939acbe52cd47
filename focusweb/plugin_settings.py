"""The settings of a plugin: a dataclass that it declares, and the values people chose.

A value comes from the topic, else from the installation, else from the dataclass. A stored value
that the plugin of today does not allow is left out, with a sentence that says so.
"""

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields, is_dataclass
from functools import partial
from typing import Any, Final, TypeVar

from focusweb.parameters import (
    AnyParameter,
    Parameter,
    ParameterProblem,
    SwitchParameter,
    TextParameter,
    find_problems,
    gettext_noop,
)
from focusweb.plugin_calls import writable

#: The name under which a plugin declares its dataclass.
DECLARED: Final = "Settings"
#: The type of one setting; `setting` answers with a field, which a dataclass declares by its value.
Value = TypeVar("Value", bool, int, float, str)
#: What a plugin stores, by the names of its settings.
Values = Mapping[str, Any]
#: Most characters shown of a dataclass's message about values that do not fit together.
MAX_REFUSAL_CHARS: Final = 300
#: A field of a dataclass keeps its description under this key.
_MEANING: Final = "focusweb"

TOGETHER: Final = gettext_noop("the settings do not fit together: %(error)s")


def setting(default: Value, meaning: str, *, lowest: float = 0.0, highest: float = 1.0) -> Value:
    """Return a field of a plugin's `Settings`.

    Parameters
    ----------
    default : bool, int, float or str
        Its type is the type of the setting.
    meaning : str
        What it does, in a few words for people.
    lowest, highest : float
        The range of a number, both ends allowed.
    """
    return field(default=default, metadata={_MEANING: (meaning, lowest, highest)})


@dataclass(frozen=True, slots=True)
class SettingsKind:
    """The settings that a plugin declares.

    Attributes
    ----------
    make : callable
        The dataclass. It may raise ValueError for values that do not fit together.
    parameters : tuple of Parameter, SwitchParameter or TextParameter
    """

    make: Callable[..., Any]
    parameters: tuple[AnyParameter, ...]

    def values(self, *layers: Values) -> tuple[dict[str, Any], list[ParameterProblem]]:
        """Combine stored values, the last layer first, and find those that are not allowed."""
        chosen: dict[str, Any] = {}
        problems: list[ParameterProblem] = []
        for layer in layers:
            wrong = list(find_problems(self, layer))
            names = {problem.name for problem in wrong}
            problems += wrong
            chosen |= {name: value for name, value in layer.items() if name not in names}
        types = {one.name: type(one.default) for one in self.parameters}
        return {name: types[name](value) for name, value in chosen.items()}, problems

    def read(self, *layers: Values) -> tuple[Any, list[ParameterProblem]]:
        """Return the settings as the plugin gets them, and what was wrong with stored values."""
        chosen, problems = self.values(*layers)
        make = partial(self.make, **chosen)
        if refusal := refused(make):
            return self.make(), [*problems, ParameterProblem("", TOGETHER, {"error": refusal})]
        return make(), problems


def refused(make: Callable[[], object]) -> str:
    """Return a dataclass's message about values that do not fit together; "" if they do."""
    try:
        make()
    except ValueError as error:
        return writable(str(error)[:MAX_REFUSAL_CHARS]) or "ValueError"
    return ""


def settings_kind(plugin: object) -> SettingsKind | None:
    """Return the settings that a plugin declares; None if it declares none.

    Raises
    ------
    TypeError
        If `Settings` is not a dataclass, or has a field that `setting` did not make.
    """
    made = getattr(plugin, DECLARED, None)
    if made is None:
        return None
    if not isinstance(made, type) or not is_dataclass(made):
        raise TypeError(f"{DECLARED} must be a dataclass")
    kind = SettingsKind(made, tuple(map(_parameter, fields(made))))
    for problem in find_problems(kind, {one.name: one.default for one in kind.parameters}):
        raise TypeError(f"{DECLARED}: the default of {problem}")
    return kind


def _parameter(of: Field[Any]) -> AnyParameter:
    if _MEANING not in of.metadata:
        raise TypeError(f"{DECLARED}.{of.name} must be made by focusweb.plugin_settings.setting")
    meaning, lowest, highest = of.metadata[_MEANING]
    if not meaning:
        raise TypeError(f"{DECLARED}.{of.name} does not say what it means")
    match of.default:
        case bool():
            return SwitchParameter(of.name, of.default, meaning)
        case str():
            return TextParameter(of.name, of.default, meaning)
        case int() | float():
            whole = isinstance(of.default, int)
            return Parameter(of.name, of.default, meaning, lowest, highest, is_whole=whole)
    raise TypeError(f"{DECLARED}.{of.name} must be a number, a text, or true or false")

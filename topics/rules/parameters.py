"""The settings of strategies and judges as a person writes and reads them."""

import re
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from crawler.api.profiles import Parameter, ParameterProblem, declared
from focusweb.plugins import by_name, offers

_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*[=:：]\s*(\S+)")


def parameter_lines(values: dict[str, Any]) -> str:
    """One setting a line, by name: "interval = 25"."""
    # Databases differ in the order in which they keep the names.
    return "\n".join(f"{name} = {_number(value)}" for name, value in sorted(values.items()))


def read_written(text: str) -> dict[str, float]:
    """Undo `written`.

    Raises
    ------
    ValidationError
        One message per line that is not a setting, or that occurs twice.
    """
    values: dict[str, float] = {}
    errors: list[ValidationError] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line.strip())
        name, value = (match[1], _float(match[2])) if match else ("", None)
        if value is None:
            message = _("Line %(line)d: write a name and a number, such as interval = 25.")
            errors.append(ValidationError(message, code="form", params={"line": number}))
        elif name in values:
            message = _("Line %(line)d: %(name)s occurs twice. Keep only one.")
            params = {"line": number, "name": name}
            errors.append(ValidationError(message, code="twice", params=params))
        else:
            values[name] = value
    if errors:
        raise ValidationError(errors)
    return values


def problem_text(problem: ParameterProblem) -> str:
    """Return a problem in the reader's language."""
    return _(problem.template) % problem.values


def problems_of(hook: str, kind: str, values: Any) -> list[str]:
    """Return what is wrong with the settings of a registered strategy or judge, a sentence each."""
    if not isinstance(values, dict):
        return [_("Settings are names with numbers, such as interval = 25.")]
    offer = offers(hook).get(kind)
    if offer is None:
        return []  # The field of the kind reports it.
    return list(map(problem_text, offer.problems_with(values)))


def described(hook: str) -> Iterator[tuple[str, list[str]]]:
    """Each kind with a line on each of its parameters, in the reader's language."""
    for name, kind in sorted(by_name(hook).items()):
        lines = [
            _("%(name)s = %(default)s, in %(range)s: %(meaning)s")
            % {
                "name": one.name,
                "default": _number(one.default),
                "range": one.range,
                "meaning": _(one.meaning),
            }
            for one in declared(kind) or ()
            if isinstance(one, Parameter)
        ]
        if lines:
            yield name, lines


def _number(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, int | float) else str(value)


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None

"""What a part of a plugin must have, by its hook: a name, functions, and texts for people."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from focusweb.parameters import (
    Parameter,
    ParameterRule,
    SwitchParameter,
    TextParameter,
)

#: Topics and channels store the names of their parts.
MAX_NAME_CHARS: Final = 40
#: A label, a hint or a media type.
MAX_TEXT_CHARS: Final = 300
#: Most attempts of a channel, and the longest pause between two.
MAX_RETRIES: Final = 100
MAX_RETRY_DELAY: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class PartShape:
    """What a part has in addition to its name.

    Attributes
    ----------
    functions, texts, switches, delays : tuple of str
        Names of its functions, of lines of text, of what is true or false, and of pauses.
    """

    functions: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    delays: tuple[str, ...] = ()


_BLOCK: Final = PartShape(("heading", "lines"))
SHAPES: Final[Mapping[str, PartShape]] = {
    "strategies": PartShape(("start", "rate_seed", "rate_links", "integrate", "choose")),
    "judges": PartShape(("build",)),
    "rankers": PartShape(("score",)),
    "scorers": PartShape(("opinion",)),
    "sources": PartShape(("find",)),
    # `crawler.search_providers` checks their data.
    "search_providers": PartShape(),
    "search_backends": PartShape(
        ("create", "open", "index", "delete", "search", "count", "ids", "check"), ("version",)
    ),
    "extractors": PartShape(("extract",)),
    "language_readers": PartShape(("language",)),
    "date_readers": PartShape(("published",)),
    "exporters": PartShape(("write",), ("label", "content_type")),
    "term_suggesters": PartShape(("suggest",)),
    "page_panels": _BLOCK,
    "home_tiles": _BLOCK,
    "channels": PartShape(
        ("check", "write", "send"),
        ("label", "hint"),
        ("signs", "needs_consent", "repeatable"),
        ("retry_delays",),
    ),
}


def shape_problem(hook: str, part: Any) -> str:
    """Return what a part lacks that its hook needs; "" if nothing.

    It may raise what the part itself raises.
    """
    name = getattr(part, "name", None)
    if not isinstance(name, str) or not _is_line(name, MAX_NAME_CHARS):
        return f"it has no name of 1 to {MAX_NAME_CHARS} characters"
    shape = SHAPES[hook]
    for function in shape.functions:
        if not callable(getattr(part, function, None)):
            return f"it has no function {function}"
    for text in shape.texts:
        if not _is_line(str(getattr(part, text, "")), MAX_TEXT_CHARS):
            return f"its {text} is not a line of 1 to {MAX_TEXT_CHARS} characters"
    for switch in shape.switches:
        if not isinstance(getattr(part, switch, None), bool):
            return f"its {switch} is neither true nor false"
    for delays in shape.delays:
        if not _are_delays(getattr(part, delays, None)):
            return f"its {delays} are not at most {MAX_RETRIES} pauses of up to 7 days"
    return _parameters_problem(part)


def _is_line(text: str, limit: int) -> bool:
    return 0 < len(text) <= limit and text.isprintable()


def _are_delays(delays: object) -> bool:
    return (
        isinstance(delays, list | tuple)
        and len(delays) <= MAX_RETRIES
        and all(
            isinstance(one, timedelta) and timedelta() <= one <= MAX_RETRY_DELAY for one in delays
        )
    )


def _parameters_problem(part: object) -> str:
    parameters, rules = getattr(part, "parameters", None), getattr(part, "rules", ())
    if parameters is not None and not _are_all(
        parameters, Parameter | SwitchParameter | TextParameter
    ):
        return "its parameters are not a tuple of Parameter"
    if not _are_all(rules, ParameterRule):
        return "its rules are not a tuple of ParameterRule"
    return ""


def _are_all(values: object, kind: Any) -> bool:
    return isinstance(values, list | tuple) and all(isinstance(one, kind) for one in values)

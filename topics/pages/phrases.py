"""Phrases that long lists repeat: translations and formats took a third of the time of a row."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

from django.utils.formats import number_format
from django.utils.translation import get_language

Arguments = ParamSpec("Arguments")
Phrase = TypeVar("Phrase")


def remember_phrase(say: Callable[Arguments, Phrase]) -> Callable[Arguments, Phrase]:
    """Remember what a function of few different values says, for each language."""

    @lru_cache(maxsize=2000)
    def remembered(_language: str | None, *about: Any) -> Phrase:
        return say(*about)  # type: ignore[call-arg]

    @wraps(say)
    def said(*about: Arguments.args, **_none: Arguments.kwargs) -> Phrase:
        return remembered(get_language(), *about)

    return said


def two_digits(value: float) -> str:
    """Return a number with two digits after the point, in the reader's language."""
    # number_format alone would cut digits off instead of rounding.
    return _two_digits(round(value, 2))


@remember_phrase
def _two_digits(value: float) -> str:
    return number_format(value, 2)

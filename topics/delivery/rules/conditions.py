"""The written conditions of an alert rule: what a person types, and what is stored."""

from collections.abc import Callable, Mapping
from typing import Final

from django.utils.translation import gettext as _

from crawler.api.text import tokenize
from topics.rules.sites import sites_in
from topics.search.errors import QueryError
from topics.search.fields import read_value
from topics.search.problems import sentence
from topics.search.query import parse_query
from topics.search.tree import Field

#: Conditions on new pages: rules on other events have none of them.
PAGE_CONDITIONS: Final = (
    *("search", "min_score", "term", "query", "site", "not_site", "new_site"),
    *("language", "within_hours", "min_sites"),
)


class ConditionError(ValueError):
    """A condition cannot be read; the message is for the person who wrote it."""


def stored_condition(name: str, typed: str) -> str:
    """Return one of `WRITTEN` as it is stored.

    Raises
    ------
    ConditionError
    """
    return WRITTEN[name](typed.strip())


def _term(typed: str) -> str:
    if typed and not tokenize(typed):
        raise ConditionError(
            _("“%(words)s” has only common words and signs, which no rule can look for.")
            % {"words": typed}
        )
    return typed


def _query(typed: str) -> str:
    try:
        if typed:
            parse_query(typed)
    except QueryError as error:
        raise ConditionError(
            sentence(error.problem, error.position, error.found, error.hint)
        ) from error
    return typed


def _hosts(typed: str) -> str:
    try:
        hosts = [str(read_value(Field.SITE, name, 0)) for name in sites_in(typed)]
    except QueryError as error:
        raise ConditionError(
            _("“%(name)s” is not the name of a site, such as example.org.") % {"name": error.found}
        ) from error
    return ", ".join(hosts)


def _language(typed: str) -> str:
    """A language as pages name theirs: zh for zh-CN, Chinese and 中文."""
    if not typed:
        return ""
    try:
        code = read_value(Field.LANG, typed, 0)
    except QueryError as error:
        raise ConditionError(_("Enter the code of a language, such as zh or en.")) from error
    return str(code).partition("-")[0]


#: How each condition that is written as text is read.
WRITTEN: Final[Mapping[str, Callable[[str], str]]] = {
    "term": _term,
    "query": _query,
    "site": _hosts,
    "not_site": _hosts,
    "language": _language,
}

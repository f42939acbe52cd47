"""What can be wrong with a query, and the sentence that says so."""

from enum import StrEnum
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_lazy

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


class QueryProblem(StrEnum):
    """Why a query is refused."""

    EMPTY = "empty"
    TOO_LONG = "too_long"
    TOO_MANY_TERMS = "too_many_terms"
    BAD_CHARACTER = "bad_character"
    UNCLOSED_QUOTE = "unclosed_quote"
    LONELY_MINUS = "lonely_minus"
    ONLY_EXCLUDED = "only_excluded"
    NOTHING_TO_FIND = "nothing_to_find"
    FIELD = "field"
    ADDRESS = "address"
    EMPTY_VALUE = "empty_value"
    BAD_VALUE = "bad_value"
    BAD_NUMBER = "bad_number"
    BAD_DATE = "bad_date"
    BAD_AGE = "bad_age"
    UNKNOWN_TOPIC = "unknown_topic"
    UNKNOWN_RULE = "unknown_rule"
    WILDCARD = "wildcard"
    SHORT_PREFIX = "short_prefix"
    MIXED_PREFIX = "mixed_prefix"
    REGEX = "regex"
    BAD_REGEX = "bad_regex"
    LARGE_REGEX = "large_regex"
    UNCLOSED_GROUP = "unclosed_group"
    UNOPENED_GROUP = "unopened_group"
    EMPTY_GROUP = "empty_group"
    TOO_DEEP = "too_deep"
    BRACKET = "bracket"
    LONELY_OR = "lonely_or"
    AND = "and"
    NOT = "not"
    PLUS = "plus"
    FUZZY = "fuzzy"


SENTENCES: "dict[QueryProblem, _StrPromise]" = {
    QueryProblem.EMPTY: gettext_lazy("Enter at least one word to search for."),
    QueryProblem.TOO_LONG: gettext_lazy("A search can have at most 256 characters. Shorten it."),
    QueryProblem.TOO_MANY_TERMS: gettext_lazy(
        "A search can have at most 32 conditions. Remove some."
    ),
    QueryProblem.BAD_CHARACTER: gettext_lazy("This character cannot be searched for. Remove it."),
    QueryProblem.UNCLOSED_QUOTE: gettext_lazy("This phrase has no closing quotation mark. Add it."),
    QueryProblem.LONELY_MINUS: gettext_lazy(
        "Put the minus directly before the word or phrase to exclude."
    ),
    QueryProblem.ONLY_EXCLUDED: gettext_lazy(
        "The search contains only exclusions. Add a word to search for."
    ),
    QueryProblem.NOTHING_TO_FIND: gettext_lazy(
        "This part contains no letter or digit to search for. Remove it."
    ),
    QueryProblem.FIELD: gettext_lazy(
        "There is no such field. To search for the exact text, put it in quotation marks."
    ),
    QueryProblem.ADDRESS: gettext_lazy(
        "To search by web address, put url: before it, or search on its site."
    ),
    QueryProblem.EMPTY_VALUE: gettext_lazy("Write the value directly after the colon."),
    QueryProblem.BAD_VALUE: gettext_lazy("This field does not know this value."),
    QueryProblem.BAD_NUMBER: gettext_lazy("This is not a number or a range of numbers."),
    QueryProblem.BAD_DATE: gettext_lazy("This is not a date or a period."),
    QueryProblem.BAD_AGE: gettext_lazy("This is not an age."),
    QueryProblem.UNKNOWN_TOPIC: gettext_lazy("You have no topic of this name."),
    QueryProblem.UNKNOWN_RULE: gettext_lazy("You have no alert rule of this name."),
    QueryProblem.WILDCARD: gettext_lazy(
        "A star works only at the end of a word, and other wildcards are not supported."
    ),
    QueryProblem.SHORT_PREFIX: gettext_lazy(
        "Before the star there must be two letters or digits, or one Chinese character."
    ),
    QueryProblem.MIXED_PREFIX: gettext_lazy(
        "Before the star there are Chinese characters and then letters. Put a blank between them."
    ),
    QueryProblem.REGEX: gettext_lazy(
        "A regular expression stands between two slashes, and only i may follow. "
        "Put a backslash before a slash inside."
    ),
    QueryProblem.BAD_REGEX: gettext_lazy(
        "This part of the regular expression is not supported or not complete."
    ),
    QueryProblem.LARGE_REGEX: gettext_lazy(
        "The regular expression is too large. Shorten it, or use smaller numbers in braces."
    ),
    QueryProblem.UNCLOSED_GROUP: gettext_lazy("This group has no closing parenthesis. Add it."),
    QueryProblem.UNOPENED_GROUP: gettext_lazy(
        "This parenthesis has no opening one. Remove it, or put the text in quotation marks."
    ),
    QueryProblem.EMPTY_GROUP: gettext_lazy(
        "This group is empty. Remove it or write a word inside."
    ),
    QueryProblem.TOO_DEEP: gettext_lazy("Groups can be nested 10 deep at most."),
    QueryProblem.BRACKET: gettext_lazy(
        "Ranges in brackets are not supported. Remove the brackets, or put the text in "
        "quotation marks."
    ),
    QueryProblem.LONELY_OR: gettext_lazy("OR needs a condition on both sides."),
    QueryProblem.AND: gettext_lazy("All words must occur anyway. Remove this."),
    QueryProblem.NOT: gettext_lazy(
        "To exclude a word, put a minus directly before it, as in -word."
    ),
    QueryProblem.PLUS: gettext_lazy("All words must occur anyway. Remove the plus."),
    QueryProblem.FUZZY: gettext_lazy(
        "Fuzzy search and boosting are not supported. Write the plain word."
    ),
}


def sentence(problem: QueryProblem, position: int, found: str, hint: str = "") -> str:
    """Say in the reader's language what is wrong, where (counted from 1), and what would do."""
    if problem is QueryProblem.EMPTY:
        return str(SENTENCES[problem])
    message = gettext("At character %(position)d (“%(found)s”): %(sentence)s") % {
        "position": position + 1,
        "found": found,
        "sentence": SENTENCES[problem],
    }
    if not hint:
        return message
    possible = gettext("Possible: %(hint)s") % {"hint": hint}
    return f"{message} {possible}"

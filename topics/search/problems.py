"""What can be wrong with a query, and the sentence that says so."""

from enum import StrEnum
from typing import TYPE_CHECKING

from django.utils.translation import gettext, gettext_lazy

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


class Problem(StrEnum):
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
    WILDCARD = "wildcard"
    REGEX = "regex"
    PARENTHESIS = "parenthesis"
    BRACKET = "bracket"
    OR = "or"
    AND = "and"
    NOT = "not"
    PLUS = "plus"
    FUZZY = "fuzzy"


SENTENCES: "dict[Problem, _StrPromise]" = {
    Problem.EMPTY: gettext_lazy("Enter at least one word to search for."),
    Problem.TOO_LONG: gettext_lazy("A search can have at most 256 characters. Shorten it."),
    Problem.TOO_MANY_TERMS: gettext_lazy(
        "A search can have at most 32 words or phrases. Remove some."
    ),
    Problem.BAD_CHARACTER: gettext_lazy("This character cannot be searched for. Remove it."),
    Problem.UNCLOSED_QUOTE: gettext_lazy("This phrase has no closing quotation mark. Add it."),
    Problem.LONELY_MINUS: gettext_lazy(
        "Put the minus directly before the word or phrase to exclude."
    ),
    Problem.ONLY_EXCLUDED: gettext_lazy(
        "The search contains only exclusions. Add a word to search for."
    ),
    Problem.NOTHING_TO_FIND: gettext_lazy(
        "This part contains no letter or digit to search for. Remove it."
    ),
    Problem.FIELD: gettext_lazy(
        "Searching in a named field is not supported. To search for the exact text, "
        "put it in quotation marks."
    ),
    Problem.WILDCARD: gettext_lazy("Wildcards are not supported. Write the whole word."),
    Problem.REGEX: gettext_lazy("Regular expressions are not supported. Write plain words."),
    Problem.PARENTHESIS: gettext_lazy(
        "Groups in parentheses are not supported. Remove the parentheses, or put the "
        "text in quotation marks."
    ),
    Problem.BRACKET: gettext_lazy(
        "Ranges in brackets are not supported. Remove the brackets, or put the text in "
        "quotation marks."
    ),
    Problem.OR: gettext_lazy("Alternatives are not supported. Search for each word separately."),
    Problem.AND: gettext_lazy("All words must occur anyway. Remove this."),
    Problem.NOT: gettext_lazy("To exclude a word, put a minus directly before it, as in -word."),
    Problem.PLUS: gettext_lazy("All words must occur anyway. Remove the plus."),
    Problem.FUZZY: gettext_lazy(
        "Fuzzy search and boosting are not supported. Write the plain word."
    ),
}


def sentence(problem: Problem, position: int, found: str) -> str:
    """Say in the reader's language what is wrong, and where (counted from 1)."""
    if problem is Problem.EMPTY:
        return str(SENTENCES[problem])
    return gettext("At character %(position)d (“%(found)s”): %(sentence)s") % {
        "position": position + 1,
        "found": found,
        "sentence": SENTENCES[problem],
    }

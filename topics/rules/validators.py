"""Checks of what a person types about a topic; each message names the line and why."""

import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from crawler.api.pages import canonical_url, is_reading_list, read_reading_list
from crawler.api.reasons import FetchError, ParseError, Reason
from crawler.api.searches import PLACE, find_provider, known_providers, search_address
from topics.rules.parts import parse_parts
from topics.rules.schedule import parse_times, parse_weekdays

MAX_SEEDS = 500
MAX_QUERIES = 50
MAX_SEARCHES = 20
MAX_QUERY_CHARS = 200

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
#: A comma within an address is a part of it.
_BETWEEN = re.compile(r"[\s,;，；、]*(?:\s|[,;，；、](?=https?://|\s|$)|[，；、])[\s,;，；、]*")
_HOST = re.compile(r"[^\s/:]+\.[^\s/:]+(?::\d+)?(?:[/?#]|$)")
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def numbered_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that hold something, with their numbers from 1."""
    stripped = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    return [(number, line) for number, line in stripped if line]


def canonical_seeds(text: str) -> str:
    """Spell every seed the way it is stored, each once, one a line.

    Blanks or commas part the addresses of one line, and one without a scheme is taken for
    https. A feed reader's OPML or a browser's bookmarks, pasted whole, are replaced by their
    addresses.

    Raises
    ------
    ValidationError
        One message per line that is not a usable address.
    """
    seeds, errors = read_seeds(text)
    if errors:
        raise ValidationError(errors)
    return "\n".join(seeds)


def read_seeds(text: str) -> tuple[list[str], list[ValidationError]]:
    """Return the seeds of a text as `canonical_seeds` spells them, and what is wrong with others.

    Raises
    ------
    ValidationError
        If there are too many.
    """
    seeds: dict[str, None] = {}
    errors: list[ValidationError] = []
    lines = [
        (number, place)
        for number, line in numbered_lines(_plain_lines(text))
        for place in _BETWEEN.split(line)
        if place
    ]
    _refuse_many(lines, MAX_SEEDS, _("%(count)d URLs are too many; the limit is %(limit)d."))
    for number, line in lines:
        try:
            seeds[canonical_url(_with_scheme(line))] = None
        except FetchError as error:
            errors.append(_seed_error(number, line, error.reason))
    return list(seeds), errors


def _refuse_many(lines: Sequence[object], limit: int, message: str) -> None:
    if len(lines) > limit:
        params = {"count": len(lines), "limit": limit}
        raise ValidationError(message, code="too_many", params=params)


def _with_scheme(place: str) -> str:
    """An address that begins with a host name, as https; any other stays as it is."""
    has_scheme = _SCHEME.match(place) and not re.match(r"[^/:]+\.[^/:]+:\d", place)
    return f"https://{place}" if not has_scheme and _HOST.match(place) else place


def _plain_lines(text: str) -> str:
    """What was pasted, or the addresses in it if it is a list from elsewhere."""
    if not is_reading_list(text):
        return text
    with suppress(ParseError):  # Without an address, each line gets its own message.
        return "\n".join(entry.url for entry in read_reading_list(text))
    return text


def validate_seeds(text: str) -> None:
    """Every line is an http or https address that may be fetched."""
    canonical_seeds(text)


def validate_queries(text: str) -> None:
    """Every line is a search of reasonable length, without control characters."""
    lines = numbered_lines(text)
    _refuse_many(lines, MAX_QUERIES, _("%(count)d queries are too many; the limit is %(limit)d."))
    errors = [
        ValidationError(
            _(
                "Line %(line)d: a query can have at most %(limit)d characters; this one has "
                "%(count)d."
            ),
            code="too_long",
            params={"line": number, "limit": MAX_QUERY_CHARS, "count": len(line)},
        )
        for number, line in lines
        if len(line) > MAX_QUERY_CHARS
    ]
    errors += [
        ValidationError(
            _("Line %(line)d: contains an invisible control character. Type the line again."),
            code="control",
            params={"line": number},
        )
        for number, line in lines
        if _CONTROL.search(line)
    ]
    if errors:
        raise ValidationError(errors)


def validate_searches(text: str) -> None:
    """Every line is the name of a search provider, or a search URL with a place for the words."""
    lines = numbered_lines(text)
    _refuse_many(
        lines, MAX_SEARCHES, _("%(count)d search providers are too many; the limit is %(limit)d.")
    )
    errors = [
        ValidationError(
            _(
                "Line %(line)d: neither a search URL with %(place)s in it nor one of %(names)s: "
                "%(text)s"
            ),
            code="invalid",
            params={
                "line": number,
                "place": PLACE,
                "names": ", ".join(known_providers()),
                "text": line[:100],
            },
        )
        for number, line in lines
        if find_provider(line) is None and not _is_search_url(line)
    ]
    if errors:
        raise ValidationError(errors)


def _is_search_url(line: str) -> bool:
    if PLACE not in line.partition("://")[2].partition("/")[2]:
        return False
    try:
        canonical_url(search_address(line, "a"))
    except FetchError:
        return False
    return True


def validate_languages(text: str) -> None:
    """Codes of two or three small letters, separated by commas."""
    for word in text.split(","):
        code = word.strip()
        if code and not _LANGUAGE.fullmatch(code):
            raise ValidationError(
                _("“%(word)s” is not a language code. Write codes such as zh, en."),
                code="invalid",
                params={"word": code},
            )


def validate_finite(value: float) -> None:
    """A real number: nan passes every comparison with a limit."""
    if not math.isfinite(value):
        # Not the code "invalid": Django would put the field's own message in its place.
        raise ValidationError(_("Enter a number."), code="not_finite")


def _refuse_word(parse: Callable[[str], object], text: str, message: str) -> None:
    """Refuse a list with `message` if a word of it cannot be read."""
    try:
        parse(text)
    except ValueError as error:
        params = {"word": error.args[0]}
        raise ValidationError(message, code="invalid", params=params) from error


def validate_weekdays(text: str) -> None:
    """Names of days, separated by commas or blanks."""
    _refuse_word(parse_weekdays, text, _("“%(word)s” is not a day. Write days such as mon, thu."))


def validate_parts(text: str) -> None:
    """Names of what a mail has in addition to pages."""
    _refuse_word(parse_parts, text, _("“%(word)s” is not a part of a mail."))


def validate_times(text: str) -> None:
    """Times of day, separated by commas or blanks."""
    _refuse_word(
        parse_times, text, _("“%(word)s” is not a time. Write times such as 12:30, 18:00.")
    )


def validate_zone(text: str) -> None:
    """The name of an IANA time zone."""
    try:
        ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValidationError(
            _("“%(zone)s” is not a time zone. Write one such as Asia/Shanghai or UTC."),
            code="invalid",
            params={"zone": text},
        ) from error


def _seed_error(number: int, line: str, reason: Reason) -> ValidationError:
    why = {
        Reason.URL_TOO_LONG: _("the URL is too long"),
        Reason.PORT_FORBIDDEN: _("allowed ports are 80, 443 and 8000 to 8999"),
    }.get(reason, _("not an http or https URL"))
    shown = line if len(line) <= 100 else f"{line[:100]}…"
    return ValidationError(
        _("Line %(line)d: %(why)s: %(text)s"),
        code="invalid",
        params={"line": number, "why": why, "text": shown},
    )

"""Why something stopped: the closed list of reason codes.

Every URL, page and run that stops carries one of these. The sentences that
people read live in `topics.reasons`; a test holds the two lists together.
"""

from enum import StrEnum


class Reason(StrEnum):
    """Why a URL ended where it did."""

    # It worked, or led elsewhere.
    FETCHED = "fetched"
    REDIRECTED = "redirected"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"
    NO_ENTRIES = "no_entries"
    # Not fetched, by our own rules.
    URL_INVALID = "url_invalid"
    URL_TOO_LONG = "url_too_long"
    PORT_FORBIDDEN = "port_forbidden"
    ADDRESS_FORBIDDEN = "address_forbidden"
    ROBOTS_FORBIDDEN = "robots_forbidden"
    ROBOTS_UNREACHABLE = "robots_unreachable"
    NO_CONTACT = "no_contact"
    SITE_STOPPED = "site_stopped"
    SITE_QUARANTINED = "site_quarantined"
    SITE_BUDGET = "site_budget"
    TRAP = "trap"
    # The exchange failed.
    NAME_UNKNOWN = "name_unknown"
    NAME_UNANSWERED = "name_unanswered"
    CONNECT_FAILED = "connect_failed"
    CONNECT_TIMEOUT = "connect_timeout"
    TLS_FAILED = "tls_failed"
    DEADLINE = "deadline"
    INCOMPLETE = "incomplete"
    TOO_LARGE = "too_large"
    BAD_ENCODING = "bad_encoding"
    BAD_RESPONSE = "bad_response"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    REDIRECT_FORBIDDEN = "redirect_forbidden"
    # The server answered, but with no page.
    GONE = "gone"
    ACCESS_DENIED = "access_denied"
    CLIENT_ERROR = "client_error"
    SERVER_ERROR = "server_error"
    TOO_MANY_REQUESTS = "too_many_requests"
    # The response is not a page we can use.
    NOT_HTML = "not_html"
    UNREADABLE_LIST = "unreadable_list"
    EMPTY = "empty"
    NO_TEXT = "no_text"
    PDF_WITHOUT_TEXT = "pdf_without_text"
    PDF_ENCRYPTED = "pdf_encrypted"
    PDF_UNREADABLE = "pdf_unreadable"
    NOINDEX = "noindex"
    SOFT_404 = "soft_404"
    PARSER_LIMIT = "parser_limit"
    PARSER_CRASHED = "parser_crashed"
    QUARANTINED = "quarantined"
    TOO_MANY_TRIES = "too_many_tries"


class StopReason(StrEnum):
    """Why a run of a crawl ended."""

    BUDGET = "budget"
    FRONTIER_EMPTY = "frontier_empty"
    STRATEGY_ENDED = "strategy_ended"
    REST_LATER = "rest_later"
    STOPPED = "stopped"
    NO_SEEDS = "no_seeds"
    NOTHING_REACHABLE = "nothing_reachable"
    ALL_REST = "all_rest"
    NO_CONTACT = "no_contact"


#: Reasons why no request was made at all.
WITHOUT_REQUEST: frozenset[Reason] = frozenset(
    {
        Reason.URL_INVALID,
        Reason.URL_TOO_LONG,
        Reason.PORT_FORBIDDEN,
        Reason.ADDRESS_FORBIDDEN,
        Reason.ROBOTS_FORBIDDEN,
        Reason.ROBOTS_UNREACHABLE,
        Reason.NO_CONTACT,
        Reason.SITE_STOPPED,
        Reason.SITE_QUARANTINED,
        Reason.SITE_BUDGET,
        Reason.TRAP,
    }
)

#: Reasons that mean "not now": the URL goes back to the frontier with a pause.
TEMPORARY: frozenset[Reason] = frozenset(
    {
        Reason.SITE_BUDGET,
        Reason.ROBOTS_UNREACHABLE,
        Reason.NAME_UNANSWERED,
        Reason.CONNECT_FAILED,
        Reason.CONNECT_TIMEOUT,
        Reason.DEADLINE,
        Reason.INCOMPLETE,
        Reason.SERVER_ERROR,
        Reason.TOO_MANY_REQUESTS,
        Reason.PARSER_LIMIT,
        Reason.PARSER_CRASHED,
    }
)

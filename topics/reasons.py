"""Every reason code as a sentence, and what a person can do about it."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from crawler.reasons import Reason, StopReason


@dataclass(frozen=True, slots=True)
class Sentence:
    """What happened, and what to do; the latter is empty when nothing needs doing."""

    what: str | Promise
    advice: str | Promise = ""


#: Ends that are no failure.
FINE: Final[frozenset[str]] = frozenset(
    {Reason.FETCHED, Reason.REDIRECTED, Reason.UNCHANGED, Reason.DUPLICATE, Reason.NO_ENTRIES}
)

_NOTHING = _("Nothing needs doing.")
_LATER = _("It is tried again later by itself.")
_CHECK_SEED = _("If it is a seed, check it in a browser and correct or remove it.")

REASONS: Final[dict[Reason, Sentence]] = {
    Reason.FETCHED: Sentence(_("The page was fetched and judged."), _NOTHING),
    Reason.REDIRECTED: Sentence(
        _("The address leads to another one, which is followed instead."), _NOTHING
    ),
    Reason.UNCHANGED: Sentence(_("The page has not changed since the last look."), _NOTHING),
    Reason.DUPLICATE: Sentence(_("The same page is already stored from elsewhere."), _NOTHING),
    Reason.NO_ENTRIES: Sentence(
        _("The feed or sitemap lists no address that could be followed at the moment."),
        _("It is looked at again later; a new entry is found then."),
    ),
    Reason.URL_INVALID: Sentence(_("This is no http or https address."), _CHECK_SEED),
    Reason.URL_TOO_LONG: Sentence(
        _("The address is longer than 2,048 characters."),
        _("Such addresses are usually made by machines; nothing needs doing."),
    ),
    Reason.PORT_FORBIDDEN: Sentence(
        _("The address names a port where no web pages are looked for."),
        _("Only the ports 80, 443 and 8000 to 8999 are visited."),
    ),
    Reason.ADDRESS_FORBIDDEN: Sentence(
        _("The name leads into a private network, which is never entered."),
        _("Use an address that is reachable from the public web."),
    ),
    Reason.ROBOTS_FORBIDDEN: Sentence(
        _("The site's robots.txt asks not to fetch this page."),
        _("Ask the site's owner, or use pages of other sites as seeds."),
    ),
    Reason.ROBOTS_UNREACHABLE: Sentence(
        _("The site's robots.txt gave no usable answer, so nothing is fetched there for now."),
        _LATER,
    ),
    Reason.NO_CONTACT: Sentence(
        _("No contact address is set, and without one the public web is not asked for pages."),
        _("Set FOCUSWEB_CONTACT_URL to a page that says who you are."),
    ),
    Reason.SITE_STOPPED: Sentence(
        _("This site was stopped by hand."),
        _("Allow the site again in the administration if you want its pages."),
    ),
    Reason.SITE_QUARANTINED: Sentence(
        _("Each time this site's robots.txt was read the program died, so the site was stopped."),
        _("To try again, allow the site in the administration."),
    ),
    Reason.SITE_BUDGET: Sentence(
        _("The site has used up its share of this run."), _("The next run goes on here.")
    ),
    Reason.TRAP: Sentence(
        _("The address looks like one of endlessly many, such as the days of a calendar."),
        _NOTHING,
    ),
    Reason.NAME_UNKNOWN: Sentence(_("No site of this name exists."), _CHECK_SEED),
    Reason.NAME_UNANSWERED: Sentence(
        _("The name service gave no answer about this site."),
        _("It is tried again later; if all sites fail so, check this computer's connection."),
    ),
    Reason.CONNECT_FAILED: Sentence(_("The site refused the connection."), _LATER),
    Reason.CONNECT_TIMEOUT: Sentence(_("The site did not answer in time."), _LATER),
    Reason.TLS_FAILED: Sentence(
        _("No safe connection could be made: the site's certificate or encryption is wrong."),
        _("Look at the site in a browser; perhaps the plain address has changed."),
    ),
    Reason.DEADLINE: Sentence(_("The site sent its answer too slowly."), _LATER),
    Reason.INCOMPLETE: Sentence(_("The connection broke before the page was complete."), _LATER),
    Reason.TOO_LARGE: Sentence(_("The page or file is larger than is read."), _NOTHING),
    Reason.BAD_ENCODING: Sentence(
        _("The compressed answer of the site could not be unpacked."), _NOTHING
    ),
    Reason.BAD_RESPONSE: Sentence(
        _("The site's answer does not follow the rules of HTTP."), _NOTHING
    ),
    Reason.TOO_MANY_REDIRECTS: Sentence(
        _("The address leads on and on without an end."), _CHECK_SEED
    ),
    Reason.REDIRECT_FORBIDDEN: Sentence(
        _("The address leads to a place that is never visited."), _CHECK_SEED
    ),
    Reason.GONE: Sentence(_("The page does not exist (any more)."), _CHECK_SEED),
    Reason.ACCESS_DENIED: Sentence(
        _("The site shows this page only to people it knows."),
        _("Pages behind a login are not read; use public pages as seeds."),
    ),
    Reason.CLIENT_ERROR: Sentence(_("The site refused the request."), _CHECK_SEED),
    Reason.SERVER_ERROR: Sentence(_("The site reported an error of its own."), _LATER),
    Reason.TOO_MANY_REQUESTS: Sentence(
        _("The site asked for a pause."), _("It is given one, and tried again later.")
    ),
    Reason.NOT_HTML: Sentence(
        _("The address holds neither a web page nor a PDF file but, for example, a picture."),
        _NOTHING,
    ),
    Reason.UNREADABLE_LIST: Sentence(
        _("The address holds a feed or sitemap that cannot be read."), _CHECK_SEED
    ),
    Reason.EMPTY: Sentence(_("The page is empty."), _NOTHING),
    Reason.NO_TEXT: Sentence(_("The page holds no text that could be judged."), _NOTHING),
    Reason.PDF_WITHOUT_TEXT: Sentence(
        _("The PDF file holds no text that could be judged, only pictures of its pages."), _NOTHING
    ),
    Reason.PDF_ENCRYPTED: Sentence(_("The PDF file opens with a password only."), _NOTHING),
    Reason.PDF_UNREADABLE: Sentence(_("The PDF file is damaged and cannot be read."), _CHECK_SEED),
    Reason.NOINDEX: Sentence(_("The page asks not to be stored."), _NOTHING),
    Reason.SOFT_404: Sentence(
        _("The page only says that there is nothing at this address."), _CHECK_SEED
    ),
    Reason.PARSER_LIMIT: Sentence(
        _("Reading the page took more time or memory than is allowed."), _LATER
    ),
    Reason.PARSER_CRASHED: Sentence(_("The page could not be read."), _LATER),
    Reason.QUARANTINED: Sentence(
        _("Each time this page was fetched alone its collector died, so it is left alone."),
        _NOTHING,
    ),
    Reason.TOO_MANY_TRIES: Sentence(
        _("The page failed too often and is given up."), _CHECK_SEED
    ),
}  # fmt: skip

STOP_REASONS: Final[dict[StopReason, Sentence]] = {
    StopReason.BUDGET: Sentence(
        _("The run fetched as many pages as the topic allows."),
        _("Raise the topic's pages per run if you want more at once."),
    ),
    StopReason.FRONTIER_EMPTY: Sentence(
        _("Every page within reach of the seeds has been fetched."),
        _("Later runs look there for what is new. To reach further, add seeds or raise the depth."),
    ),
    StopReason.STOPPED: Sentence(
        _("Somebody stopped the run."), _("Start it again when you like.")
    ),
    StopReason.TIME_LIMIT: Sentence(
        _("The run took as long as a run may take."), _("The next run goes on from here.")
    ),
    StopReason.NO_SEEDS: Sentence(
        _("There was no place to start from."),
        _("Give the topic seed URLs, or seed queries and a search engine."),
    ),
    StopReason.NOTHING_REACHABLE: Sentence(
        _("None of the seeds could be fetched."),
        _("The list of reasons on the run's page says why for each; check the seeds in a browser."),
    ),
    StopReason.ALL_REST: Sentence(
        _(
            "Nothing was asked for: all that is known rests after failing or after a look within"
            " the last hour, or is blocked."
        ),
        _("Sources and sites on the topic's page says until when, and lets you end a rest."),
    ),
    StopReason.NO_CONTACT: Sentence(
        _("No contact address is set, and without one the public web is not crawled."),
        _("Set FOCUSWEB_CONTACT_URL to a page that says who you are, and start again."),
    ),
}

_UNKNOWN = Sentence(_("The reason is not known to this version of the program."))


def sentence(code: str) -> Sentence:
    """The sentence of a reason as stored; one that says so if it is unknown."""
    return _BY_CODE.get(code, _UNKNOWN)


def stop_sentence(code: str) -> Sentence:
    """The sentence of a stop reason as stored; one that says so if it is unknown."""
    return _BY_STOP_CODE.get(code, _UNKNOWN)


_BY_CODE: Final[dict[str, Sentence]] = {reason.value: told for reason, told in REASONS.items()}
_BY_STOP_CODE: Final[dict[str, Sentence]] = {
    stop.value: told for stop, told in STOP_REASONS.items()
}

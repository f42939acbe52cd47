"""One spelling for every URL: parsed once by the WHATWG rules, then never again.

Only what these functions return is stored, compared or fetched, so no second
parser can ever see another host in the same text.
"""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ada_url import join_url, normalize_url

from crawler.errors import FetchError
from crawler.reasons import Reason

if TYPE_CHECKING:
    from tldextract import TLDExtract

MAX_URL_CHARS: Final = 2048
#: The longest name a host can have (RFC 1035, 2.3.4), as the dotted text people write.
MAX_HOST_CHARS: Final = 253
#: A text this long is not even parsed; tabs and dot segments it may hold cost time.
MAX_TEXT_CHARS: Final = 4 * MAX_URL_CHARS
#: Addresses of which is remembered what their spelling says: at 2 KiB each, 8 MiB.
MAX_REMEMBERED: Final = 4096

_DEFAULT_PORTS = {"http": 80, "https": 443}

# Parameters that say where a click came from, and never which page it is.
_TRACKING = re.compile(
    r"utm_\w*|[fg]bclid|gclid|gclsrc|[dy]clid|gbraid|wbraid|msclkid|igshid|twclid|ttclid"
    r"|mc_[ce]id|_ga|_gl|_hsenc|_hsmi|mkt_tok|spm|scm|spm_id_from|vd_source|bd_vid"
    r"|hm(?:sr|pl|cu|kw|ci)"
    r"|phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|session_?id|zenid|oscsid",
    re.IGNORECASE,
)
_SHOWN_CHARS = 200
_SECRET = re.compile(r"token|secret|passw|pwd|key|auth|sig|session|credential|code", re.IGNORECASE)
# None of these runs past where its next match may begin: they stay linear on hostile text.
_PARAMETER_NAME = re.compile(r"[?&;#]([^?&;#=]*)=")
_PARAMETER_START = re.compile(r"(?=[&#])")
_USER_INFO = re.compile(r"([/\\]{2})[^/\\?#]*@")
_SESSION_VALUE = re.compile(r"(?:sid|s)=[0-9a-f]{32}", re.IGNORECASE)
_SESSION_SEGMENT = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?&;]*", re.IGNORECASE)


def is_port_allowed(port: int) -> bool:
    """True for the ports web pages live on: 80, 443 and 8000 to 8999."""
    return port in (80, 443) or 8000 <= port <= 8999


def canonical_url(text: str, base: str | None = None, *, any_port: bool = False) -> str:
    """Return the one spelling under which a URL is stored and fetched.

    Parameters
    ----------
    text : str
        As found; relative if `base` is given.
    base : str, optional
        Absolute URL of the page the text was found on.
    any_port : bool, default False
        Accept every port, for addresses the operator named.

    Returns
    -------
    str
        ASCII, http or https, without fragment, at most 2,048 characters.

    Raises
    ------
    FetchError
        URL_INVALID (no URL, another scheme, user info, no host), URL_TOO_LONG,
        NAME_UNKNOWN (no host can have this name) or PORT_FORBIDDEN; `detail` shows the text.

    References
    ----------
    WHATWG URL Standard, sections 4.4 and 4.5.
    """
    if len(text) > MAX_TEXT_CHARS:
        raise FetchError(
            Reason.URL_TOO_LONG, f"{len(text)} characters: {shown_url(text)[:80]!r}..."
        )
    try:
        href = normalize_url(text) if base is None else join_url(base, text)
    except ValueError as error:
        raise FetchError(Reason.URL_INVALID, f"not a URL: {shown_url(text)!r}") from error
    # In the serialised form a '#' can only start the fragment.
    url: str = href.partition("#")[0]
    if not url.startswith(("https://", "http://")):
        raise FetchError(Reason.URL_INVALID, f"not http or https: {shown_url(url)!r}")
    if len(url) > MAX_URL_CHARS:
        raise FetchError(Reason.URL_TOO_LONG, f"{len(url)} characters: {shown_url(url)[:80]!r}...")
    authority = _authority(url)
    host = _host(authority)
    if "@" in authority:
        raise FetchError(Reason.URL_INVALID, f"user name in the address of {host[:80]!r}")
    if not host:
        raise FetchError(Reason.URL_INVALID, f"no host: {shown_url(url)!r}")
    if len(host) > MAX_HOST_CHARS:
        raise FetchError(Reason.NAME_UNKNOWN, f"no such name can be: {host[:80]}...")
    port = _port(authority)
    if port is not None and not any_port and not is_port_allowed(port):
        raise FetchError(Reason.PORT_FORBIDDEN, f"port {port} in {shown_url(url)!r}")
    return url


def find_canonical(text: str, base: str | None = None) -> str:
    """Return `canonical_url`, or "" for what is not an address that a crawl may fetch."""
    try:
        return canonical_url(text, base)
    except FetchError:
        return ""


def normalise_link(url: str) -> str:
    """Drop click tracking and session ids from a canonical URL; keep all else as it is."""
    if ";" in url:
        # A host may hold what looks like a session id: without it, the URL would be another site's.
        start = url.index("/", url.index("/") + 2)
        url = url[:start] + _SESSION_SEGMENT.sub("", url[start:])
    head, mark, query = url.partition("?")
    if not mark:
        return url
    pairs = query.split("&")
    kept = [pair for pair in pairs if not _is_noise(pair)]
    if len(kept) == len(pairs):
        return url
    return f"{head}?{'&'.join(kept)}" if kept else head


def shown_url(text: str) -> str:
    """Return a URL, valid or not, fit for logs and error messages.

    User info is left out, it is cut at 200 characters, and values of parameters that
    look secret become "***".
    """
    shown = _USER_INFO.sub(r"\1", text[:MAX_TEXT_CHARS])[:_SHOWN_CHARS]
    return "".join(map(_masked, _PARAMETER_START.split(shown)))[:_SHOWN_CHARS]


@lru_cache(maxsize=MAX_REMEMBERED)
def site_of(url: str) -> str:
    """Name the site of a canonical URL: its host, with the port unless the scheme's own.

    A host's trailing dot is left out, so that politeness cannot be walked around with it.
    """
    host, port = host_of(url), _port(_authority(url))
    return host if port is None else f"{host}:{port}"


def is_front_page(url: str) -> bool:
    """True for the canonical address of a site's front page."""
    return url.endswith("/") and url.count("/") == 3


def host_of(url: str) -> str:
    """Return the host of a canonical URL, without port or trailing dot; IPv6 in brackets."""
    return _host(_authority(url))


def port_of(url: str) -> int:
    """Return the port of a canonical URL, the scheme's own if it names none."""
    port = _port(_authority(url))
    return _DEFAULT_PORTS[url.partition(":")[0]] if port is None else port


def domain_of(url: str) -> str:
    """Return the registrable domain of a canonical URL ("www.a.co.uk" gives "a.co.uk").

    The host itself for an address or a public suffix. The suffix list is the
    one that came with the package; nothing is fetched.
    """
    return _registrable(host_of(url))


@lru_cache(maxsize=16384)
def _registrable(host: str) -> str:
    if host.startswith("[") or host.rpartition(".")[2].isdigit():
        return host
    found = _suffixes().extract_str(host)
    if found.suffix:
        return f"{found.domain}.{found.suffix}" if found.domain else host
    # The list's own rule for a suffix it does not know: the last label.
    return ".".join(host.split(".")[-2:])


@lru_cache(maxsize=1)
def _suffixes() -> "TLDExtract":
    # Imported late: it brings in an HTTP client, which parse children never need.
    from tldextract import TLDExtract

    return TLDExtract(
        suffix_list_urls=(),
        cache_dir=None,
        include_psl_private_domains=True,
        # The demo web's sites belong to different people, as those of a hosting service do.
        extra_suffixes=("demo.test",),
    )


def _authority(url: str) -> str:
    return url[url.index("/") + 2 :].partition("/")[0]


def _host(authority: str) -> str:
    bare = authority.rpartition("@")[2]
    name = bare if bare.endswith("]") else bare.rpartition(":")[0] or bare
    return name.rstrip(".")


def _port(authority: str) -> int | None:
    """Return the port an authority names, None if it is the scheme's own."""
    if ":" not in authority or authority.endswith("]"):
        return None
    return int(authority.rpartition(":")[2])


def _masked(parameter: str) -> str:
    """Replace all that follows a name that looks secret, up to the next parameter."""
    for name in _PARAMETER_NAME.finditer(parameter):
        if _SECRET.search(name[1]):
            return f"{parameter[: name.end()]}***"
    return parameter


def _is_noise(pair: str) -> bool:
    name = pair.partition("=")[0]
    return bool(_TRACKING.fullmatch(name) or _SESSION_VALUE.fullmatch(pair))

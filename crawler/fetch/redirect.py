"""Where a redirect leads, and whether it may."""

from collections.abc import Mapping

from crawler.errors import FetchError
from crawler.fetch.config import FetchConfig
from crawler.fetch.guard import forbidden_range
from crawler.page.url import canonical_url, host_of, port_of, shown_url
from crawler.reasons import Reason


def redirect_target(url: str, fields: Mapping[str, str], config: FetchConfig) -> str:
    """Return the canonical target of a redirect.

    Raises
    ------
    FetchError
        REDIRECT_FORBIDDEN if the target is missing, not a web URL, at a forbidden address, or leads
        from https to http; `detail` names both ends.
    """
    location = _as_text(fields.get("location", ""))
    if not location.strip():
        raise _forbidden(url, location, "no target")
    try:
        target = canonical_url(location, url, any_port=True)
        host = host_of(target)
        if f"{host}:{port_of(target)}" in config.allowed_hosts:
            return target
        canonical_url(target)
    except FetchError as error:
        raise _forbidden(url, location, str(error)) from error
    if url.startswith("https:") and target.startswith("http:"):
        raise _forbidden(url, location, "from https to http")
    if _is_numeric(host) and config.connect_rule(host.strip("[]")) is None:
        name = forbidden_range(host.strip("[]"))
        if name is not None:
            raise _forbidden(url, location, name)
    return target


def _is_numeric(host: str) -> bool:
    return host.startswith("[") or host.rpartition(".")[2].isdigit()


def _as_text(location: str) -> str:
    """Undo the Latin-1 that header fields are read as, if the server meant UTF-8."""
    try:
        return location.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return location


def _forbidden(url: str, location: str, why: str) -> FetchError:
    detail = f"{shown_url(url)} leads to {shown_url(location)!r}: {why}"
    return FetchError(Reason.REDIRECT_FORBIDDEN, detail)

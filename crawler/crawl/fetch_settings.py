"""What the installation's settings say of fetching: which hosts, how, and how often."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from django.conf import settings

from crawler.errors import ConfigurationError, FetchError
from crawler.fetch.config import (
    FetchConfig,
    Limits,
    build_user_agent,
    is_connected,
    parse_connect_to,
    parse_unproved_hosts,
)
from crawler.page.url import canonical_url, host_of, port_of


def fetch_config() -> FetchConfig:
    """How the door behaves, from the settings.

    Without a contact page only hosts of the test map are fetched (see `may_fetch`), and those need
    no contact.
    """
    return FetchConfig(
        _user_agent(),
        parse_connect_to(settings.CONNECT_TO),
        _operators_hosts(),
        parse_unproved_hosts(settings.UNPROVED_HOSTS),
        Limits(pdf_bytes=settings.PDF_BYTES),
    )


def _user_agent() -> str:
    return build_user_agent(settings.CONTACT_URL or "http://localhost/")


def _operators_hosts() -> frozenset[str]:
    """The search engine's address: often a private one, and the operator named it."""
    if not settings.SEARXNG_URL:
        return frozenset()
    try:
        url = canonical_url(settings.SEARXNG_URL, any_port=True)
    except FetchError as error:
        raise ConfigurationError(error.detail) from error
    return frozenset({f"{host_of(url)}:{port_of(url)}"})


#: How each setting of fetching is read, by its environment variable.
_READERS: Final[Mapping[str, Callable[[], object]]] = {
    "FOCUSWEB_CONTACT_URL": _user_agent,
    "FOCUSWEB_CONNECT_TO": lambda: parse_connect_to(settings.CONNECT_TO),
    "FOCUSWEB_SEARXNG_URL": _operators_hosts,
    "FOCUSWEB_UNPROVED_HOSTS": lambda: parse_unproved_hosts(settings.UNPROVED_HOSTS),
}


def wrong_settings() -> Iterator[tuple[str, str]]:
    """Yield the environment variables of fetching that cannot be read, and what is wrong."""
    for name, read in _READERS.items():
        try:
            read()
        except ConfigurationError as error:
            yield name, str(error)


def may_fetch(host: str) -> bool:
    """True if a host may be contacted: a contact page is set, or the host is in the test map."""
    return bool(settings.CONTACT_URL) or is_connected(host, settings.CONNECT_TO)


def site_delay_s(site: str) -> float:
    """Return the usual rest of a site between two requests, in seconds."""
    mapped = is_connected(host_of(f"http://{site}/"), settings.CONNECT_TO)
    return settings.MAPPED_SITE_DELAY_S if mapped else settings.SITE_DELAY_S

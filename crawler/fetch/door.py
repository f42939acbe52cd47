"""The only door to the network: one guarded, bounded exchange at a time."""

import ssl
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, Self

import requests
from requests import Response
from urllib3.util import Timeout

from crawler.errors import FetchError
from crawler.fetch.body import ACCEPT_ENCODING, decode_body
from crawler.fetch.config import FetchConfig
from crawler.fetch.connection import Exchange, GuardedAdapter
from crawler.fetch.deadline import Deadline
from crawler.fetch.fetched import Fetched
from crawler.fetch.redirect import redirect_target
from crawler.fetch.refusal import is_called_pdf, refusal, status_refusal
from crawler.fetch.resolver import Resolver, system_addresses
from crawler.fetch.route import Opener, Router, open_socket
from crawler.fetch.wire import BoundedResponse
from crawler.page.pdf.pdf_pages import is_pdf
from crawler.page.url import canonical_url, host_of, port_of, site_of
from crawler.reasons import Reason
from focusweb.failpoints import pass_point

__all__ = ["Door", "Fetched", "refusal", "status_refusal"]

_REDIRECTS: Final = (301, 302, 303, 307, 308)
_CONDITIONS: Final = {"if-none-match", "if-modified-since"}
_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})


class Door:
    """Fetches URLs; safe to share between threads.

    Redirects are never followed here: each hop is a URL of its own, with its
    own robots rules and its own host to be polite to.

    Parameters
    ----------
    resolver : Resolver, optional
        Looks up host names; the system's by default.
    opener : Opener, optional
        Connects to an address that was checked; a plain TCP socket by default.
    tls : ssl.SSLContext, optional
        What to trust; the system's and certifi's authorities by default.
    """

    def __init__(
        self,
        config: FetchConfig,
        *,
        resolver: Resolver = system_addresses,
        opener: Opener = open_socket,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._config = config
        self._limits = config.limits
        self._router = Router(config, resolver, opener)
        self._adapter = GuardedAdapter(
            self._router,
            idle_hosts=config.limits.idle_hosts,
            tls=tls,
            unproved_hosts=config.unproved_hosts,
        )
        self._timeout = Timeout(connect=self._limits.connect_s, read=self._limits.first_byte_s)
        self._headers = {
            "User-Agent": config.user_agent,
            "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5",
            "Accept-Encoding": ACCEPT_ENCODING,
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every idle connection."""
        self._adapter.close()

    def fetch(
        self,
        url: str,
        *,
        headers: Mapping[str, str] = _NO_HEADERS,
        cut_at: int | None = None,
    ) -> Fetched:
        """Make one exchange and return its answer, whatever the status.

        Parameters
        ----------
        url : str
            Absolute http or https URL.
        headers : mapping, optional
            Sent with this request only, for example If-None-Match.
        cut_at : int, optional
            Return the first bytes of a longer body, this many, instead of refusing it.

        Raises
        ------
        FetchError
            With the reason why there is no response.
        """
        url = canonical_url(url, any_port=True)
        exchange = self._exchange(url)
        sent = {"Host": site_of(url), **self._headers, **headers}
        try:
            response = self._send(exchange, sent)
        except FetchError as error:
            # The server may have closed an idle connection. As not a single byte of a response
            # came, it is safe to send the request again (RFC 9112, 9.3.1).
            if exchange.fresh or _n_received(exchange) or error.reason is Reason.DEADLINE:
                raise
            exchange.answer = None
            response = self._send(exchange, sent)
        fetched = self._receive(url, exchange, response, cut_at)
        if fetched.status == 304 and _CONDITIONS.isdisjoint(map(str.lower, headers)):
            raise FetchError(Reason.BAD_RESPONSE, "answered 304 to a request without a condition")
        return fetched

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str] = _NO_HEADERS) -> Fetched:
        """Send a body once and return the answer, whatever the status; a redirect is not followed.

        Behind the same guard, deadline and limits as `fetch`. Nothing is sent a second time: the
        server may have taken the body although no answer came.

        Raises
        ------
        FetchError
            With the reason why there is no response.
        """
        url = canonical_url(url, any_port=True)
        exchange = self._exchange(url)
        exchange.body = body
        length = {"Content-Length": str(len(body))}
        sent = {"Host": site_of(url), **self._headers, **headers, **length}
        return self._receive(url, exchange, self._send(exchange, sent), None)

    def _exchange(self, url: str) -> Exchange:
        host, port = host_of(url), port_of(url)
        if f"{host}:{port}" not in self._config.allowed_hosts:
            canonical_url(url)
        scheme, _, rest = url.partition("://")
        target = rest[rest.index("/") :]
        return Exchange(
            scheme=scheme,
            host=host.strip("[]"),
            port=port,
            target=target,
            deadline=Deadline(self._limits.exchange_s),
            limits=self._limits,
        )

    def _send(self, exchange: Exchange, headers: Mapping[str, str]) -> Response:
        try:
            return self._adapter.exchange(exchange, headers, self._timeout)
        except requests.exceptions.SSLError as error:
            raise FetchError(Reason.TLS_FAILED, _innermost(error)) from error
        except requests.exceptions.Timeout as error:
            # Answers have their own clock, so this is the handshake or the request.
            reason = Reason.CONNECT_TIMEOUT if exchange.fresh else Reason.DEADLINE
            raise FetchError(reason, _innermost(error)) from error
        except requests.exceptions.RequestException as error:
            raise FetchError(Reason.CONNECT_FAILED, _innermost(error)) from error

    def _receive(
        self, url: str, exchange: Exchange, response: Response, cut_at: int | None
    ) -> Fetched:
        answer = exchange.answer
        if answer is None:
            raise FetchError(Reason.BAD_RESPONSE, "the exchange left no answer")
        try:
            redirect_to = ""
            if answer.status in _REDIRECTS:
                redirect_to = redirect_target(url, answer.fields, self._config)
            pass_point("fetch.headers")
            body = self._body(url, answer, bool(redirect_to), cut_at)
            pass_point("fetch.body")
        finally:
            if answer.whole:
                answer.close()
            else:
                response.raw.close()
            response.raw.release_conn()
        return Fetched(
            url=url,
            status=answer.status,
            headers=answer.fields,
            body=body,
            redirect_to=redirect_to,
            address=exchange.address,
            wire_bytes=answer.reader.n_received,
        )

    def _body(
        self, url: str, answer: BoundedResponse, is_redirect: bool, cut_at: int | None
    ) -> bytes:
        limits = self._limits
        encoding = answer.fields.get("content-encoding", "")
        if is_redirect or answer.status >= 400:
            # Read so that the connection can be reused, and to show the text of an error page.
            try:
                wire = answer.read_body(limits.error_body_bytes, cut=True)
                if is_redirect:
                    return b""
                return decode_body(wire, encoding, limits, cut_at=limits.error_body_bytes)
            except FetchError:
                # The head has said what matters: where it leads, that it is gone, when to return.
                return b""
        if is_called_pdf(url, answer.fields):
            limits = replace(limits, wire_bytes=limits.pdf_bytes, decoded_bytes=limits.pdf_bytes)
        wire = answer.read_body(limits.wire_bytes, cut=cut_at is not None)
        body = decode_body(wire, encoding, limits, cut_at=cut_at)
        if len(body) > self._limits.decoded_bytes and not is_pdf(body):
            detail = f"called a PDF file, but a page of over {self._limits.decoded_bytes} bytes"
            raise FetchError(Reason.TOO_LARGE, detail)
        return body


def _n_received(exchange: Exchange) -> int:
    return exchange.answer.reader.n_received if exchange.answer else 0


def _innermost(error: BaseException) -> str:
    """Return the message of the error at the root; the wrappers only repeat it."""
    while isinstance(cause := error.__cause__ or error.__context__, Exception):
        error = cause
    return str(error) or type(error).__name__

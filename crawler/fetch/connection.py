"""Connections to addresses that the guard allows only, pooled by requests' adapter."""

import http.client
import logging
import ssl
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3._collections import RecentlyUsedContainer
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.response import BaseHTTPResponse

from crawler.fetch.config import Limits
from crawler.fetch.deadline import Deadline
from crawler.fetch.route import Router
from crawler.fetch.wire import BoundedResponse

logger = logging.getLogger(__name__)

# Its debug lines show whole URLs, and with them what secrets their queries hold.
logging.getLogger("urllib3").setLevel(logging.INFO)


@dataclass(slots=True)
class Exchange:
    """One request and its answer, on the way through urllib3.

    `host` has no brackets; `target` is path and query exactly as canonical. With a `body` the
    request is a POST, else a GET.
    """

    scheme: str
    host: str
    port: int
    target: str
    deadline: Deadline
    limits: Limits
    body: bytes | None = None
    fresh: bool = False
    address: str = ""
    answer: BoundedResponse | None = field(default=None)


class _Current(threading.local):
    exchange: Exchange


# urllib3 has no way to hand a value from a call down to its connection.
_current = _Current()


class _Guarded(HTTPConnection):
    """A connection opened by the router, answering with bounded responses."""

    def __init__(self, *args: Any, router: Router, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._router = router
        self._address = ""

    def _new_conn(self) -> Any:
        exchange = _current.exchange
        exchange.fresh = True
        sock, self._address = self._router.connect(exchange.host, exchange.port, exchange.deadline)
        return sock

    def request(self, method: str, url: str, *args: Any, **kwargs: Any) -> None:
        # Not urllib3's own respelling of the URL: what was checked is what is sent.
        super().request(method, _current.exchange.target, *args, **kwargs)

    def response_class(  # type: ignore[override]
        self, sock: Any, debuglevel: int = 0, method: str | None = None, url: str | None = None
    ) -> http.client.HTTPResponse:
        exchange = _current.exchange
        exchange.address = self._address
        exchange.answer = BoundedResponse(
            sock, method=method, deadline=exchange.deadline, limits=exchange.limits
        )
        return exchange.answer


class _GuardedTLS(_Guarded, HTTPSConnection):
    """The same over TLS."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Guarded


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _GuardedTLS


class _UnprovedPool(_TLSPool):
    def _validate_conn(self, conn: Any) -> None:
        # As urllib3 does, without its warning at each connection: ours is logged once.
        if conn.is_closed:
            conn.connect()


class GuardedAdapter(HTTPAdapter):
    """requests' adapter with pools of guarded connections, and no proxies."""

    def __init__(
        self,
        router: Router,
        *,
        idle_hosts: int,
        tls: ssl.SSLContext | None,
        unproved_hosts: Collection[str] = (),
    ) -> None:
        super().__init__(pool_connections=1, pool_maxsize=1, max_retries=0)
        self._router = router
        self._tls = tls
        self._unproved_hosts = unproved_hosts
        self._pools: RecentlyUsedContainer[tuple[str, str, int], HTTPConnectionPool]
        self._pools = RecentlyUsedContainer(idle_hosts, dispose_func=lambda pool: pool.close())
        self._lock = threading.Lock()

    def exchange(self, exchange: Exchange, headers: Mapping[str, str], timeout: Any) -> Response:
        """Send a request and return once the head of the answer is there."""
        request = PreparedRequest()
        request.method = "GET" if exchange.body is None else "POST"
        request.body = exchange.body
        # Only for messages: host and target come from the exchange itself.
        request.url = f"{exchange.scheme}://{exchange.host}{exchange.target}"
        request.headers = cast(Any, dict(headers))
        _current.exchange = exchange
        try:
            return self.send(request, stream=True, timeout=timeout)
        finally:
            del _current.exchange

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> HTTPConnectionPool:
        exchange = _current.exchange
        scheme = "http" if self._router.is_mapped(exchange.host) else exchange.scheme
        key = (scheme, exchange.host, exchange.port)
        with self._lock:
            pool = self._pools.get(key)
            if pool is None:
                pool = self._pools[key] = self._new_pool(*key)
        return pool

    def _new_pool(self, scheme: str, host: str, port: int) -> HTTPConnectionPool:
        if scheme == "http":
            return _Pool(host, port, maxsize=1, router=self._router)
        if host in self._unproved_hosts:
            logger.warning("the certificate of %s is not verified: the settings say so", host)
            tls = unproved_tls()
            return _UnprovedPool(host, port, maxsize=1, router=self._router, ssl_context=tls)
        if self._tls is None:
            self._tls = default_tls()
        return _TLSPool(host, port, maxsize=1, router=self._router, ssl_context=self._tls)

    def cert_verify(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: the TLS context of the pool already decides what to verify."""

    def request_url(self, *args: Any, **kwargs: Any) -> str:
        return _current.exchange.target

    def proxy_manager_for(self, *args: Any, **kwargs: Any) -> Any:
        raise ValueError("pages are never fetched through a proxy")

    def build_response(self, req: PreparedRequest, resp: BaseHTTPResponse) -> Response:
        # requests would collect cookies here; none outlive an exchange.
        response = Response()
        response.raw = resp
        return response

    def close(self) -> None:
        self._pools.clear()
        super().close()


def default_tls() -> ssl.SSLContext:
    """Trust what the system trusts and what certifi ships; verify names always."""
    import certifi

    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def unproved_tls() -> ssl.SSLContext:
    """Encrypt, but do not verify the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context

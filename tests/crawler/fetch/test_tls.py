"""N10: who a server is must be proved, and the proof may not take long."""

import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from crawler.errors import ConfigurationError, FetchError
from crawler.fetch.config import FetchConfig, parse_unproved_hosts
from crawler.fetch.door import Door
from crawler.reasons import Reason
from tests.crawler.fetch.bad_server import BadServer
from tests.crawler.fetch.conftest import QUICK, unknown_name

_EC_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


@dataclass(frozen=True, slots=True)
class Authority:
    """A certificate authority of our own, in a folder."""

    folder: Path

    @classmethod
    def in_folder(cls, folder: Path) -> "Authority":
        authority = cls(folder)
        key, certificate = folder / "ca.key", folder / "ca.pem"
        _openssl(
            *("req", "-x509", *_EC_KEY, "-subj", "/CN=Test authority", "-days", "2"),
            *("-keyout", str(key), "-out", str(certificate)),
        )
        return authority

    def certificate(self, name: str, *, days: int = 2) -> Path:
        """Sign a certificate for a name; the file holds key and certificate."""
        stem = f"{name}-{days}"
        key, request, signed = (self.folder / f"{stem}.{kind}" for kind in ("key", "csr", "crt"))
        extension = self.folder / f"{stem}.ext"
        extension.write_text(f"subjectAltName=DNS:{name}\n")
        _openssl(
            *("req", *_EC_KEY, "-subj", f"/CN={name}", "-keyout", str(key), "-out", str(request))
        )
        _openssl(
            *("x509", "-req", "-in", str(request), "-days", str(days), "-out", str(signed)),
            *("-CA", str(self.folder / "ca.pem"), "-CAkey", str(self.folder / "ca.key")),
            *("-CAcreateserial", "-extfile", str(extension)),
        )
        both = self.folder / f"{stem}.pem"
        both.write_text(key.read_text() + signed.read_text())
        return both

    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.folder / "ca.pem"))


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    if shutil.which("openssl") is None:
        pytest.skip("certificates are made with the openssl command, which is not here")
    return Authority.in_folder(tmp_path_factory.mktemp("ca"))


def serving(certificate: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    return context


def tls_door(server: BadServer, trust: ssl.SSLContext) -> Door:
    config = FetchConfig(
        user_agent="FocusWeb",
        allowed_hosts=frozenset({f"localhost:{server.port}"}),
        limits=replace(QUICK, connect_s=1.0),
    )
    return Door(config, resolver=unknown_name, tls=trust)


@pytest.fixture
def plain_server() -> Iterator[BadServer]:
    with BadServer() as server:
        yield server


def test_a_page_is_fetched_over_tls_and_the_connection_kept(authority: Authority) -> None:
    with BadServer(tls=serving(authority.certificate("localhost"))) as server:
        server.page("/", b"<p>hello" * 10_000)
        with tls_door(server, authority.trust()) as door:
            for _ in range(2):
                assert door.fetch(f"https://localhost:{server.port}/").body == b"<p>hello" * 10_000

        assert [request.connection for request in server.requests] == [1, 1]


@pytest.mark.parametrize(
    ("name", "days", "shown"),
    [("localhost", 0, "expired"), ("other.example", 2, "Hostname mismatch")],
)
def test_n10_an_expired_or_foreign_certificate_is_refused(
    authority: Authority, name: str, days: int, shown: str
) -> None:
    with BadServer(tls=serving(authority.certificate(name, days=days))) as server:
        with tls_door(server, authority.trust()) as door, pytest.raises(FetchError) as caught:
            door.fetch(f"https://localhost:{server.port}/")

        assert caught.value.reason is Reason.TLS_FAILED
        assert shown in caught.value.detail
        assert server.requests == []


def test_n10_a_certificate_nobody_vouches_for_is_refused(authority: Authority) -> None:
    with BadServer(tls=serving(authority.certificate("localhost"))) as server:
        strangers = ssl.create_default_context()
        with tls_door(server, strangers) as door, pytest.raises(FetchError) as caught:
            door.fetch(f"https://localhost:{server.port}/")

    assert caught.value.reason is Reason.TLS_FAILED


def test_n10_a_chain_of_many_certificates_is_refused(authority: Authority) -> None:
    leaf = authority.certificate("localhost")
    root = (authority.folder / "ca.pem").read_text()
    chain = authority.folder / "chain.pem"
    chain.write_text(leaf.read_text() + root * 400)

    with (
        BadServer(tls=serving(chain)) as server,
        tls_door(server, authority.trust()) as door,
        pytest.raises(FetchError) as caught,
    ):
        door.fetch(f"https://localhost:{server.port}/")

    assert caught.value.reason is Reason.TLS_FAILED


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1:DeprecationWarning")
def test_n10_an_old_protocol_is_refused(authority: Authority) -> None:
    old = serving(authority.certificate("localhost"))
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.minimum_version = ssl.TLSVersion.TLSv1
    old.maximum_version = ssl.TLSVersion.TLSv1_1

    with (
        BadServer(tls=old) as server,
        tls_door(server, authority.trust()) as door,
        pytest.raises(FetchError) as caught,
    ):
        door.fetch(f"https://localhost:{server.port}/")

    assert caught.value.reason is Reason.TLS_FAILED
    assert "protocol" in caught.value.detail.lower()


@pytest.mark.parametrize(("name", "days"), [("localhost", 0), ("other.example", 2)])
def test_n10_an_exception_for_one_host_is_explicit_and_logged(
    authority: Authority, caplog: pytest.LogCaptureFixture, name: str, days: int
) -> None:
    with BadServer(tls=serving(authority.certificate(name, days=days))) as server:
        server.page("/", b"<p>hello")
        config = FetchConfig(
            user_agent="FocusWeb",
            allowed_hosts=frozenset({f"localhost:{server.port}"}),
            unproved_hosts=parse_unproved_hosts("localhost"),
            limits=QUICK,
        )
        with Door(config, resolver=unknown_name, tls=authority.trust()) as door:
            for _ in range(3):
                assert door.fetch(f"https://localhost:{server.port}/").body == b"<p>hello"

    warnings = [row.getMessage() for row in caplog.records if row.levelname == "WARNING"]
    assert warnings == ["the certificate of localhost is not verified: the settings say so"]


def test_n10_an_exception_is_for_no_other_host(authority: Authority) -> None:
    with BadServer(tls=serving(authority.certificate("localhost", days=0))) as server:
        config = FetchConfig(
            user_agent="FocusWeb",
            allowed_hosts=frozenset({f"localhost:{server.port}"}),
            unproved_hosts=parse_unproved_hosts("old.example.org, b.example.org"),
            limits=QUICK,
        )
        with (
            Door(config, resolver=unknown_name, tls=authority.trust()) as door,
            pytest.raises(FetchError) as caught,
        ):
            door.fetch(f"https://localhost:{server.port}/")

    assert caught.value.reason is Reason.TLS_FAILED


@pytest.mark.parametrize("text", ["*.example.org", "https://a.example", "a.example/x", "a b"])
def test_n10_an_exception_names_whole_hosts(text: str) -> None:
    with pytest.raises(ConfigurationError, match="host name"):
        parse_unproved_hosts(text)


@pytest.mark.parametrize("answer", [b"HTTP/1.1 200 OK\r\n\r\n", b"\x15\x03\x01\x00\x02\x02\x46"])
def test_n10_a_server_that_does_not_speak_tls_is_refused(
    plain_server: BadServer, answer: bytes
) -> None:
    plain_server.greet(answer)
    trust = ssl.create_default_context()
    with tls_door(plain_server, trust) as door, pytest.raises(FetchError) as caught:
        door.fetch(f"https://localhost:{plain_server.port}/")

    assert caught.value.reason is Reason.TLS_FAILED


def test_h4_a_handshake_that_never_comes_is_given_up(plain_server: BadServer) -> None:
    started = time.monotonic()
    trust = ssl.create_default_context()
    with tls_door(plain_server, trust) as door, pytest.raises(FetchError) as caught:
        door.fetch(f"https://localhost:{plain_server.port}/")

    assert caught.value.reason is Reason.CONNECT_TIMEOUT
    assert time.monotonic() - started < 1.5

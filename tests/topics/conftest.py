"""A data folder of its own, people and a mail server, for tests of what users see."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from focusweb.mail_server import MailServer
from tests.topics.delivery.post_office import PostOffice
from tests.topics.factories import Scene, person, scene_of


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, settings: Settings) -> Path:
    """Run and data files of a test go to a folder of its own."""
    settings.DATA_DIR = settings.RUN_DIR = tmp_path
    settings.INDEX_DIR = tmp_path / "index"
    settings.PLUGINS_DIR = tmp_path / "plugins"
    # Each client of a test would read all static files before its first request.
    settings.WHITENOISE_AUTOREFRESH = True
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": tmp_path / "cache"}}
    return tmp_path


@pytest.fixture
def ann(db: None) -> User:
    return person("ann")


@pytest.fixture
def bob(db: None) -> User:
    return person("bob")


@pytest.fixture
def scene(ann: User) -> Scene:
    """Ann's topic with a seed, a hub and two kept pages; its run has ended."""
    scene = scene_of(ann)
    scene.entry("https://portal.test/")
    scene.entry("https://hub.test/links", "https://portal.test/")
    scene.page("https://notes.test/cache", "Cache <lines> & pipelines", "https://hub.test/links")
    scene.page("https://portal.test/cpu", "电脑 CPU", "https://portal.test/", score=0.31)
    scene.entry("https://portal.test/private/x", "https://portal.test/", "robots_forbidden")
    scene.link("https://hub.test/links", "https://notes.test/cache")
    return scene


@pytest.fixture
def as_ann(client: Client, ann: User) -> Client:
    """A browser in which Ann is signed in."""
    client.force_login(ann)
    return client


@pytest.fixture(scope="session")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostOffice]:
    with PostOffice(tmp_path_factory.mktemp("post") / "letters") as office:
        yield office


@pytest.fixture
def post(office: PostOffice, settings: Settings) -> PostOffice:
    """The mail server, set up to be used and empty."""
    office.forget()
    settings.MAIL_SERVER = MailServer("127.0.0.1", office.port)
    settings.MAIL_FROM = "FocusWeb <watch@focus.test>"
    settings.BASE_URL = "https://watch.focus.test/"
    return office


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 that no authority signed, with its key."""
    if shutil.which("openssl") is None:
        pytest.skip("certificates are made with the openssl command, which is not here")
    folder = tmp_path_factory.mktemp("certificate")
    key, signed, both = (folder / name for name in ("key", "signed", "both.pem"))
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=mail.test"),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(signed)),
        ],
        check=True,
        capture_output=True,
        timeout=60,
    )
    both.write_bytes(key.read_bytes() + signed.read_bytes())
    return both


@pytest.fixture(scope="session")
def encrypted(certificate: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostOffice]:
    """A mail server whose further ports encrypt with that certificate."""
    with PostOffice(tmp_path_factory.mktemp("post") / "letters", certificate) as office:
        yield office

"""A mail server for the session, and a topic with a digest."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from focusweb.mail_server import MailServer
from tests.topics.delivery.post_office import PostOffice
from tests.topics.factories import Scene, prove, scene_of


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


@pytest.fixture
def scene(ann: User) -> Scene:
    """Ann's topic; its first run has ended, nothing was kept."""
    prove(ann, "ann@reader.test")
    return scene_of(ann)

"""A small web and an installation that crawls it, both new for each test.

Their processes are not: loading the program takes longer than most of these tests.
"""

from collections.abc import Iterator

import pytest

from tests.crashes.installation import Installation
from tests.crashes.site import Web

N_PAGES = 24


@pytest.fixture(scope="session")
def lasting_web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """The server of the web."""
    with Web(N_PAGES, 4, tmp_path_factory.mktemp("web") / "server.log") as web:
        yield web


@pytest.fixture(scope="session")
def lasting_installation(
    tmp_path_factory: pytest.TempPathFactory, lasting_web: Web
) -> Iterator[Installation]:
    """The worker of the installation."""
    folder = tmp_path_factory.mktemp("installation")
    with Installation(folder / "data", lasting_web) as installation:
        yield installation


@pytest.fixture
def web(lasting_web: Web) -> Web:
    """The web, without a request so far."""
    lasting_web.start_over()
    return lasting_web


@pytest.fixture
def installation(lasting_installation: Installation, web: Web) -> Installation:
    """The installation, before its first crawl."""
    lasting_installation.start_over()
    return lasting_installation

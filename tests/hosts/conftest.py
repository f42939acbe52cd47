"""The hosts that the tests of a module share: database, sites, pages, two machines that crawl."""

from collections.abc import Iterator

import pytest

from tests.hosts.installation import Host, Hosts
from tests.hosts.network import why_not
from tests.topics.delivery.post_office import PostOffice
from tools import postgres

#: Rest between two requests to one site, in seconds.
DELAY_S = 0.25
N_SITES, N_PAGES = 16, 400
CRAWLERS = ("crawl1", "crawl2")


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """A network with PostgreSQL and sites."""
    if refusal := why_not():
        pytest.skip(refusal)
    try:
        postgres.find_programs()
    except postgres.ServerError as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("hosts")
    with Hosts(folder, n_sites=N_SITES, n_pages=N_PAGES, delay_s=DELAY_S) as made:
        yield made


@pytest.fixture(scope="module")
def made_web(hosts: Hosts) -> Host:
    """The machine with the pages and the index, not started yet."""
    return hosts.add("web1")


@pytest.fixture(scope="module")
def post(hosts: Hosts, made_web: Host) -> Iterator[PostOffice]:
    """A mail server on that machine."""
    inside = hosts.network.inside(made_web.name)
    with PostOffice(hosts.folder / "letters", inside=inside) as office:
        yield office


@pytest.fixture(scope="module")
def web(made_web: Host, post: PostOffice) -> Host:
    """The machine with the pages and the index."""
    made_web.environment |= {
        "FOCUSWEB_SMTP_URL": f"smtp://127.0.0.1:{post.port}",
        "FOCUSWEB_MAIL_FROM": "watch@hosts.test",
    }
    return made_web.start("web", "index").wait_until_ready()


@pytest.fixture(scope="module")
def made_crawlers(hosts: Hosts, web: Host) -> list[Host]:
    """The machines that crawl, for the first time."""
    return [hosts.add(name).start("crawl") for name in CRAWLERS]


@pytest.fixture
def crawlers(made_crawlers: list[Host]) -> list[Host]:
    """The machines that crawl; one that a test ended is started again."""
    for host in made_crawlers:
        if not host.is_up():
            host.forget_log()
            host.start("crawl")
    return [host.wait_until_ready() for host in made_crawlers]

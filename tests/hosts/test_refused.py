"""Machines that do not fit the others: one sentence each, while the others go on."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from tests.hosts.installation import Host, Hosts

pytestmark = pytest.mark.hosts
#: Makes trouble while it is open; gives the environment of the newcomer.
Trouble = Callable[[Hosts], AbstractContextManager[dict[str, str]]]


@pytest.fixture(scope="module")
def newcomer(hosts: Hosts) -> Host:
    """A machine that is not running."""
    return hosts.add("new1")


@contextmanager
def other_key(hosts: Hosts) -> Iterator[dict[str, str]]:
    yield {"FOCUSWEB_SECRET_KEY": "another secret key of thirty-two characters"}


@contextmanager
def other_version(hosts: Hosts) -> Iterator[dict[str, str]]:
    """A machine of another version says that it is alive."""
    hosts.rows(
        "INSERT INTO crawler_machine"
        " (name, instance, roles, n_workers, version, key_print, seen_at)"
        " SELECT 'old1', 'x', 'crawl', 0, '0.0.9', key_print, now() FROM crawler_machine LIMIT 1"
    )
    yield {}
    hosts.rows("DELETE FROM crawler_machine WHERE name = 'old1'")


@contextmanager
def pending_migration(hosts: Hosts) -> Iterator[dict[str, str]]:
    # The row of a squashed migration would not be missed: those that it replaces have rows, too.
    [(app, name)] = hosts.rows(
        "DELETE FROM django_migrations WHERE app = 'topics' AND name = (SELECT max(name)"
        " FROM django_migrations WHERE app = 'topics' AND strpos(name, 'squashed') = 0)"
        " RETURNING app, name"
    )
    yield {}
    hosts.rows(
        "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, now())", app, name
    )


@contextmanager
def unreachable(hosts: Hosts) -> Iterator[dict[str, str]]:
    hosts.network.cut("new1")
    yield {}
    hosts.network.join("new1")


@contextmanager
def nothing(hosts: Hosts) -> Iterator[dict[str, str]]:
    yield {}


@pytest.mark.parametrize(
    ("trouble", "roles", "sentence"),
    [
        (other_key, ("crawl",), "The secret key of this machine is not that of "),
        (other_version, ("crawl",), "This machine has FocusWeb 0.1.0, but old1 has 0.0.9."),
        (pending_migration, ("crawl",), "1 changes of the tables are not made yet."),
        (unreachable, ("crawl",), " does not answer. Start the server, or check DATABASE_URL."),
        (nothing, ("web", "index"), "web1 has the role index, which only one machine may have."),
        (nothing, (), "web1 has the role index, which only one machine may have."),
        (nothing, ("web",), "the role web needs it too: manage.py up --role web --role index"),
    ],
)
def test_a_machine_that_does_not_fit_is_refused_in_a_sentence(
    hosts: Hosts,
    web: Host,
    crawlers: list[Host],
    newcomer: Host,
    *,
    trouble: Trouble,
    roles: tuple[str, ...],
    sentence: str,
) -> None:
    newcomer.forget_log()
    with trouble(hosts) as environment:
        newcomer.start(*roles, **environment)
        try:
            assert newcomer.end() == 1
        finally:
            newcomer.kill()  # Where it was let in, the next ones shall not find it running.

    assert sentence in newcomer.log()
    assert "Traceback" not in newcomer.log()
    assert newcomer.processes() == []
    assert all(host.is_up() for host in (web, *crawlers))


def test_of_two_machines_with_one_name_the_second_is_refused(
    hosts: Hosts, web: Host, crawlers: list[Host]
) -> None:
    folder = hosts.folder / "namesake"
    folder.mkdir(mode=0o700)
    namesake = Host("crawl1", hosts.network.inside("crawl1"), folder, **crawlers[0].environment)

    namesake.start("crawl")

    assert namesake.end() == 1
    assert "Another FocusWeb on a machine named crawl1 uses this database." in namesake.log()
    assert crawlers[0].is_up()

"""The parts of `topics` that register through the plugin hooks, like anybody's."""

from collections.abc import Iterable

from django_q.models import OrmQ
from django_q.tasks import async_task

from focusweb.hookspecs import hookimpl
from topics.search.backend import SearchBackend
from topics.search.whoosh_backend import WhooshBackend

#: With this many tasks waiting, the index is left to the next tick.
QUEUE_ENOUGH = 20


@hookimpl
def pages_posted(run_id: int) -> None:
    """Have the index brought up to date, unless somebody was asked already."""
    if OrmQ.objects.count() < QUEUE_ENOUGH:
        async_task("topics.tasks.index")


@hookimpl
def search_backends() -> Iterable[type[SearchBackend]]:
    """Offer Whoosh."""
    return [WhooshBackend]

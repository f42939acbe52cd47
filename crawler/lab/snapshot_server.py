"""A web snapshot as a web: every held page under its own host name, on loopback."""

from typing import Final

from crawler.errors import FetchError
from crawler.replay.snapshot import Snapshot, snapshot_key
from focusweb.demo.loopback_server import Application, Request, Response

_NOT_HELD: Final = Response(404, b"This page is not held by the snapshot.\n", "text/plain")


def snapshot_application(snapshot: Snapshot) -> Application:
    """Answer by Host header with the pages of a snapshot; 404 for all else.

    No host has a robots.txt of its own unless the snapshot holds one as a page.
    """

    def answer(request: Request) -> Response:
        try:
            key = snapshot_key(f"http://{request.host}{request.target}")
        except FetchError:
            return _NOT_HELD
        page = snapshot.pages.get(key)
        return Response(200, page.body) if page else _NOT_HELD

    return answer

"""`focusweb topics`, `pages`, `search` and `runs`: a command-line client of the REST API.

It needs the standard library alone, so that a copy of this file is enough on another machine:
``python client.py topics``.
"""

import argparse
import json
import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final
from urllib import error, parse, request

COMMANDS: Final = ("topics", "pages", "search", "runs")
DEFAULT_ADDRESS: Final = "http://127.0.0.1:8000"
TIMEOUT_S: Final = 60.0
#: The most rows that the API sends at once.
_PART: Final = 200
_MAX_ROWS: Final = 100_000

#: An object of JSON that the API sends in a list.
Row = Mapping[str, Any]


class ClientError(Exception):
    """Something that a person can correct, as a sentence."""


class _NoRedirect(request.HTTPRedirectHandler):
    """Follows no redirect: the token would go along, to wherever it leads."""

    def redirect_request(self, *_: object) -> None:
        return None


class Api:
    """The API of one installation, as the owner of a token sees it."""

    def __init__(self, address: str, token: str) -> None:
        if parse.urlsplit(address).scheme not in ("http", "https"):
            raise ClientError(f"the address must begin with http:// or https://, got {address!r}")
        self._root = address.rstrip("/") + "/api/v1"
        self._token = token
        self._opener = request.build_opener(_NoRedirect)

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any:
        """Send a request; return what the JSON of the answer holds, None if it is empty.

        Raises
        ------
        ClientError
            If the API refuses, or something else than the API answers.
        """
        named = {name: value for name, value in query.items() if value not in ("", None)}
        url = f"{self._root}{path}" + (f"?{parse.urlencode(named)}" if named else "")
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        data = None
        if body is not None:
            data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        sent = request.Request(url, data, headers, method=method)  # noqa: S310  # checked above
        try:
            with self._opener.open(sent, timeout=TIMEOUT_S) as answer:
                text = answer.read()
        except error.HTTPError as refused:
            with refused:
                raise ClientError(_refusal(refused, url)) from refused
        except (OSError, HTTPException) as failed:
            reason = getattr(failed, "reason", failed)
            raise ClientError(f"{self._root} does not answer: {reason}") from failed
        try:
            return json.loads(text) if text else None
        except ValueError as wrong:
            raise ClientError(f"{url} answers, but is not the API of FocusWeb") from wrong

    def rows(self, path: str, most: int, **query: object) -> Iterator[Row]:
        """The rows of a list, part after part, at most `most`."""
        cursor = ""
        while most > 0:
            part = self.call("GET", path, cursor=cursor, limit=min(most, _PART), **query)
            yield from part["items"]
            most -= len(part["items"])
            if part["next"] is None:
                return
            cursor = part["next"]


def _refusal(refused: error.HTTPError, url: str) -> str:
    """Return why the API refused, and what to do."""
    try:
        problem = json.loads(refused.read())
        detail = str(problem["detail"])
    except (ValueError, KeyError, TypeError, OSError):
        return f"{url} answers {refused.code} {refused.reason}, not as the API of FocusWeb does"
    if refused.code == 401:
        return f"{detail}. Create a token at Account, API tokens"
    named = [f"{'.'.join(one['at'])}: {one['message']}" for one in problem.get("errors", [])]
    return "; ".join([detail, *named])


def read_token(environment: Mapping[str, str]) -> str:
    """The token: FOCUSWEB_TOKEN, or what the token file holds.

    Raises
    ------
    ClientError
        If there is none, or others can read the file.
    """
    if token := environment.get("FOCUSWEB_TOKEN", "").strip():
        return token
    folder = environment.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    file = Path(environment.get("FOCUSWEB_TOKEN_FILE") or Path(folder, "focusweb", "token"))
    try:
        mode, token = stat.S_IMODE(file.stat().st_mode), file.read_text("utf-8").strip()
    except FileNotFoundError:
        raise ClientError(
            f"there is no token. Make one at Account, API tokens; put it into {file} "
            "with mode 0600, or into FOCUSWEB_TOKEN"
        ) from None
    except (OSError, ValueError) as failed:
        raise ClientError(f"{file} cannot be read: {failed}") from failed
    if mode & 0o077:
        raise ClientError(f"others can read {file}. Run: chmod 600 {file}")
    if not token.isascii() or not token.isprintable() or not token:
        raise ClientError(f"{file} does not hold a token")
    return token


def list_topics(api: Api, options: argparse.Namespace) -> list[Row]:
    """Your topics."""
    return list(api.rows("/topics", options.limit))


def list_pages(api: Api, options: argparse.Namespace) -> list[Row]:
    """The kept pages of a topic."""
    path = f"/topics/{parse.quote(options.topic, safe='')}/pages"
    return list(api.rows(path, options.limit, order=options.order))


def search(api: Api, options: argparse.Namespace) -> list[Row]:
    """The pages that a search finds."""
    named = {"q": options.query, "topic": options.topic, "order": options.order}
    return list(api.rows("/search", options.limit, **named))


def runs(api: Api, options: argparse.Namespace) -> list[Row]:
    """The runs of a topic, after starting or stopping one."""
    path = f"/topics/{parse.quote(options.topic, safe='')}/runs"
    if options.start:
        return [api.call("POST", path, {})]
    if options.stop:
        api.call("DELETE", f"{path}/current")
    return list(api.rows(path, options.limit))


def _topic_lines(row: Row) -> Iterator[str]:
    yield f"{row['slug']}  {row['name']}" + ("" if row["active"] else "  (paused)")


def _page_lines(row: Row) -> Iterator[str]:
    day = (row["published"] or row["first_seen"])[:10]
    yield f"{row['score']:.3f}  {day}  {row['title']}"
    yield f"       {row['url']}"
    if row.get("extract"):
        yield f"       {row['extract']}"


def _run_lines(row: Row) -> Iterator[str]:
    end = row["stop_reason"] if row["ended"] else "under way"
    yield f"{row['started'][:16]}  fetched {row['fetched']}, kept {row['kept']}  {end}"


_DO: Final = {
    "topics": (list_topics, _topic_lines),
    "pages": (list_pages, _page_lines),
    "search": (search, _page_lines),
    "runs": (runs, _run_lines),
}


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print one JSON object")
    common.add_argument("--limit", type=int, default=20, help="most rows; 20 if not given")
    common.add_argument(
        "--address",
        default=os.environ.get("FOCUSWEB_API") or DEFAULT_ADDRESS,
        help=f"where FocusWeb is; FOCUSWEB_API or {DEFAULT_ADDRESS} if not given",
    )
    parser = argparse.ArgumentParser(prog="focusweb", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    made = {
        name: commands.add_parser(name, parents=[common], help=_DO[name][0].__doc__)
        for name in COMMANDS
    }
    made["pages"].add_argument("topic", help="its short name, as focusweb topics prints it")
    made["pages"].add_argument("--order", choices=("newest", "score"), default="newest")
    made["search"].add_argument("query")
    made["search"].add_argument("--topic", default="", help="only pages of this topic")
    made["search"].add_argument(
        "--order", choices=("relevance", "newest", "score"), default="relevance"
    )
    made["runs"].add_argument("topic", help="its short name, as focusweb topics prints it")
    change = made["runs"].add_mutually_exclusive_group()
    change.add_argument("--start", action="store_true", help="start a run")
    change.add_argument("--stop", action="store_true", help="stop the run that is under way")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say; return the exit status."""
    options = _parser().parse_args(arguments)
    do, lines = _DO[options.command]
    try:
        if not 1 <= options.limit <= _MAX_ROWS:
            raise ClientError(f"--limit must be from 1 to {_MAX_ROWS}, got {options.limit}")
        rows = do(Api(options.address, read_token(os.environ)), options)
    except ClientError as failed:
        sys.stderr.write(f"focusweb: {_plain(str(failed))}\n")
        return 1
    if options.json:
        text = json.dumps({"items": rows}, ensure_ascii=False)
    else:
        text = "\n".join(_plain(line) for row in rows for line in lines(row))
    if text:
        # What the terminal cannot show is written out.
        encoding = sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    return 0


def _plain(text: str) -> str:
    """A line without characters that a terminal obeys."""
    return "".join(char if char.isprintable() else " " for char in text)


if __name__ == "__main__":
    sys.exit(main())

"""Seeds that cannot be fetched are found before a topic starts."""

from pytest_django import Settings

from crawler.crawl.reach import MAX_SITES, find_unreachable
from crawler.reasons import Reason
from focusweb.demo.loopback_server import LoopbackServer, Request, Response


def test_each_site_is_tried_once_by_its_robots_file(settings: Settings) -> None:
    tried: list[str] = []

    def answer(request: Request) -> Response:
        tried.append(f"{request.host}{request.target}")
        if request.host == "shy.test":
            return Response(200, b"User-agent: *\nDisallow: /private")
        return Response(503 if request.host == "down.test" else 404)

    with LoopbackServer(answer) as server:
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        found = find_unreachable(
            [
                *("http://fine.test/", "http://fine.test/2", "http://down.test/"),
                *("http://shy.test/public", "http://shy.test/private"),
            ]
        )

    assert found == {
        "http://down.test/": Reason.ROBOTS_UNREACHABLE,
        "http://shy.test/private": Reason.ROBOTS_FORBIDDEN,
    }
    assert sorted(tried) == [f"{name}.test/robots.txt" for name in ("down", "fine", "shy")]


def test_a_private_address_and_a_closed_port_are_named(settings: Settings) -> None:
    settings.CONTACT_URL = "https://example.org/me"
    with LoopbackServer(lambda request: Response(404)) as server:
        port = server.port
    settings.CONNECT_TO = f"closed.test=127.0.0.1:{port}"

    assert find_unreachable(["http://127.0.0.1/", "http://closed.test/"]) == {
        "http://127.0.0.1/": Reason.ADDRESS_FORBIDDEN,
        "http://closed.test/": Reason.CONNECT_FAILED,
    }


def test_only_the_first_sites_are_tried(settings: Settings) -> None:
    settings.CONTACT_URL, settings.CONNECT_TO = "https://example.org/me", ""
    urls = [f"http://127.0.0.{n}/" for n in range(1, 30)]

    assert len(find_unreachable(urls)) == MAX_SITES


def test_without_a_contact_page_the_first_sites_are_named_and_only_mapped_ones_tried(
    settings: Settings,
) -> None:
    tried: list[str] = []

    def answer(request: Request) -> Response:
        tried.append(request.host)
        return Response(404)

    urls = [f"http://site{n}.example.org/" for n in range(1, 30)]
    with LoopbackServer(answer) as server:
        settings.CONTACT_URL = ""
        settings.CONNECT_TO = f"*.test=127.0.0.1:{server.port}"
        found = find_unreachable([*urls, "http://fine.test/"])

    assert found == dict.fromkeys(urls[:MAX_SITES], Reason.NO_CONTACT)
    assert tried == ["fine.test"]

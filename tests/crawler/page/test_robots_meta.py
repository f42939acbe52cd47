import pytest

from crawler.page.robots_meta import read_directives, read_robots_header


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", (False, False)),
        ("index, follow", (False, False)),
        ("noindex", (True, False)),
        ("NoFollow", (False, True)),
        ("noindex,nofollow", (True, True)),
        ("noindex nofollow", (True, True)),
        ("none", (True, True)),
        ("all", (False, False)),
        ("noarchive, nosnippet", (False, False)),
        ("noindexing", (False, False)),
    ],
)
def test_meta_robots_is_read(content: str, expected: tuple[bool, bool]) -> None:
    assert read_directives(content) == expected


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", (False, False)),
        ("noindex", (True, False)),
        ("noindex, nofollow", (True, True)),
        ("otherbot: noindex", (False, False)),
        ("otherbot: noindex, nofollow", (False, False)),
        ("otherbot: noindex, focusweb: nofollow", (False, True)),
        ("FocusWeb: none", (True, True)),
        ("otherbot: noindex\nnofollow", (False, True)),
        ("unavailable_after: 25 Jun 2030 15:00:00 GMT, nofollow", (False, True)),
        ("max-snippet: 20, noindex", (True, False)),
    ],
)
def test_robots_header_is_read_for_us_alone(header: str, expected: tuple[bool, bool]) -> None:
    assert read_robots_header(header) == expected

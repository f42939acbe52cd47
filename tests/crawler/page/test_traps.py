"""Which addresses look like one of endlessly many (rows T1 and T2)."""

import pytest

from crawler.page.traps import MAX_PER_TEMPLATE, TemplateTally, find_trap, template_key, template_of

SITE = "http://a.test"
YEAR = 2026


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("/a/a/a/", "3 times in the path"),
        ("/a/b/a/b/a", "3 times in the path"),
        ("/1/2/3/4/5/6/7/8/9/10/11", "11 path segments"),
        ("/x?" + "&".join(f"p{n}={n}" for n in range(13)), "13 parameters"),
        ("/x?f=1&f=1&f=1", "3 times in the query"),
        ("/x?q=" + "a" * 1100, "1102 characters"),
        ("/(S(0123456789abcdef0123))/page.aspx", "session"),
        ("/events/2031/05/", "year 2031"),
        ("/events?month=2028-01", "year 2028"),
        ("/events?year=9999&month=3", "year 9999"),
    ],
)
def test_t2_a_trap_is_reported(target: str, reason: str) -> None:
    assert reason in find_trap(SITE + target, YEAR)


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/a/a/",
        "/2026/05/05/05/",
        "/a/b/c/d/e/f/g/h/i/j",
        "/events/2027/01/",
        "/archive/1998/12/31/report.html",
        "/x?a=1&b=2&c=3",
        "/shop?f=red&f=xl&f=new",
        "/product/20304050",
        "/net-zero-2050/3-ways",
        "/2050-10-goals",
        "/rfc/9309",
        "/%E7%94%B5%E7%BD%91/%E8%B0%83%E5%BA%A6",
    ],
)
def test_an_ordinary_address_is_no_trap(target: str) -> None:
    assert find_trap(SITE + target, YEAR) == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/page/1", "/page/22"),
        ("/cal?m=5&y=2026", "/cal?y=1999&m=12"),
        ("/list?colour=red&size=xl", "/list?size=s&colour=green"),
        ("/s/9f86d081884c7d65/x", "/s/60303ae22b998861/x"),
        ("/s/q7Zk39fA0/x", "/s/B81hhT2xw/x"),
    ],
)
def test_t1_variants_of_one_list_have_one_template(one: str, other: str) -> None:
    assert template_of(SITE + one) == template_of(SITE + other) != ""
    assert template_key(SITE + one) == template_key(SITE + other) > 0


@pytest.mark.parametrize(
    ("one", "other"),
    [("/page/1", "/pages/1"), ("/a?x=1", "/a?y=1"), ("/a/1", "/a/1/b"), ("/a?x=1", "/b?x=1")],
)
def test_other_lists_have_other_templates(one: str, other: str) -> None:
    assert template_key(SITE + one) != template_key(SITE + other)


def test_sites_do_not_share_templates() -> None:
    assert template_key("http://a.test/p/1") != template_key("http://b.test/p/1")


@pytest.mark.parametrize("target", ["/", "/about", "/solar/cells.html"])
def test_an_address_without_numbers_or_query_has_no_template(target: str) -> None:
    assert template_of(SITE + target) == ""
    assert template_key(SITE + target) == 0


@pytest.mark.parametrize(
    ("n_fetched", "n_stale", "is_mostly_stale"),
    [(0, 0, False), (4, 4, False), (5, 4, True), (5, 3, False), (10, 8, True), (100, 79, False)],
)
def test_a_template_is_barren_from_five_pages_with_four_copies(
    n_fetched: int, n_stale: int, is_mostly_stale: bool
) -> None:
    assert TemplateTally(500, n_fetched, n_stale).is_mostly_stale is is_mostly_stale


def test_a_full_template_has_no_place_left() -> None:
    assert TemplateTally(n_urls=MAX_PER_TEMPLATE + 5).n_free == 0
    assert TemplateTally(n_urls=499).n_free == 1

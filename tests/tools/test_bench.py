"""The web of `make bench`, and how its figures are made of what crawls cost."""

from collections import Counter

import pytest
import requests
from lxml import html

from bench.run import Contestant, Cost, crawl_scrapy, figure
from bench.site import N_HOSTS, N_LINKS, PAGE_BYTES, BenchSite, path_of, served
from crawler.page.traps import MAX_PER_TEMPLATE, template_of


@pytest.mark.parametrize(("number", "language"), [(2, "en"), (3, "zh-CN")])
def test_pages_are_like_real_ones_in_size_links_tags_and_text(number: int, language: str) -> None:
    source = BenchSite(5000).page(number).encode()
    page = html.fromstring(source)
    n_tags = len(list(page.iter()))
    for element in page.xpath("//script | //style"):
        element.drop_tree()
    n_text = len(" ".join(page.text_content().split()).encode())

    assert page.get("lang") == language
    assert len(source) == pytest.approx(PAGE_BYTES, rel=0.05)
    assert len(page.xpath("//a")) == N_LINKS
    assert 0.05 < n_text / len(source) < 0.25
    assert 4 < n_tags / len(source) * 1000 < 10


def test_a_page_links_to_names_or_ports_as_it_was_requested() -> None:
    with served(BenchSite(20), 20) as ports:
        url = f"http://127.0.0.1:{ports[0]}/p/0"
        by_port = requests.get(url, timeout=10).text
        by_name = requests.get(url, headers={"Host": "h0.bench.test"}, timeout=10).text
        missing = requests.get(f"http://127.0.0.1:{ports[1]}/robots.txt", timeout=10).status_code

    assert len(set(ports)) == N_HOSTS
    assert f'"http://127.0.0.1:{ports[1]}/p/1"' in by_port
    assert '"http://h1.bench.test/p/1"' in by_name
    assert missing == 404


def test_a_crawl_may_enter_every_address_of_a_large_web() -> None:
    urls = [f"http://h{number % N_HOSTS}.bench.test{path_of(number)}" for number in range(100_000)]
    per_pattern = Counter(map(template_of, urls))

    assert len(set(urls)) == len(urls)
    assert max(per_pattern.values()) <= MAX_PER_TEMPLATE


def test_a_page_costs_the_difference_of_two_crawls_by_the_pages_between() -> None:
    one = Contestant("scrapy", crawl_scrapy, (100, 300))
    costs = [(Cost(2.0, 4.0), Cost(3.0, 8.0)), (Cost(2.0, 4.0), Cost(4.0, 6.0))]

    assert figure(one, costs) == {
        "name": "scrapy",
        "cpu_ms": [7.5, 5.0, 10.0],
        "wall_ms": [15.0, 10.0, 20.0],
    }

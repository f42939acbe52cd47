import pytest
import site_age

CELLS = "http://solar.test/cells"


def test_a_page_of_a_new_site_gains_and_says_why(crawl, load_plugin):
    before = crawl().kept[CELLS]
    load_plugin(site_age, share=0.2)

    crawled = crawl()

    assert crawled.kept[CELLS] == pytest.approx(before + 0.2 * (1 - before), abs=0.002)
    assert "its site is known for 0 days" in crawled.why[CELLS]


def test_an_old_site_gains_nothing(crawl, load_plugin):
    load_plugin(site_age)
    crawled = crawl()
    site = crawled.topic.crawl.harvests.get(url__url=CELLS).url.site
    site.first_seen = site.first_seen.replace(year=site.first_seen.year - 1)
    site.save()

    assert "its site is known" not in crawl().why[CELLS]


def test_the_plugin_changes_nothing_else(assert_isolated):
    assert_isolated(site_age)

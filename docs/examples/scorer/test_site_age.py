import pytest
import site_age

from topics.pages.explain import why_sentence

CELLS = "http://solar.test/cells"


def why(crawled):
    return why_sentence(crawled.topic.crawl.harvests.get(url__url=CELLS).explanation)


def test_a_page_of_a_new_site_gains_and_says_why(crawl, load_plugin):
    before = crawl().kept[CELLS]
    load_plugin(site_age, share=0.2)

    crawled = crawl()

    assert crawled.kept[CELLS] == pytest.approx(before + 0.2 * (1 - before), abs=0.002)
    assert "its site is known for 0 days" in why(crawled)


def test_an_old_site_gains_nothing(crawl, load_plugin):
    load_plugin(site_age)
    crawled = crawl()
    site = crawled.topic.crawl.harvests.get(url__url=CELLS).url.site
    site.first_seen = site.first_seen.replace(year=site.first_seen.year - 1)
    site.save()

    assert "its site is known" not in why(crawl())


def test_the_plugin_changes_nothing_else(assert_isolated):
    assert_isolated(site_age)

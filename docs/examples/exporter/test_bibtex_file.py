from types import SimpleNamespace

import bibtex_file


def test_each_page_is_an_entry(crawl):
    harvest = crawl().topic.crawl.harvests.kept().get(url__url="http://solar.test/cells")

    text = bibtex_file.as_bibtex("solar", [SimpleNamespace(harvest=harvest)])

    assert "title = {Solar cells}" in text
    assert "url = {http://solar.test/cells}" in text
    assert "date = {2026-04-28}" in text


def test_the_plugin_changes_nothing_else(assert_isolated):
    assert_isolated(bibtex_file)

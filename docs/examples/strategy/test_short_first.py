import short_first


def test_the_shorter_address_is_fetched_first(crawl, load_plugin, small_web):
    load_plugin(short_first)

    crawled = crawl(strategy="short_first")

    targets = small_web.requested("solar.test")
    assert targets.index("/gone") < targets.index("/cells")
    assert "http://solar.test/cells" in crawled.kept
    assert crawled.problems == []


def test_the_plugin_changes_nothing_else(assert_isolated):
    assert_isolated(short_first)

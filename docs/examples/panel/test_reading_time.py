import reading_time


def test_the_page_says_how_long_reading_takes(crawl, load_plugin, client):
    load_plugin(reading_time)
    crawled = crawl()
    harvest = crawled.topic.crawl.harvests.kept().first()
    client.force_login(crawled.topic.owner)

    html = client.get(f"/topics/{crawled.topic.slug}/pages/{harvest.pk}/").content.decode()

    assert "Reading time" in html
    assert "1 min" in html


def test_the_plugin_changes_nothing_else(assert_isolated):
    assert_isolated(reading_time)

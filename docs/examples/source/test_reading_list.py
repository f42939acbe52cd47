import reading_list


def test_a_run_fetches_the_addresses_of_the_file(crawl, load_plugin, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    (tmp_path / reading_list.FILE).write_text("http://solar.test/panels\nhttp://solar.test/cells\n")
    load_plugin(reading_list)

    crawled = crawl("http://kitchen.test/soup")

    assert crawled.ends["http://solar.test/panels"] == "fetched"
    assert crawled.problems == []


def test_a_missing_file_is_a_problem_of_the_run(crawl, load_plugin, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    load_plugin(reading_list)

    assert crawl().problems == [f"there is no {tmp_path}/reading-list.txt"]


def test_the_plugin_changes_nothing_else(assert_isolated):
    assert_isolated(reading_list)

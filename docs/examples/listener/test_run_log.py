import run_log


def test_each_run_is_a_line(crawl, load_plugin, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    load_plugin(run_log)

    crawled = crawl()

    (line,) = (tmp_path / run_log.FILE).read_text("utf-8").splitlines()
    assert line.split("\t")[1:] == ["solar cells", str(len(crawled.kept))]


def test_the_plugin_changes_nothing_else(assert_isolated):
    assert_isolated(run_log)

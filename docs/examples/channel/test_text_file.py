from datetime import UTC, datetime

import pytest
import text_file

from topics.delivery.channels.base import Message, MessageItem, Target, TargetError
from topics.delivery.channels.registry import check_address, find_kind, send_body, write_message

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def item(title):
    return MessageItem(title, f"http://solar.test/{title}", "solar.test", "", "", "", 0.9, NOW)


def test_a_message_is_appended_to_the_file(load_plugin, settings, tmp_path, db):
    settings.DATA_DIR = tmp_path
    load_plugin(text_file, most=1)
    kind, target = find_kind("text_file"), Target(check_address(find_kind("text_file"), "news"))

    for subject in ("Monday", "Tuesday"):
        message = Message("alerts", "1", subject, "", "en", NOW, [item("cells"), item("panels")])
        assert send_body(kind, write_message(kind, message, target), target).sent

    lines = (tmp_path / "messages/news.txt").read_text().splitlines()
    cells = "- cells http://solar.test/cells"
    assert lines == ["Monday", cells, "Tuesday", cells]


def test_an_address_that_leaves_the_folder_is_refused(load_plugin, db):
    load_plugin(text_file)

    with pytest.raises(TargetError):
        check_address(find_kind("text_file"), "../news")


def test_the_plugin_changes_nothing_else(assert_isolated):
    assert_isolated(text_file)

"""A WARC file says what it holds, and no more."""

import io
import json
import os
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from warcio.archiveiterator import ArchiveIterator

from tests.topics.factories import Scene
from topics.pages.search_export import exported_pages
from topics.pages.warc_file import as_warc


def test_each_page_is_its_article_and_what_is_known_of_it(scene: Scene) -> None:
    scene.page(
        "https://cn.test/a", "电脑 =1+1", score=0.9, text="第一段。\r\nWARC/1.0\r\n\r\n第二段。"
    )

    data = as_warc("topic:chips", exported_pages(scene.topic, 2))

    records = []
    for record in ArchiveIterator(io.BytesIO(data), check_digests=True):
        body = record.content_stream().read()
        records.append((record.rec_type, record.rec_headers, body))
        assert record.digest_checker.passed is not False
    assert [kind for kind, *_ in records] == [
        *("warcinfo", "conversion", "metadata", "conversion", "metadata")
    ]
    assert b"not the bytes of the response" in records[0][2]
    (_, article, text), (_, about, values) = records[1:3]
    assert article.get_header("WARC-Target-URI") == "https://cn.test/a"
    assert article.get_header("WARC-Date") == "2026-05-01T12:00:00Z"
    assert text.decode() == "第一段。\r\nWARC/1.0\r\n\r\n第二段。"
    assert about.get_header("WARC-Concurrent-To") == article.get_header("WARC-Record-ID")
    assert json.loads(values) | {"title": "电脑 =1+1", "score": 0.9} == json.loads(values)


def test_a_query_of_several_lines_is_one_line_of_the_description(scene: Scene) -> None:
    data = as_warc("cache\r\nisPartOf: other\u2028line", [])

    record = next(iter(ArchiveIterator(io.BytesIO(data))))
    fields = record.content_stream().read().decode().split("\r\n")
    assert fields[1] == "description: cache isPartOf: other line"
    assert [one.partition(":")[0] for one in fields if one] == ["software", "description", "note"]


def test_the_command_writes_all_pages_in_the_format_of_the_ending(
    scene: Scene, tmp_path: Path
) -> None:
    for ending in ("csv", "json", "md", "warc"):
        file = tmp_path / f"pages.{ending}"
        call_command("export_pages", "chips", str(file), stdout=io.StringIO())
        assert "https://notes.test/cache" in file.read_text("utf-8").replace("\\", "")
    assert len(json.loads((tmp_path / "pages.json").read_text("utf-8"))["pages"]) == 2
    assert list(tmp_path.glob("*.part")) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chips", "{}/a.docx"], "'docx' is not a format. Formats: csv"),
        (["none", "{}/a.csv"], "There is no topic 'none'"),
        (["chips", "{}/no/a.csv"], "No such file"),
        (["chips", "{}/a.csv", "--pages", "0"], "at least 1"),
    ],
)
def test_what_cannot_be_written_is_said(
    scene: Scene, tmp_path: Path, words: list[str], said: str
) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("export_pages", *(word.format(tmp_path) for word in words))


def test_a_pipe_is_not_replaced_and_a_link_goes_on_naming_its_file(
    scene: Scene, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "link.csv").symlink_to("pages.csv")

    with pytest.raises(CommandError, match="is not a file"):
        call_command("export_pages", "chips", str(tmp_path / "pipe.csv"))
    call_command("export_pages", "chips", str(tmp_path / "link.csv"), stdout=io.StringIO())

    assert (tmp_path / "pipe.csv").is_fifo()
    assert (tmp_path / "link.csv").is_symlink()
    assert "https://notes.test/cache" in (tmp_path / "pages.csv").read_text("utf-8")

"""What the pages about topics, runs and pages share: safe links and text, language, PDF marks."""

import re

import pytest
from django.test import Client

from crawler.models import Harvest, Page
from tests.topics.factories import Scene
from tests.topics.views.conftest import LOCAL, get


def test_links_that_leave_tell_nobody_where_from(as_ann: Client, now_scene: Scene) -> None:
    page = Harvest.objects.get(url__url="https://notes.test/cache")
    paths = (LOCAL, f"{LOCAL}runs/{now_scene.run.pk}/reasons/gone", f"{LOCAL}pages/{page.pk}/path")
    html = "".join(get(as_ann, path) for path in paths)
    leaving = re.findall(r'<a\s[^>]*href="https://[^>]*>', html)
    assert len(leaving) == 5
    assert all('rel="noopener noreferrer"' in tag for tag in leaving)


def test_stored_text_is_shown_as_text(as_ann: Client, now_scene: Scene) -> None:
    evil = '</div><script>alert("x")</script>'
    page = now_scene.page("https://evil.test/", evil, text=evil)
    html = get(as_ann, f"{LOCAL}pages/{page.pk}/") + get(as_ann, LOCAL)
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert" in html


def test_pages_speak_chinese_to_a_chinese_browser(as_ann: Client, now_scene: Scene) -> None:
    html = get(as_ann, LOCAL, "zh-CN,zh;q=0.9")
    assert '<html lang="zh-hans">' in html
    assert "提到 CPU、cache；有 3 个网站链接到它；相关度 0.71（阈值 0.50）。" in html


def test_the_language_can_be_switched(as_ann: Client) -> None:
    as_ann.post("/language/", {"language": "zh-hans", "next": "/"})
    assert '<html lang="zh-hans">' in get(as_ann, "")


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_pdf_file_is_marked_on_lists_and_on_its_page(
    as_ann: Client, now_scene: Scene, language: str
) -> None:
    mark = '<span class="mark">PDF</span>'
    harvest = Harvest.objects.get(url__url="https://notes.test/cache")
    assert mark not in get(as_ann, LOCAL, language)
    Page.objects.filter(pk=harvest.url_id).update(flags="charset_guessed,pdf")

    assert get(as_ann, LOCAL, language).count(mark) == 1
    assert mark in get(as_ann, f"{LOCAL}pages/{harvest.pk}/", language)

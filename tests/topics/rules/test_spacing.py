"""Blanks beside Chinese punctuation are left out of Chinese pages."""

import pytest

from topics.rules.spacing import close_up


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<p>有 0 个。 <a>系统</a></p>", "<p>有 0 个。<a>系统</a></p>"),
        ("<p>规则：\n  <a>一</a></p>", "<p>规则：<a>一</a></p>"),
        ('规则：\n<a href="/r">\n 一</a>', '规则：<a href="/r">一</a>'),
        ("<strong>没有。</strong>\n  之后", "<strong>没有。</strong>之后"),
        ("<a>试用</a>\n （链接）", "<a>试用</a>（链接）"),
        ("占 50 %，", "占 50%，"),
        ("<p>第一。</p> <p>第二</p>", "<p>第一。</p> <p>第二</p>"),
        ("A sentence. Another one: a, b", "A sentence. Another one: a, b"),
        ("<textarea>一。 二</textarea>", "<textarea>一。 二</textarea>"),
        ("<pre>一。\n二</pre>。 三", "<pre>一。\n二</pre>。三"),
        ("<a>删除</a> <a>更改</a>", "<a>删除</a> <a>更改</a>"),
        ('<a href="?q=5%20x 5 %20">', '<a href="?q=5%20x 5 %20">'),
    ],
)
def test_blanks_beside_chinese_marks_are_left_out(html: str, shown: str) -> None:
    assert close_up(html) == shown

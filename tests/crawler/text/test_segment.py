from collections.abc import Callable

import pytest

from crawler.text import segment


@pytest.mark.parametrize("load", [segment.rust_segmenter, segment.python_segmenter])
def test_both_segmenters_cut_alike(load: Callable[[], segment.Segmenter]) -> None:
    cut = load()

    assert cut("我们在上海交通大学学习光伏电池") == [
        "我们",
        "在",
        "上海交通大学",
        "学习",
        "光伏",
        "电池",
    ]


@pytest.mark.parametrize("length", [0, 1, 999, 1000, 1001, 2500])
def test_cut_han_loses_nothing_at_the_seams(length: int) -> None:
    run = ("汉字学习" * 1000)[:length]

    assert "".join(segment.cut_han(run)) == run

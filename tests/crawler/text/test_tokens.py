from time import process_time

import pytest

from crawler.text.tokens import surface_tokens, tokenize, url_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \t\n", []),
        ("\0\x01\x1f", []),
        ("\ud800 \udfff", []),
        ("the and 的 了", []),
        ("Computers computing", ["comput", "comput"]),
        ("Newton's laws, don't it’s", ["newton", "law"]),
        ("ＧＰＵ ＡＢＣ１２３", ["gpu", "abc123"]),
        ("résumé Straße", ["résumé", "strass"]),
        ("太陽能電池的發展", ["太阳能", "电池", "发展"]),
        ("太阳能电池的发展", ["太阳能", "电池", "发展"]),
        ("猫 和 电", ["猫", "电"]),
        ("GPU加速学习", ["gpu", "加速", "学习"]),
        ("カタカナ 한국어", ["カタカナ", "한국어"]),
        ("👩‍🔬🇨🇳 solar☀", ["solar"]),
        ("\u202eevil\u202c text", ["evil", "text"]),
        ("solar\x01cell", ["solar", "cell"]),
    ],
)
def test_tokenize_folds_segments_and_stems(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("C++ and C#, but C", ["c++", "c#"]),
        ("用C#和C++编程", ["c#", "c++", "编程"]),
        ("foo#bar", ["foo", "bar"]),
        (".NET ASP.NET Node.js", [".net", "asp.net", "node.js"]),
        ("GPT-3 gpt-3.5-turbo", ["gpt-3", "gpt-3.5", "turbo"]),
        ("state-of-the-art solar-powered", ["state", "art", "solar", "power"]),
        ("e-mail x-ray", ["e-mail", "x-ray"]),
        ("TCP/IP ci/cd and/or he/she", ["tcp/ip", "ci/cd"]),
        ("/usr/lib/x path/to/thing", ["usr", "lib", "path"]),
        ("3.14 v2.0 1.2.3 2024-05-01", ["3.14", "v2.0", "1.2.3", "2024", "05", "01"]),
        ("solar.Cells", ["solar", "cell"]),
        ("COVID-19疫苗", ["covid-19", "疫苗"]),
    ],
)
def test_tokenize_joins_latin_runs_by_our_rule(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


def test_tokenize_keeps_nouns_the_stop_list_holds() -> None:
    assert tokenize("computer fire research AI TV") == ["comput", "fire", "research", "ai", "tv"]


def test_tokenize_cuts_endless_tokens() -> None:
    assert tokenize("x" * 5000) == ["x" * 64]


@pytest.mark.parametrize(
    "unit",
    ["汉", "汉字", "1.", "a", "a'", "a/", "a-1", "あ", "\u0301\u0316", "Ａ１。", "\u202e", "👩‍"],
)
def test_tokenize_takes_linear_time(unit: str) -> None:
    """[row P11]: ten times the text may take twenty times as long, not a hundred times."""
    small, large = unit * (30_000 // len(unit)), unit * (300_000 // len(unit))
    tokenize(small)

    start = process_time()
    tokenize(small)
    between = process_time()
    tokenize(large)

    assert process_time() - between < 20 * (between - start) + 0.2


@pytest.mark.parametrize(
    ("text", "surfaces"),
    [
        ("", []),
        ("The Computers", ["Computers"]),
        ("Straße ＧＰＵ加速", ["Straße", "ＧＰＵ", "加速"]),
        ("e\u0301tude 太陽能電池", ["e\u0301tude", "太陽能", "電池"]),
        ("㎞ ﬁre", ["㎞", "ﬁre"]),
    ],
)
def test_surface_tokens_point_into_the_text_as_shown(text: str, surfaces: list[str]) -> None:
    found = surface_tokens(text)

    assert [text[token.start : token.end] for token in found] == surfaces
    assert [tokenize(token.word) for token in found] == [tokenize(s) for s in surfaces]


@pytest.mark.parametrize(
    ("url", "tokens"),
    [
        ("", []),
        ("nonsense", []),
        ("http://[::1]:8000/solar", ["solar"]),
        ("http://192.168.0.1/solar", ["solar"]),
        ("https://www.solar-cells.example.com/index.html", ["solar", "cell"]),
        ("https://a.test/wiki/Deep_learning.html?q=no#no", ["wiki", "deep", "learn"]),
        ("http://a.test/%E6%B7%B1%E5%BA%A6%E5%AD%A6%E4%B9%A0/2024", ["深度", "学习"]),
        ("http://a.test/%FF%00", []),
        ("http://xn--fiqs8s.cn/", ["中国"]),
        ("http://xn--\x80.cn/solar", ["solar"]),
    ],
)
def test_url_tokens_are_the_words_of_host_and_path(url: str, tokens: list[str]) -> None:
    assert url_tokens(url) == tokens

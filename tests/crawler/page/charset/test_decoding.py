from pathlib import Path

import pytest

from crawler.page.charset.decoding import decode
from tests.crawler.page.charset_files import lines

ZH = "太阳能电池是一种把光变成电的东西，我们在这里说明它的工作原理。"
TW = "太陽能電池是一種把光變成電的東西，我們在這裡說明它的工作原理。"
JA = "太陽電池は光を電気に変えるもので、ここではそのしくみについて説明します。"
KO = "태양 전지는 빛을 전기로 바꾸는 장치이고 이 글에서는 그 원리를 설명한다."
RU = "Солнечная батарея превращает свет в ток, и здесь мы пишем о том, как она устроена."
DE = "Über die Größe der Zelle und ihre Wärme: schöne Grüße aus Köln."


def page(text: str, codec: str, meta: str = "") -> bytes:
    return f"<html><head>{meta}<title>x</title></head><p>{text}</p></html>".encode(codec)


def meta(label: str) -> str:
    return f'<meta charset="{label}">'


@pytest.mark.parametrize(
    ("body", "header", "charset"),
    [
        (b"", "", "utf-8"),
        (b"plain", "", "utf-8"),
        (page(ZH, "utf-8"), "", "utf-8"),
        (page(ZH, "utf-8-sig"), "text/html; charset=gbk", "utf-8"),
        (page(ZH, "utf-16"), "", "utf-16le"),
        (page(ZH, "gbk"), "text/html; charset=gb2312", "gb18030"),
        (page(ZH + "㐀镕囍", "gb18030", meta("gb2312")), "", "gb18030"),
        (page(ZH, "gbk", meta("GBK")), "text/html", "gb18030"),
        (page(ZH, "gbk", meta("gb2312")), "text/html; charset=ISO-8859-1", "gb18030"),
        (page(ZH, "utf-8"), "text/html; charset=ISO-8859-1", "utf-8"),
        (page(TW, "big5", meta("big5")), "", "big5"),
        (page(ZH, "utf-8", meta("utf-16")), "", "utf-8"),
        (page(ZH, "gbk", "<!-- " + meta("big5") + " -->" + meta("gbk")), "", "gb18030"),
        (page(DE, "cp1252"), "text/html; charset=latin1", "windows-1252"),
        (page(DE, "cp1252", meta("iso-8859-1")), "", "windows-1252"),
        (b'<?xml version="1.0" encoding="gb2312"?>' + page(ZH, "gbk"), "", "gb18030"),
        (
            page(ZH, "gbk", '<meta http-equiv=Content-Type content="text/html; charset=gb2312">'),
            "",
            "gb18030",
        ),
    ],
)
def test_decode_believes_mark_then_header_then_meta(body: bytes, header: str, charset: str) -> None:
    text, found, guessed = decode(body, header)

    assert (found, guessed) == (charset, False)
    assert "\ufffd" not in text


@pytest.mark.parametrize(
    ("text", "codec", "charset"),
    [
        (ZH, "gbk", "gb18030"),
        (ZH + "㐀镕囍", "gb18030", "gb18030"),
        (ZH[:14], "gbk", "gb18030"),
        (TW, "big5", "big5"),
        (TW[:14], "big5", "big5"),
        (JA, "euc_jp", "euc-jp"),
        (JA, "cp932", "shift_jis"),
        (KO, "cp949", "euc-kr"),
        (DE, "cp1252", "windows-1252"),
        (RU, "cp1251", "windows-1251"),
        (RU, "koi8_r", "koi8-u"),
        (RU, "iso8859_5", "iso-8859-5"),
        (RU, "cp866", "ibm866"),
        (RU, "mac_cyrillic", "x-mac-cyrillic"),
        ("plain", "utf-16-be", "utf-16be"),
        (ZH, "utf-16-le", "utf-16le"),
        (ZH, "utf-16-be", "utf-16be"),
    ],
)
def test_decode_guesses_what_nobody_declared(text: str, codec: str, charset: str) -> None:
    decoded, found, guessed = decode(page(text, codec), "")

    assert (found, guessed) == (charset, True)
    assert text in decoded


@pytest.mark.parametrize(
    "label",
    [
        "utf-7",
        "idna",
        "undefined",
        "unicode_escape",
        "rot13",
        "zlib",
        "x" * 50_000,
        "",
        "üt-8",
        "\0",
    ],
)
def test_decode_knows_no_label_but_the_standard_ones(label: str) -> None:
    """[row P5]"""
    text, charset, _ = decode(page(ZH, "utf-8", meta(label)), f"text/html; charset={label}")

    assert charset == "utf-8"
    assert ZH in text


@pytest.mark.parametrize(
    "body", [b"\xff", b"\x80" * 10_000, bytes(range(256)) * 50, b"\xed\xa0\x80"]
)
def test_decode_never_fails(body: bytes) -> None:
    text, _, _ = decode(body, "")

    assert text.encode()


def test_the_count_over_a_folder_names_what_is_not_read_right(tmp_path: Path) -> None:
    texts = {"GB2312": (ZH, "gbk"), "windows-1251-russian": (RU, "cp1251"), "ascii": (KO, "cp949")}
    for folder, (text, codec) in {**texts, "EUC-TW": ("x", "ascii")}.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_bytes(page(text, codec))

    assert list(lines(tmp_path)) == [
        "ascii/a.txt: is ascii, guessed euc-kr",
        "2 of 3 right, 1 guessed wrong; 1 in encodings no browser reads",
    ]

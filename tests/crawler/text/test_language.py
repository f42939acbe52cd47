import pytest

from crawler.text.language import detect_language

ENGLISH = "The cell turns light into current, and that is what this page is about."


@pytest.mark.parametrize(
    ("text", "declared", "language"),
    [
        ("", "", ""),
        ("", "de", "de"),
        ("", "not a language", ""),
        ("1234 5678", "", ""),
        (ENGLISH, "", "en"),
        (ENGLISH, "en-GB", "en"),
        (ENGLISH, "zh-CN", "en"),
        ("Die Zelle wandelt Licht in Strom, und davon handelt diese Seite.", "de", "de"),
        ("Die Zelle wandelt Licht in Strom, und davon handelt diese Seite.", "", ""),
        ("太阳能电池把光变成电流，本页讲的就是它。", "", "zh"),
        ("太阳能电池把光变成电流，本页讲的就是它。", "en", "zh"),
        ("使用 Python 和 numpy 处理数据，这里介绍方法。", "en", "zh"),
        ("太陽電池は光を電流に変えるものです。", "", "ja"),
        ("태양 전지는 빛을 전류로 바꾸는 장치이다.", "", "ko"),
        ("Солнечный элемент превращает свет в ток.", "", "ru"),
        ("Сонячний елемент перетворює світло на струм.", "uk", "uk"),
    ],
)
def test_detect_language_trusts_scripts_before_declarations(
    text: str, declared: str, language: str
) -> None:
    assert detect_language(text, declared) == language

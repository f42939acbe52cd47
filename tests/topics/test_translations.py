"""Everything people read is there in English and in Chinese."""

import gettext
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
TEMPLATES = sorted(
    file for file in (ROOT / "templates").rglob("*.*") if file.suffix in (".html", ".txt")
)
#: Mails have no style sheet beside them.
PAGES = [file for file in TEMPLATES if file.parent.name != "mail"]
SOURCES = sorted(
    file
    for folder in ("topics", "crawler", "focusweb")
    for file in (ROOT / folder).rglob("*.py")
    if "migrations" not in file.parts
)

_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_PLACEHOLDER = re.compile(r"%\(\w+\)[sd]")


def entries(text: str) -> list[dict[str, str]]:
    """The entries of a catalogue: flags, and each keyword with its text."""
    found = []
    for block in text.split("\n\n")[1:]:
        entry = {"flags": "".join(re.findall(r"^#,.*", block, re.M))}
        keyword = ""
        for line in block.splitlines():
            if line.startswith("#"):
                continue
            if not line.startswith('"'):
                keyword = line.split(" ", 1)[0]
                entry[keyword] = ""
            entry[keyword] += "".join(_STRING.findall(line))
        if "msgid" in entry:
            found.append(entry)
    return found


# --- Text that no translation reaches -----------------------------------------------------------

_TRANSLATED = re.compile(r"{% blocktranslate.*?{% endblocktranslate %}", re.S)
_TAGS = re.compile(r"{%.*?%}|{{.*?}}|{#.*?#}", re.S)
_VISIBLE_ATTRIBUTES = re.compile(r'\b(?:title|alt|aria-label|placeholder)="([^"]*)"')
_MARKUP = re.compile(r"<(?:!--.*?--|[^>]*)>", re.S)
#: The product's name is the same in every language, and html entities are not words.
_NO_WORDS = re.compile(r"FocusWeb|&\w+;")


def bare_text(template: str) -> list[str]:
    """Words a template shows that stand outside every translation tag."""
    rest = _TAGS.sub("", _TRANSLATED.sub("", template))
    shown = _VISIBLE_ATTRIBUTES.findall(rest) + _MARKUP.sub("\n", rest).splitlines()
    return [line.strip() for line in shown if re.search(r"[^\W\d_]{2}", _NO_WORDS.sub("", line))]


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("<p>Hello</p>", ["Hello"]),
        ('<p title="Hello"></p>', ["Hello"]),
        ('<p title="{% translate "Hello" %}">{{ name }}</p>', []),
        ("{% blocktranslate %}Hello {{ name }}{% endblocktranslate %}", []),
        ("{% if a %}Hello{% endif %}", ["Hello"]),
        ('<a href="/hello" class="wide">FocusWeb</a> · 1 –', []),
        ("你好", ["你好"]),
    ],
)
def test_the_checker_finds_bare_text(template: str, found: list[str]) -> None:
    assert bare_text(template) == found


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda file: file.name)
def test_templates_show_no_text_of_one_language(file: Path) -> None:
    assert bare_text(file.read_text("utf-8")) == []


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.name)
def test_templates_hold_no_inline_script_or_style(file: Path) -> None:
    text = file.read_text("utf-8")
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text))


# --- The catalogue -------------------------------------------------------------------------------


def test_every_entry_is_translated() -> None:
    for entry in entries(CATALOGUE.read_text("utf-8")):
        assert entry.get("msgstr", entry.get("msgstr[0]")), entry["msgid"]
        assert "fuzzy" not in entry["flags"], entry["msgid"]


def test_translations_keep_every_placeholder() -> None:
    for entry in entries(CATALOGUE.read_text("utf-8")):
        given = entry.get("msgstr", entry.get("msgstr[0]", ""))
        wanted = entry.get("msgid_plural", entry["msgid"])
        assert set(_PLACEHOLDER.findall(given)) == set(_PLACEHOLDER.findall(wanted)), wanted


def marked_strings(folder: Path) -> set[str]:
    """Every text that sources and templates mark for translation."""
    files = list(SOURCES)
    for number, template in enumerate(TEMPLATES):
        files.append(folder / f"{number}.py")
        files[-1].write_text(templatize(template.read_text("utf-8")), "utf-8")
    found = subprocess.run(
        [
            *("xgettext", "--from-code=UTF-8", "--language=Python", "--no-wrap", "-o", "-"),
            *("--keyword=gettext_lazy", "--keyword=gettext_noop", "--keyword=_lazy"),
            "--keyword=pgettext:1c,2",
            *("--keyword=ngettext_lazy:1,2", "--keyword=pgettext_lazy:1c,2"),
            *[str(file) for file in files],
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    return {entry["msgid"] for entry in entries(found.stdout)}


@pytest.mark.skipif(shutil.which("xgettext") is None, reason="there is no xgettext here")
def test_the_catalogue_has_the_marked_strings_and_no_others(tmp_path: Path) -> None:
    known = {entry["msgid"] for entry in entries(CATALOGUE.read_text("utf-8"))}
    marked = marked_strings(tmp_path)
    assert len(marked) > 200
    assert marked - known == set()
    assert known - marked - {""} == set()


def test_the_compiled_catalogue_is_the_one_that_is_written() -> None:
    done = subprocess.run(
        [sys.executable, "tools/translations.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


# --- Traditional Chinese -------------------------------------------------------------------------

#: Frequent characters that traditional Chinese writes in another way.
SIMPLIFIED_ONLY = set("这们网页来时还请为个发过没说对话题输长开关问间车东语认识设计记录选择检错误")


def translated(language: str) -> dict[object, str]:
    """The texts of a compiled catalogue by their English."""
    path = ROOT / "locale" / language / "LC_MESSAGES" / "django.mo"
    with path.open("rb") as stream:
        found: dict[object, str] = vars(gettext.GNUTranslations(stream))["_catalog"]
    return {key: text for key, text in found.items() if key}


def test_traditional_chinese_has_no_simplified_characters() -> None:
    for key, text in translated("zh_Hant").items():
        assert not SIMPLIFIED_ONLY & set(text), (key, text)


def test_traditional_chinese_says_the_same_with_the_same_placeholders() -> None:
    simplified, traditional = translated("zh_Hans"), translated("zh_Hant")
    assert set(simplified) == set(traditional)
    for key, text in traditional.items():
        assert _PLACEHOLDER.findall(text) == _PLACEHOLDER.findall(simplified[key]), text


def test_traditional_chinese_uses_the_words_of_taiwan() -> None:
    texts = translated("zh_Hant")
    # 注销 of an account would become 登出, the word for signing out.
    assert texts["Delete my account"] == "刪除帳號"
    assert texts["Sign out"] == "登出"
    # 項目 of a list would become 專案, a project; 代碼 of a language 程式碼, the text of a program.
    assert texts["Part"] == "項目"
    elsewhere = "賬號|許可權|質量|模板|隻|周|專案|程式碼|型別|文本|引數|報道|域名|沖突|令牌"
    for text in texts.values():
        assert not re.search(f"{elsewhere}|示例|短語|明瞭", text), text


@pytest.mark.django_db
@pytest.mark.parametrize("wanted", ["zh-TW", "zh-HK", "zh-Hant"])
def test_browsers_of_taiwan_and_hong_kong_get_traditional_chinese(
    client: Client, wanted: str
) -> None:
    html = client.get("/login/", headers={"accept-language": wanted}).content.decode()
    assert '<html lang="zh-hant">' in html
    assert "登入" in html

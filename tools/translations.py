"""Wrap and compile the translations, or check that the compiled files are up to date.

The traditional Chinese one is generated from the simplified one and has no source of its own.
"""

import argparse
import gettext
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import opencc

ROOT = Path(__file__).resolve().parent.parent
SIMPLIFIED, TRADITIONAL = "zh_Hans", "zh_Hant"
#: Columns of a catalogue's lines; below the limit of tools/line_lengths.py.
WIDTH = 110
#: What opencc writes, and what people in Taiwan do.
CORRECTIONS = {
    "賬號": "帳號",
    "許可權": "權限",
    "質量": "品質",
    "模板": "範本",
    "退出登入": "登出",
    "周": "週",
    "，隻影響": "，只影響",
    "渠道": "管道",
    # To be let in is 存取, to go somewhere is 造訪.
    **{f"{before}訪問": f"{before}存取" for before in ("拒絕", "無法", "程式", "公網", "來源")},
    **{f"訪問{after}": f"存取{after}" for after in ("範圍", "失敗")},
    "訪問": "造訪",
    "通過": "透過",
    "郵箱": "信箱",
    "響應": "回應",
    "公網": "公開網路",
    "後臺": "背景",
    "計劃": "計畫",
    "專案": "項目",
    "程式碼": "代碼",
    "型別": "類型",
    "文本": "文字",
    "引數": "參數",
    "報道": "報導",
    "域名": "網域",
    "網路地址": "網路位址",
    "遮蔽": "封鎖",
    "短語": "片語",
    "示例": "範例",
    "令牌": "權杖",
    "證書": "憑證",
    "免打擾": "勿擾",
    "互相沖突": "互相衝突",
    "寫明瞭": "寫明了",
    "點擊": "點選",
    "保存": "儲存",
    # 釋出 is what a program does; a page is 發布.
    "釋出": "發布",
    "“": "「",
    "”": "」",
}


def catalogues(root: Path) -> list[Path]:
    """Return every translation file of ours, in a fixed order."""
    return sorted(
        file
        for pattern in ("locale/*/LC_MESSAGES/*.po", "*/locale/*/LC_MESSAGES/*.po")
        for file in root.glob(pattern)
        if not file.relative_to(root).parts[0].startswith(".")
    )


def traditional(source: Path) -> Path | None:
    """Where the traditional Chinese file of a catalogue is, None for other languages."""
    if SIMPLIFIED not in source.parts:
        return None
    parts = [TRADITIONAL if part == SIMPLIFIED else part for part in source.parts]
    return Path(*parts).with_suffix(".mo")


def convert_text(text: str) -> str:
    """Simplified Chinese to traditional, with the words of Taiwan."""
    converted: str = _converter().convert(text)
    for written, meant in CORRECTIONS.items():
        converted = converted.replace(written, meant)
    return converted


@cache
def _converter() -> opencc.OpenCC:
    return opencc.OpenCC("s2twp")


def convert_catalogue(source: Path, target: Path) -> None:
    """Write a catalogue whose translations are in traditional Chinese."""
    is_translation, lines = False, []
    for line in source.read_text("utf-8").splitlines():
        if line and not line.startswith('"'):
            is_translation = line.startswith("msgstr")
        # The head of the file is a translation, too; opencc leaves its ASCII as it is.
        lines.append(convert_text(line) if is_translation else line)
    text = "\n".join(lines).replace("Language: zh_Hans", "Language: zh_Hant")
    target.write_text(f"{text}\n", "utf-8")


def compile_catalogue(source: Path, target: Path) -> str:
    """Compile one catalogue with all of msgfmt's checks; return what it complains about."""
    command = ["msgfmt", "--check", "-o", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr.strip()


def wrap_catalogue(source: Path) -> None:
    """Wrap the long lines of one catalogue in place."""
    command = ["msgcat", f"--width={WIDTH}", str(source)]
    wrapped = subprocess.run(command, capture_output=True, check=True).stdout
    if wrapped != source.read_bytes():
        source.write_bytes(wrapped)


def messages(compiled: Path) -> dict[str, str]:
    """Compare by this, not by bytes: versions of msgfmt differ in those."""
    with compiled.open("rb") as stream:
        found = gettext.GNUTranslations(stream)
    return {str(key): str(text) for key, text in vars(found)["_catalog"].items()}


def complaint_about(source: Path, check: bool) -> str:
    """Return what is wrong with one catalogue; empty when all is well."""
    if not check:
        complaint = compile_catalogue(source, source.with_suffix(".mo"))
        if not complaint:
            wrap_catalogue(source)
        return complaint or _complaint_about_file(source, traditional(source), check)
    return _complaint_about_file(source, source.with_suffix(".mo"), check) or (
        _complaint_about_file(source, traditional(source), check)
    )


def _complaint_about_file(source: Path, target: Path | None, check: bool) -> str:
    if target is None:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        if TRADITIONAL in target.parts:
            convert_catalogue(source, Path(folder) / source.name)
            source = Path(folder) / source.name
        if not check:
            target.parent.mkdir(parents=True, exist_ok=True)
            return compile_catalogue(source, target)
        fresh = Path(folder) / "fresh.mo"
        complaint = compile_catalogue(source, fresh)
        if complaint:
            return complaint
        if not target.is_file() or messages(target) != messages(fresh):
            return f"{target} is out of date. Run: python tools/translations.py"
    return ""


def main(arguments: list[str]) -> int:
    """Compile or check every catalogue."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing, only compare")
    parser.add_argument("--root", type=Path, default=ROOT)
    options = parser.parse_args(arguments)
    found = catalogues(options.root)
    if found and shutil.which("msgfmt") is None:
        print("There is no msgfmt here. On Debian: apt-get install gettext", file=sys.stderr)
        return 1
    complaints = [text for text in (complaint_about(file, options.check) for file in found) if text]
    for text in complaints:
        print(text, file=sys.stderr)
    print(f"{len(found)} translation files checked, {len(complaints)} wrong.")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

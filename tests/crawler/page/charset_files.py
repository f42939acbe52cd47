"""Count over a folder of texts, one folder for each encoding, how many are decoded right.

    python -m tests.crawler.page.charset_files FOLDER

Right means that the text is the one the named encoding gives. Folders are named like
"windows-1250-polish"; every file that is not right is printed with what was taken instead.
"""

import codecs
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from crawler.page.charset.decoding import decode

#: Encodings no browser knows, by the Encoding Standard: pages in them cannot be read anywhere.
NOT_ON_THE_WEB = frozenset(
    {"euc-tw", "iso-2022-kr", "johab", "ibm855", "utf-32", "utf-32le", "utf-32be"}
)
#: What the standard reads under a label, where Python's codec of that name knows less.
_WIDER = {
    "gb2312": "gb18030",
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "cp949": "cp949",
    "shift_jis": "cp932",
    "tis-620": "cp874",
    "iso-8859-1": "cp1252",
    "iso-8859-9": "cp1254",
    "ascii": "cp1252",
    "maccyrillic": "mac_cyrillic",
    "macroman": "mac_roman",
}


def charset_of(folder: str) -> str:
    """The encoding a folder is named after, without its language."""
    return re.sub(r"^((?:windows|iso-8859)-\d+)-[a-z]+$", r"\1", folder.lower())


def right_text(body: bytes, charset: str) -> str:
    """The text of some bytes by the encoding they are in."""
    codec = _WIDER.get(charset, charset)
    return body.removeprefix(codecs.BOM_UTF8).decode(codec, "replace").removeprefix("\ufeff")


def lines(folder: Path) -> Iterator[str]:
    """What is printed: each file that is not read right, then the counts."""
    counts: Counter[str] = Counter()
    for file in sorted(file for file in folder.glob("*/*") if file.is_file()):
        body, charset = file.read_bytes(), charset_of(file.parent.name)
        if charset in NOT_ON_THE_WEB:
            counts["not on the web"] += 1
            continue
        counts["files"] += 1
        text, found, guessed = decode(body, "")
        if text == right_text(body, charset):
            counts["right"] += 1
            continue
        counts["wrong guesses"] += guessed
        how = "guessed" if guessed else "declared"
        yield f"{file.relative_to(folder)}: is {charset}, {how} {found}"
    yield (
        f"{counts['right']} of {counts['files']} right, {counts['wrong guesses']} guessed wrong;"
        f" {counts['not on the web']} in encodings no browser reads"
    )


if __name__ == "__main__":
    for line in lines(Path(sys.argv[1])):
        sys.stdout.write(f"{line}\n")

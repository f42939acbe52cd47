"""Check the prose of docstrings, comments and documentation: vague words and long sentences.

`python tools/prose.py` prints one line per finding and exits with 1 if there are any.
`python tools/prose.py PATH ...` checks these files only.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: Words of a sentence, at most; the aim is 20.
MAX_WORDS = 30
#: Words that say too little in a description, and what to write instead.
BANNED = {
    r"told": "say what is sent, shown, written or passed",
    r"tells?|telling": "say what is sent, shown, written or passed",
    r"nobody|everybody": "name who acts: no process, no user, no run",
    r"looks? at|looked at|looking at|a look|another look|looks again|look again": (
        "visit, fetch, check or read"
    ),
    r"(?:asks?|asked|asking)(?! about| a user)": "request, query or call",
    r"(?<!there )(?:is|are|was|were|be) no(?! longer| more)": "is not a",
    r"heard|hears?|hearing": "receives",
    r"vouched|scouts?": "labelled, exploration",
    r"what is known|all the same|for good|none the less": "name the thing",
}
_BANNED = [(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), hint) for words, hint in BANNED.items()]
#: Field names, code and quotations are not prose.
_CODE = re.compile(r"`[^`]*`|``[^`]*``|\"[^\"\n]*\"|“[^”]*”")
_SECTION = re.compile(r"^\s*(?:[\w, ]+ : .*|-{3,}|[A-Z]\w+)\s*$")
_END = re.compile(r"(?<=[.!?:;])[*_)\"”]*\s+")
#: Fine in documentation: there are questions to users, and differences to see.
_FINE_IN_DOCS = ("asks?|asked|asking", "tells?|telling")
_BANNED_IN_DOCS = [
    (pattern, hint)
    for pattern, hint in _BANNED
    if not any(w in pattern.pattern for w in _FINE_IN_DOCS)
]
_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_LINK_TARGET = re.compile(r"(?<=\])\([^)]*\)")
#: Beginnings of paragraphs of Markdown that are not sentences: rows of tables, and headings.
_TABLE_OR_HEADING = ("|", "#")


@dataclass(frozen=True, slots=True)
class Finding:
    """One place to rewrite."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each docstring."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield node.body[0].lineno, text


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each comment; comments on consecutive lines of their own are one."""
    begin, last, words = 0, -1, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, text = token.start[0], token.string.lstrip("#: ").strip()
        if (line != last + 1 or token.line.strip() != token.string) and words:
            yield begin, " ".join(words)
            words = []
        if not words:
            begin = line
        words.append(text)
        last = line
    if words:
        yield begin, " ".join(words)


def sentences(text: str) -> Iterator[str]:
    """Split text into sentences; lines of code, tables and section heads are left out."""
    for part in re.split(r"\n\s*\n|\n(?=\s*- )", text):
        lines = [line.strip() for line in part.splitlines() if not _SECTION.match(line)]
        yield from _END.split(" ".join(lines))


def findings_in(path: str, source: str) -> Iterator[Finding]:
    """Yield what to rewrite in a Python module."""
    for line, text in (*docstrings(source), *comments(source)):
        for sentence in sentences(_CODE.sub("x", text)):
            for pattern, hint in _BANNED:
                if found := pattern.search(sentence):
                    yield Finding(path, line, f"“{found[0]}”: {hint}")
            n_words = len(sentence.split())
            if n_words > MAX_WORDS:
                yield Finding(path, line, f"a sentence of {n_words} words: {sentence[:50]}…")


def findings_in_page(path: str, text: str) -> Iterator[Finding]:
    """Yield what to rewrite in a page of the documentation."""
    text = _FENCED.sub(lambda found: "\n" * found[0].count("\n"), text)
    text = _LINK_TARGET.sub("", re.sub(r"`[^`\n]*`", "", text))
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, hint in _BANNED_IN_DOCS:
            if (found := pattern.search(line)) and not line.startswith("|"):
                yield Finding(path, number, f"“{found[0]}”: {hint}")
    for begin, paragraph in _paragraphs(text):
        for sentence in _END.split(paragraph):
            n_words = len(re.findall(r"\w[\w'’.,-]*", sentence))
            if n_words > MAX_WORDS:
                yield Finding(path, begin, f"a sentence of {n_words} words: {sentence[:50]}…")


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield first line and text of each paragraph and each item of a list."""
    begin, words = 0, list[str]()
    for number, line in enumerate([*text.splitlines(), ""], 1):
        stripped = line.strip()
        if not stripped or re.match(r"(?:[-*]|\d+\.) |[|#]", stripped):
            if words and not words[0].startswith(_TABLE_OR_HEADING):
                yield begin, " ".join(words)
            words = []
        if stripped:
            begin = begin if words else number
            words.append(stripped)


def tracked(*patterns: str) -> list[str]:
    """Paths of committed files that match one of the patterns."""
    command = ["git", "ls-files", "-z", "--", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return [name for name in listed.stdout.decode().split("\0") if name]


def main(paths: list[str]) -> int:
    """Print every finding. Return 1 if there is one."""
    names = paths or [
        *(name for name in tracked("*.py") if "/migrations/" not in name),
        *(name for name in tracked("*.md") if not name.startswith("docs/research/")),
    ]
    found = [one for name in names for one in _check(name, (ROOT / name).read_text("utf-8"))]
    for one in found:
        print(one)
    return 1 if found else 0


def _check(name: str, text: str) -> Iterator[Finding]:
    return findings_in_page(name, text) if name.endswith(".md") else findings_in(name, text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

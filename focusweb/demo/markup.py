"""The small markup in which the demo web's pages are written.

Blocks are separated by blank lines: `## heading`, `### heading`, `- item`,
`> quotation`, `| cell | cell |`, else a paragraph. Inside them, `**strong**`
and `[text](address)`.
"""

import re
from html import escape
from itertools import groupby

_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_STRONG = re.compile(r"\*\*(.+?)\*\*")
_PREFIXES = (("### ", "h3"), ("## ", "h2"), ("- ", "ul"), ("> ", "blockquote"), ("| ", "table"))


def render_markup(source: str) -> str:
    """Turn markup into HTML; everything in it is escaped."""
    blocks = [block.strip() for block in re.split(r"\n\s*\n", source)]
    return "\n".join(_block(block) for block in blocks if block)


def plain_text(source: str) -> str:
    """Return the words of a piece of markup, without its signs and addresses."""
    text = _STRONG.sub(r"\1", _LINK.sub(r"\1", source))
    return re.sub(r"^(#{2,3} |- |> )|\|", "", text, flags=re.MULTILINE)


def _block(block: str) -> str:
    parts = groupby(block.splitlines(), key=_kind)
    return "\n".join(_part(kind, list(lines)) for kind, lines in parts)


def _kind(line: str) -> str:
    return next((kind for prefix, kind in _PREFIXES if line.startswith(prefix)), "p")


def _part(kind: str, lines: list[str]) -> str:
    match kind:
        case "ul":
            return (
                "<ul>\n" + "\n".join(f"<li>{_inline(line[2:])}</li>" for line in lines) + "\n</ul>"
            )
        case "table":
            return "<table>\n" + "\n".join(_table_row(line) for line in lines) + "\n</table>"
        case "blockquote":
            return (
                f"<blockquote><p>{_inline(' '.join(line[2:] for line in lines))}</p></blockquote>"
            )
        case "p":
            return f"<p>{_inline(' '.join(lines))}</p>"
    return "\n".join(f"<{kind}>{_inline(line.lstrip('# '))}</{kind}>" for line in lines)


def _table_row(line: str) -> str:
    cells = [cell.strip() for cell in line.strip("| ").split("|")]
    return "<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in cells) + "</tr>"


def _inline(text: str) -> str:
    escaped = escape(text)
    return _STRONG.sub(r"<strong>\1</strong>", _LINK.sub(r'<a href="\2">\1</a>', escaped))

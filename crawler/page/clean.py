"""Text that is safe to show, store and mail: one pass, at acceptance."""

import re

# White-space controls are not listed: they are folded to spaces instead.
_UNSHOWABLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # controls; NUL breaks database inserts
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidi marks and overrides
    "\ufeff\ufff9-\ufffb\ufdd0-\ufdef\ufffe\uffff"  # BOM, annotations, noncharacters
    "\ud800-\udfff"  # lone surrogates cannot be encoded
    + "".join(
        f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(1 << 16, 17 << 16, 1 << 16)
    )
    + "]"
)


def strip_unshowable(text: str) -> str:
    """Drop controls, bidi overrides, noncharacters and lone surrogates; keep white space."""
    # Printable text has none of them, and saying so takes a hundredth of the search.
    return text if text.isprintable() else _UNSHOWABLE.sub("", text)


def tidy(line: str) -> str:
    """Clean a line and fold its white space."""
    # Printable text has no white space but blanks, and mostly single ones.
    if line.isprintable() and "  " not in line:
        return line.strip(" ")
    return " ".join(strip_unshowable(line).split())


def clean_line(text: str, max_chars: int) -> str:
    """Make one line of showable text, white space folded, cut to `max_chars` characters.

    Parameters
    ----------
    text : str
        Anything, also with lone surrogates or newlines.
    max_chars : int
        Longest result, >= 0; what is longer is cut without a mark.
    """
    # Much longer input is cut before it is read: most of it would be cut anyway.
    return tidy(text[: 4 * max_chars + 1000])[:max_chars].rstrip()

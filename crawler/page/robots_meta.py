"""Directives of a page for crawlers: meta robots and the X-Robots-Tag header."""

import re

#: Names a page may address us by.
OUR_NAMES = frozenset({"robots", "focusweb"})

# Directives that have a value after a colon; any other "name:" is a crawler's.
_WITH_VALUE = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)
_AGENT = re.compile(r"\s*([\w-]+)\s*:")


def read_directives(content: str) -> tuple[bool, bool]:
    """Read a meta robots value: does it say (noindex, nofollow)?"""
    words = {word.strip().lower() for word in re.split(r"[,\s]+", content)}
    everything = "none" in words
    return everything or "noindex" in words, everything or "nofollow" in words


def read_robots_header(header: str) -> tuple[bool, bool]:
    """Read X-Robots-Tag for us: (noindex, nofollow).

    Parameters
    ----------
    header : str
        One value, or several joined by commas or newlines. After a crawler's
        name ("otherbot: noindex") what follows on that line is meant for it
        alone, until the next name.
    """
    ours: list[str] = []
    for line in header.split("\n"):
        for_us = True
        for part in line.split(","):
            match = _AGENT.match(part)
            if match and match[1].lower() not in _WITH_VALUE:
                for_us = match[1].lower() in OUR_NAMES
                part = part[match.end() :]
            if for_us:
                ours.append(part)
    return read_directives(",".join(ours))

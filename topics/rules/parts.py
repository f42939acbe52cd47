"""What a digest's mail may have in addition to pages. Pure."""

from typing import Final

CHANGES: Final = "changes"
ALERTS: Final = "alerts"
TERMS: Final = "terms"
QUIET: Final = "quiet"
#: In the order of the mail.
NAMES: Final = (CHANGES, ALERTS, TERMS, QUIET)


def parse_parts(text: str) -> frozenset[str]:
    """Read names such as "changes, terms".

    Raises
    ------
    ValueError
        With the word that names no part as its only argument.
    """
    words = text.replace(",", " ").split()
    for word in words:
        if word not in NAMES:
            raise ValueError(word)
    return frozenset(words)

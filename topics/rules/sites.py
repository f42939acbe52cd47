"""Lists of sites as people type them. Pure."""

import re

_GAP = re.compile(r"[\s,，、;；]+")


def sites_in(text: str) -> list[str]:
    """Return the hosts of a list, each once, in small letters."""
    return list(dict.fromkeys(name.lower() for name in _GAP.split(text) if name))

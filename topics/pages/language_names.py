"""The names of languages, in their own words."""

from django.conf.locale import LANG_INFO
from django.utils.translation import gettext as _


def language_name(code: str) -> str:
    """A language by its own name, its code where none is known."""
    if not code:
        return _("no language given")
    known = LANG_INFO.get({"zh": "zh-hans"}.get(code, code), {})
    return str(known.get("name_local", code))

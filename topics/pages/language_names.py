"""The names of languages, in their own words."""

from django.conf.locale import LANG_INFO
from django.utils.translation import gettext as _


def language_name(code: str) -> str:
    """Return a language by its own name, its code where none is known."""
    if not code:
        return _("no language given")
    if code == "zh":  # Pages do not say in which script.
        return "中文"
    return str(LANG_INFO.get(code, {}).get("name_local", code))

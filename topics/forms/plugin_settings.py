"""The form of a plugin's settings, made from what the plugin declares."""

from functools import partial
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from crawler.api.profiles import AnyParameter, Parameter, SwitchParameter, find_problems
from focusweb.plugin_settings import SettingsKind, Values, refused
from focusweb.plugins import SETTINGS, plugins
from topics.rules import parameters


class PluginSettingsForm(forms.Form):
    """A field for each setting; an empty one leaves the value to the installation or the plugin.

    Parameters
    ----------
    plugin : str
        Its name.
    stored : mapping
        The values that people chose here.
    below : mapping
        Those of the installation, if this is a topic's form.
    """

    def __init__(
        self, plugin: str, kind: SettingsKind, stored: Values, below: Values, data: Any = None
    ) -> None:
        super().__init__(data, prefix=f"plugin-{plugin}")
        self.plugin, self._kind = plugin, kind
        # Then it is not called. Its settings may be what has to be mended.
        self._is_paused = plugins().states.of(plugin).paused
        chosen, _wrong = kind.values(stored)
        self._below, _wrong = kind.values(below)
        if self._is_paused:
            read, error = kind.values(below, stored), ""
        else:
            read, error = plugins().call(plugin, SETTINGS, partial(kind.read, below, stored))
        #: What is wrong with stored values: these are not used.
        self.problems = [error] if error else list(map(parameters.problem_text, read[1]))
        for one in kind.parameters:
            default = self._below.get(one.name, one.default)
            self.fields[one.name] = _field(one, default, chosen.get(one.name))

    def clean(self) -> dict[str, Any]:
        """Refuse what the plugin does not allow; of a paused one only what is out of range."""
        given = {
            name: value
            for name, value in (super().clean() or {}).items()
            if value is not None and value != ""
        }
        for problem in find_problems(self._kind, given):
            self.add_error(problem.name, parameters.problem_text(problem))
        if not self.errors and not self._is_paused:
            make = partial(self._kind.make, **{**self._below, **given})
            refusal, error = plugins().call(self.plugin, SETTINGS, partial(refused, make))
            if refusal or error:
                self.add_error(None, refusal or error)
        return given


def _field(one: AnyParameter, default: Any, chosen: Any) -> forms.Field:
    """The form field of a setting."""
    meaning = {"meaning": _(one.meaning), "default": _shown(default)}
    options: dict[str, Any] = {"label": one.name, "required": False, "initial": chosen}
    if isinstance(one, Parameter):
        kind = forms.IntegerField if one.is_whole else forms.FloatField
        meaning["range"] = one.range
        help_text = _("%(meaning)s; in %(range)s; empty for %(default)s") % meaning
        return kind(**options, help_text=help_text)
    if isinstance(one, SwitchParameter):
        options["initial"] = "" if chosen is None else str(chosen)
        choices = [
            ("", _("default: %(default)s") % meaning),
            ("True", pgettext("switch", "yes")),
            ("False", pgettext("switch", "no")),
        ]
        return forms.TypedChoiceField(
            **options,
            choices=choices,
            coerce=lambda value: value == "True",
            empty_value=None,
            help_text=_(one.meaning),
        )
    help_text = _("%(meaning)s; empty for “%(default)s”") % meaning
    return forms.CharField(**options, max_length=one.max_chars, help_text=help_text)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return pgettext("switch", "yes") if value else pgettext("switch", "no")
    return f"{value:g}" if isinstance(value, float) else str(value)

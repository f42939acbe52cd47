"""Plugins by name: files of the plugin folder, and installed packages. Without Django."""

import sys
from dataclasses import dataclass, field
from importlib import metadata, util
from pathlib import Path
from typing import Any, Final

ENTRY_POINTS: Final = "focusweb.plugins"


@dataclass(frozen=True, slots=True)
class PluginSource:
    """What another process needs to load a plugin that this one has loaded.

    Attributes
    ----------
    is_own : bool
        Whether the name is that of a module of FocusWeb.
    file : str
        Of a plugin that is neither in the folder nor installed, as in a test; else "".
    settings : dict
        The installation's settings of the plugin, as stored.
    """

    name: str
    is_own: bool = False
    file: str = ""
    settings: dict[str, Any] = field(default_factory=dict)


def find_plugin(name: str, folder: Path) -> object:
    """Return a plugin by its name: the file of the folder, else what an installed package calls so.

    Raises
    ------
    LookupError
        If there is neither.
    """
    file = folder / f"{name}.py"
    if file.is_file():
        return load_file(name, file)
    for entry in metadata.entry_points(group=ENTRY_POINTS, name=name):
        plugin: object = entry.load()
        return plugin
    raise LookupError(f"no file {file}, and no installed package offers a plugin of this name")


def load_file(name: str, file: Path) -> object:
    """Run a file as the module of a plugin."""
    # A name of its own, so that the file takes no other module's place.
    spec = util.spec_from_file_location(f"focusweb_plugin_{name}", file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

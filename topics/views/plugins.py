"""The plugins of the installation: superusers switch them on and off, and try them again."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from focusweb.plugins import plugins
from topics.installation.plugin_rows import plugin_rows


@require_safe
def plugin_list(request: HttpRequest) -> HttpResponse:
    """Every plugin that is found, with its state."""
    require_superuser(request)
    return render(request, "topics/plugins.html", plugin_context())


@require_POST
def change_plugin(request: HttpRequest) -> HttpResponse:
    """Switch the named plugin on or off, or end its pause."""
    require_superuser(request)
    name, states = request.POST.get("name", ""), plugins().states
    if name not in {row.name for row in plugin_rows()}:
        raise Http404
    match request.POST.get("do", ""):
        case "on" | "off" if settings.LOAD_PLUGINS:
            messages.error(request, _("FOCUSWEB_LOAD_PLUGINS names the plugins to load."))
        case "on":
            states.switch(name, on=True)
        case "off":
            states.switch(name, on=False)
        case "again":
            states.try_again(name)
        case _:
            raise Http404
    return redirect("plugin_list")


def plugin_context() -> dict[str, object]:
    """What the template `topics/_plugins.html` needs, on whatever page it is."""
    return {
        "now": timezone.now(),
        "plugins": plugin_rows(),
        "plugins_pinned": bool(settings.LOAD_PLUGINS),
        "plugins_folder": settings.PLUGINS_DIR,
        "safe_mode": settings.SAFE_MODE,
    }


def require_superuser(request: HttpRequest) -> None:
    """Raise PermissionDenied unless the user is a superuser."""
    # A plugin runs with all rights of the program: switching one on is like installing it.
    if not getattr(request.user, "is_superuser", False):
        raise PermissionDenied

"""The tokens of the API: make one, whose secret is shown once, and revoke it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from topics.accounts.api_tokens import TokenScope, make_token
from topics.errors import TopicError
from topics.models import ApiToken


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def token_list(request: HttpRequest) -> HttpResponse:
    """List the user's tokens; a new one is shown in the answer to the form, and never again."""
    context: dict[str, object] = {"secret": "", "now": timezone.now(), "scopes": _scopes()}
    status = 200
    if request.method == "POST":
        name, scopes = request.POST.get("name", "").strip(), request.POST.getlist("scopes")
        try:
            if not name:
                raise TopicError(_("Give the token a name."))
            context["secret"] = make_token(request.user, name, scopes, timezone.now())
        except TopicError as error:
            messages.error(request, str(error))
            status = 422
    context["tokens"] = ApiToken.objects.filter(user=request.user)  # type: ignore[misc]
    return render(request, "accounts/tokens.html", context, status=status)


@require_POST
def token_revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke a token at once."""
    get_object_or_404(ApiToken, pk=pk, user_id=request.user.pk).delete()
    messages.success(request, _("The token is revoked."))
    return redirect("token_list")


def _scopes() -> list[tuple[str, str]]:
    return [
        (TokenScope.READ.value, _("read topics, pages and searches")),
        (TokenScope.FEEDBACK.value, _("rate, mark and tag pages")),
        (
            TokenScope.MANAGE.value,
            _("change topics, rules and saved searches; start and stop runs"),
        ),
    ]

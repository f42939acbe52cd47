"""What mails link to: stopping a digest, and confirming an address."""

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from topics.delivery import confirmation, mail_links, unsubscription
from topics.delivery.mail_links import MailAction


@login_not_required
# Mail providers post here for a reader, without cookies; who has the address may.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Show a page that stops a digest; only a POST stops it, as programs follow links too."""
    digest = unsubscription.find_digest(token)
    if digest is None:
        raise Http404
    if request.method == "POST":
        unsubscription.stop(digest)
    context = {"digest": digest, "stopped": request.method == "POST"}
    return render(request, "topics/unsubscribe.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def digests_stop(request: HttpRequest) -> HttpResponse:
    """Stop all digests of whoever is signed in."""
    if request.method != "POST":
        return render(request, "topics/digests_stop.html")
    stopped = unsubscription.stop_all(request.user)
    message = ngettext(
        "You unsubscribed from %(count)d digest.",
        "You unsubscribed from %(count)d digests.",
        stopped,
    )
    messages.success(request, message % {"count": stopped})
    return redirect("topic_list")


@login_not_required
# Who has the owner's mail may; a page that sends no referrer cannot prove its origin besides.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def mail_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show a page that rates or stars a page of a digest; only a POST does it."""
    item = mail_links.find_item(token)
    if item is None:
        raise Http404
    labels = {
        MailAction.UP: _("Relevant"),
        MailAction.DOWN: _("Not relevant"),
        MailAction.STAR: _("Read later"),
    }
    context = {
        "title": item.shown.get("title", ""),
        "topic": mail_links.topic_of(item),
        "actions": [(action.value, label) for action, label in labels.items()],
        "wanted": request.GET.get("do", ""),
    }
    if request.method == "POST":
        if request.POST.get("do") not in set(MailAction):
            raise Http404
        action = MailAction(request.POST["do"])
        done = mail_links.act(item, action)
        context["done"] = (
            _("Saved: %(what)s.") % {"what": labels[action]}
            if done
            else _("This page is not stored any more.")
        )
    return render(request, "topics/mail_link.html", context)


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_address(request: HttpRequest, token: str) -> HttpResponse:
    """Show a page that confirms an address; only a POST confirms it."""
    proof, now = confirmation.find_address_proof(token), timezone.now()
    if proof is None:
        raise Http404
    expired = confirmation.has_expired(proof, now)
    if request.method == "POST" and not expired:
        confirmation.confirm(proof, now)
        proof.refresh_from_db()
    context = {"proof": proof, "expired": expired}
    return render(request, "topics/confirm_address.html", context, status=410 if expired else 200)

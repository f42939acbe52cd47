"""Pages that mails link to: each acts when its button is pressed, never when it is opened.

Mail scanners open links, so a GET changes nothing.
"""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from topics.delivery import confirmation, mail_links, unsubscription
from topics.delivery.channels import opt_in
from topics.delivery.mail_links import MailAction

METHODS = ["GET", "HEAD", "POST"]


@login_not_required
# Mail providers post here for a reader, without cookies; who has the address may.
@csrf_exempt
@require_http_methods(METHODS)
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Stop a digest."""
    digest = unsubscription.find_digest(token)
    if digest is None:
        raise Http404
    acted = _acted(request, lambda: unsubscription.stop_digest(digest))
    done = acted or not digest.active
    context = {
        "heading": _("Unsubscribed") if done else _("Unsubscribe from this digest"),
        "digest": digest,
        "done": done,
    }
    return render(request, "topics/unsubscribe.html", context)


@login_not_required
# Mail providers post here for a reader, without cookies; who has the address may.
@csrf_exempt
@require_http_methods(METHODS)
def stop_channel(request: HttpRequest, token: str) -> HttpResponse:
    """Stop everything that goes to the reader of a channel."""
    channel = opt_in.find_channel(opt_in.STOP, token)
    if channel is None:
        raise Http404
    acted = _acted(request, lambda: opt_in.stop_channel(channel, timezone.now()))
    done = acted or channel.stopped is not None
    context = {
        "heading": pgettext("messages", "Stopped")
        if done
        else _("Stop all messages to this address"),
        "channel": channel,
        "done": done,
    }
    return render(request, "topics/stop_channel.html", context)


@login_not_required
# Who has the mail may; a page that sends no referrer cannot prove its origin besides.
@csrf_exempt
@require_http_methods(METHODS)
def confirm_channel(request: HttpRequest, token: str) -> HttpResponse:
    """Confirm that the reader of a channel wants its messages."""
    channel, now = opt_in.find_channel(opt_in.CONFIRM, token), timezone.now()
    if channel is None:
        raise Http404
    expired = opt_in.has_expired(channel, now)
    acted = not expired and _acted(request, lambda: opt_in.confirm_channel(channel, now))
    context = {"channel": channel, "done": acted or channel.confirmed is not None}
    return _confirm_page(request, "topics/confirm_channel.html", context, expired=expired)


@login_not_required
@require_http_methods(METHODS)
def confirm_address(request: HttpRequest, token: str) -> HttpResponse:
    """Confirm the address of an account."""
    proof, now = confirmation.find_address_proof(token), timezone.now()
    if proof is None:
        raise Http404
    expired = confirmation.has_expired(proof, now)
    acted = not expired and _acted(request, lambda: confirmation.confirm_address(proof, now))
    context = {"proof": proof, "done": acted or proof.confirmed is not None}
    return _confirm_page(request, "topics/confirm_address.html", context, expired=expired)


@login_not_required
# Who has the owner's mail may; a page that sends no referrer cannot prove its origin besides.
@csrf_exempt
@require_http_methods(METHODS)
def mail_link(request: HttpRequest, token: str) -> HttpResponse:
    """Rate or star a page of a digest."""
    item = mail_links.find_item(token)
    if item is None:
        raise Http404
    labels = {
        MailAction.UP: _("Relevant"),
        MailAction.DOWN: _("Not relevant"),
        MailAction.STAR: _("Read later"),
    }
    context = {
        "heading": item.shown.get("title", ""),
        "topic": mail_links.topic_of_item(item),
        "actions": [(action.value, label) for action, label in labels.items()],
        "wanted": request.GET.get("do", ""),
    }
    if request.method == "POST":
        if request.POST.get("do") not in set(MailAction):
            raise Http404
        action = MailAction(request.POST["do"])
        is_stored = mail_links.act(item, action)
        context["done"] = (
            _("Saved: %(what)s.") % {"what": labels[action]}
            if is_stored
            else _("This page is not stored any more.")
        )
    return render(request, "topics/mail_link.html", context)


@require_http_methods(METHODS)
def digests_stop(request: HttpRequest) -> HttpResponse:
    """Stop all digests of the user who is signed in."""
    if request.method != "POST":
        context = {
            "heading": _("Unsubscribe from all my digests"),
            "done": not unsubscription.active_digests(request.user).exists(),
        }
        return render(request, "topics/digests_stop.html", context)
    stopped = unsubscription.stop_all(request.user)
    message = ngettext(
        "You unsubscribed from %(count)d digest.",
        "You unsubscribed from %(count)d digests.",
        stopped,
    )
    messages.success(request, message % {"count": stopped})
    return redirect("topic_list")


def _acted(request: HttpRequest, act: Callable[[], object]) -> bool:
    """Act on a POST only; True if it was one."""
    if request.method == "POST":
        act()
    return request.method == "POST"


def _confirm_page(
    request: HttpRequest, template: str, context: dict[str, Any], *, expired: bool
) -> HttpResponse:
    context |= {"heading": _("Confirm an address"), "expired": expired}
    return render(request, template, context, status=410 if expired else 200)

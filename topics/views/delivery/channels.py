"""Channels: make one, see what went there, send it again."""

from datetime import datetime

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from focusweb.mail_server import MailServer
from topics.delivery.channels import deliveries, opt_in, trial
from topics.delivery.channels.base import TargetError
from topics.delivery.channels.notes import delivery_note, state_notes, takes_messages
from topics.delivery.channels.registry import find_kind
from topics.delivery.rules.notes import channel_notes
from topics.forms.channels import ChannelForm
from topics.installation.health import worker_health
from topics.models import Channel, Delivery
from topics.models.channels import new_secret
from topics.views.accounts.account import send_and_say

DELIVERIES_PER_SCREEN = 30


@require_http_methods(["GET", "HEAD", "POST"])
def channel_list(request: HttpRequest) -> HttpResponse:
    """A person's channels, and a form for a new one."""
    form = ChannelForm(request.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        channel = _create(form, timezone.now())
        kind = form.chosen
        if kind.needs_consent:
            _send_link(request, channel)
        if kind.signs:
            _show_secret(request, channel)
        return redirect("channel_detail", pk=channel.pk)
    context = {"form": form, "channels": Channel.objects.filter(owner_id=request.user.pk)}
    return render(request, "topics/channels.html", context, status=422 if form.errors else 200)


@require_safe
def channel_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """A channel: why nothing came, and all that went there."""
    channel = _own(request, pk)
    now = timezone.now()
    rows = deliveries.rows_of(channel.owner).filter(channel=channel)
    context = {
        "channel": channel,
        "kind": find_kind(channel.kind),
        "notes": channel_notes(
            channel,
            settings.TIME_ZONE,
            now,
            worker_up=worker_health(settings.RUN_DIR, now.timestamp()).up,
        ),
        "screen": Paginator(rows, DELIVERIES_PER_SCREEN).get_page(request.GET.get("page")),
    }
    return render(request, "topics/channel.html", context)


@require_POST
def channel_change(request: HttpRequest, pk: int) -> HttpResponse:
    """Do what the pressed button says with a channel."""
    channel, now = _own(request, pk), timezone.now()
    match request.POST.get("do", ""):
        case "switch":
            channel.active = not channel.active
            channel.save(update_fields=["active"])
        case "ask" if not channel.confirmed and not channel.stopped:
            _send_link(request, channel)
        case "secret" if channel.secret:
            channel.secret = new_secret()
            channel.save(update_fields=["secret"])
            _show_secret(request, channel)
        case "resume" if channel.stopped and channel.secret:
            channel.stopped = None
            channel.save(update_fields=["stopped"])
        case "test" if takes_messages(channel):
            _send_test(request, channel, now)
        case "delete":
            channel.delete()
            return redirect("channel_list")
        case _:
            raise Http404
    return redirect("channel_detail", pk=pk)


@require_POST
def delivery_change(request: HttpRequest, pk: int) -> HttpResponse:
    """Send a delivery again, or mark it as received: a person decides, never the program."""
    rows = Delivery.objects.filter(channel__owner_id=request.user.pk)
    row = get_object_or_404(rows.select_related("channel"), pk=pk)
    match request.POST.get("do", ""):
        case "again" if deliveries.send_again(row):
            messages.success(request, _next_step(row))
        case "received" if deliveries.confirm_received(row):
            messages.success(request, _("Marked as sent."))
        case "again" | "received":
            messages.error(request, _("It is already on its way."))
        case _:
            raise Http404
    return redirect("channel_detail", pk=row.channel_id)


def _next_step(row: Delivery) -> str:
    """Return when a delivery that waits is sent, or what it waits for."""
    row.refresh_from_db()
    words = [note.text for note in state_notes(row.channel)]
    if not words or not takes_messages(row.channel):
        words.insert(0, delivery_note(row, settings.TIME_ZONE).text)
    return " ".join(words)


def _create(form: ChannelForm, now: datetime) -> Channel:
    channel: Channel = form.save(commit=False)
    kind = form.chosen
    channel.name = form.cleaned_data["name"]
    channel.created = now
    channel.confirmed = None if kind.needs_consent else now
    channel.secret = new_secret() if kind.signs else ""
    channel.save()
    return channel


def _send_link(request: HttpRequest, channel: Channel) -> None:
    server: MailServer | None = settings.MAIL_SERVER
    if server is None:
        messages.error(request, _("No mail server is set. Set FOCUSWEB_SMTP_URL."))
        return
    sent = _("A link was sent to %(address)s. Its reader must open it to confirm.")
    send_and_say(
        request,
        lambda: opt_in.send_link(channel, server, timezone.now()),
        sent % {"address": channel.target},
    )


def _send_test(request: HttpRequest, channel: Channel, now: datetime) -> None:
    try:
        trial.add_test(channel, now)
    except TargetError as error:
        message = _("The test could not be written: %(problem)s")
        messages.error(request, message % {"problem": error})
    else:
        messages.success(request, _("A test is sent within a minute."))


def _show_secret(request: HttpRequest, channel: Channel) -> None:
    message = _("The secret that signs its messages, shown only now: %(secret)s")
    messages.success(request, message % {"secret": channel.secret})


def _own(request: HttpRequest, pk: int) -> Channel:
    return get_object_or_404(Channel.objects.select_related("owner"), pk=pk, owner=request.user.pk)

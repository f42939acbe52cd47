"""The digest of a topic: settings, status, issues, and a preview of the next one."""

from collections.abc import Callable
from typing import Any, ParamSpec, cast

from csp.constants import NONE, SELF
from csp.decorators import csp, csp_update
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from focusweb.mail_server import MailServer
from topics.delivery import ledger, mail_preview
from topics.delivery.confirmation import confirmed_address, is_waiting
from topics.delivery.delivery_notes import delivery_notes, part_notes
from topics.delivery.plan import save_digest
from topics.forms.delivery import DigestForm
from topics.installation.health import worker_health
from topics.models import Digest, DigestIssue
from topics.views.accounts.account import send_link_to
from topics.views.topic import visible_topic

ISSUES_PER_SCREEN = 20

P = ParamSpec("P")
View = Callable[P, HttpResponse]


def as_mail(view: View[P]) -> View[P]:
    """Show a mail as it is sent, with its own styles, and let it do nothing.

    It can run no script, load no picture, send no form, and stand in no page but ours.
    """
    policy = {
        "default-src": [NONE],
        "style-src": ["'unsafe-inline'"],
        "frame-ancestors": [SELF],
        "base-uri": [NONE],
        "form-action": [NONE],
        "sandbox": ["allow-popups", "allow-popups-to-escape-sandbox"],
    }
    # The types of django-csp know only views without keys in their address.
    decorated: View[P] = cast(Any, csp(policy))(view)
    return xframe_options_sameorigin(decorated)


def around_mail(view: View[P]) -> View[P]:
    """Let a page hold a mail in a frame."""
    decorated: View[P] = cast(Any, csp_update({"frame-src": [SELF]}))(view)
    return decorated


@around_mail
@require_http_methods(["GET", "HEAD", "POST"])
def topic_digest(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a topic's digest, and change its settings or look what that would change."""
    topic, now = visible_topic(request, slug), timezone.now()
    form = DigestForm(topic, request.POST or None)
    context: dict[str, Any] = {"topic": topic, "form": form, "now": now}
    if "look" in request.POST and form.is_valid():
        unsaved = form.unsaved(now)
        context |= {
            "look": mail_preview.preview_digest(unsaved, now),
            "look_query": form.as_query(),
        }
        context["skip_empty"] = unsaved.skip_empty
    elif request.method == "POST" and form.is_valid():
        save_digest(form.save(commit=False), now)
        form.save_parts()
        messages.success(request, _("Saved."))
        if not confirmed_address(topic.owner) and not is_waiting(topic.owner, now):
            send_link_to(request, topic.owner, now)
        return redirect("topic_digest", slug=topic.slug)
    digest = Digest.objects.filter(topic=topic).select_related("topic__owner").first()
    context["digest"] = digest
    if digest is not None:
        worker = worker_health(settings.RUN_DIR, now.timestamp())
        context["answers"] = delivery_notes(
            digest, now, worker_up=worker.up, has_server=settings.MAIL_SERVER is not None
        )
        context["notes"] = part_notes(digest, now)
        issues = Paginator(digest.issues.defer("message"), ISSUES_PER_SCREEN)
        context["screen"] = issues.get_page(request.GET.get("page"))
    return render(request, "topics/digest.html", context, status=422 if form.errors else 200)


@around_mail
@require_safe
def digest_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """The next issue as it would be made now."""
    topic, now = visible_topic(request, slug), timezone.now()
    digest = DigestForm(topic).unsaved(now)
    context = {
        "topic": topic,
        "digest": digest,
        "look": mail_preview.preview_digest(digest, now),
        "has_server": settings.MAIL_SERVER is not None,
    }
    return render(request, "topics/digest_preview.html", context)


@as_mail
@require_safe
def digest_preview_mail(request: HttpRequest, slug: str) -> HttpResponse:
    """The HTML part of the next issue, with the settings of the address if it has any."""
    topic, now = visible_topic(request, slug), timezone.now()
    form = DigestForm(topic, request.GET or None)
    if form.is_bound and not form.is_valid():
        raise Http404
    return HttpResponse(mail_preview.preview_digest(form.unsaved(now), now).mail.html)


@require_POST
def digest_test(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the next issue now, to the owner alone, without counting it."""
    digest = _digest(request, slug)
    server: MailServer | None = settings.MAIL_SERVER
    if server is None:
        messages.error(request, _("No mail server is set. Set FOCUSWEB_SMTP_URL."))
    elif not digest.topic.owner.email:
        messages.error(request, _("Your account has no e-mail address. Enter one first."))
    elif not confirmed_address(digest.topic.owner):
        messages.error(
            request, _("Confirm your address first. Open the link in the e-mail sent to it.")
        )
    else:
        outcome = mail_preview.send_test(digest, server, timezone.now())
        if outcome.sent:
            message = _("The mail server accepted a test for %(address)s.")
            messages.success(request, message % {"address": digest.topic.owner.email})
        else:
            message = _("The test could not be sent: %(problem)s")
            messages.error(request, message % {"problem": outcome.problem})
    return redirect("topic_digest", slug=slug)


@require_POST
def digest_link(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the link that confirms the owner's address once more."""
    owner = _digest(request, slug).topic.owner
    if not confirmed_address(owner):
        send_link_to(request, owner, timezone.now())
    return redirect("topic_digest", slug=slug)


@around_mail
@require_safe
def digest_issue(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One issue: what became of it, and the mail."""
    issue = _issue(request, slug, pk)
    context = {
        "topic": issue.digest.topic,
        "digest": issue.digest,
        "issue": issue,
        "now": timezone.now(),
        "n_items": issue.items.count(),
        "mail": mail_preview.mail_parts(bytes(issue.message)) if issue.message else None,
        "may_send": settings.MAIL_SERVER is not None
        and bool(confirmed_address(issue.digest.topic.owner)),
    }
    return render(request, "topics/digest_issue.html", context)


@as_mail
@require_safe
def digest_issue_mail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The HTML part of an issue."""
    message = bytes(_issue(request, slug, pk).message)
    return HttpResponse(mail_preview.mail_parts(message).html if message else "")


@require_safe
def digest_issue_file(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """An issue's mail as a file."""
    issue = _issue(request, slug, pk)
    name = ledger.mail_file(issue).name
    return HttpResponse(
        bytes(issue.message),
        content_type="message/rfc822",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@require_POST
def digest_issue_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Send an issue once more: a person decides, never the program."""
    issue = _issue(request, slug, pk)
    if settings.MAIL_SERVER is None or not confirmed_address(issue.digest.topic.owner):
        messages.error(request, _("A mail server or a confirmed address is missing."))
    elif ledger.send_again(issue):
        messages.success(request, _("It is sent within a minute."))
    else:
        messages.error(request, _("This issue cannot be sent again."))
    return redirect("digest_issue", slug=slug, pk=pk)


@require_POST
def digest_issue_came(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Let a user confirm that an uncertain issue has come."""
    if ledger.confirm_received(_issue(request, slug, pk)):
        messages.success(request, _("Marked as sent."))
    return redirect("topic_digest", slug=slug)


def _digest(request: HttpRequest, slug: str) -> Digest:
    digests = Digest.objects.select_related("topic__owner", "topic__crawl")
    return get_object_or_404(digests, topic=visible_topic(request, slug))


def _issue(request: HttpRequest, slug: str, pk: int) -> DigestIssue:
    issues = DigestIssue.objects.select_related("digest__topic__owner")
    return get_object_or_404(issues, pk=pk, digest__topic=visible_topic(request, slug))

"""Changes of the pages that a reader starred, and of a topic's seeds."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from topics.changes.listed_changes import shown_changes
from topics.changes.words import difference
from topics.models import PageChange, RuleEvent, Topic
from topics.views.back import back_to_form
from topics.views.topic import PAGES_PER_SCREEN, readable_topic


@require_safe
def topic_changes(request: HttpRequest, slug: str) -> HttpResponse:
    """All changes that the reader may see, the latest first."""
    topic = readable_topic(request, slug)
    rows = PageChange.objects.visible_to(request.user, topic).select_related(
        "url__site", "url__page"
    )
    screen = Paginator(rows, PAGES_PER_SCREEN).get_page(request.GET.get("page"))
    context = {
        "topic": topic,
        "now": timezone.now(),
        "screen": screen,
        "changes": shown_changes(list(screen), request.user),
    }
    return render(request, "topics/changes.html", context)


@require_safe
def change_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The whole difference that a change made."""
    topic = readable_topic(request, slug)
    change = _found(request, topic, pk)
    [row] = shown_changes([change], request.user)
    context = {
        "topic": topic,
        "now": timezone.now(),
        "row": row,
        "pieces": difference(change.before, change.after),
    }
    return render(request, "topics/change.html", context)


@require_POST
def change_mark(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Mark a change as read or unread."""
    topic = readable_topic(request, slug)
    change, user = _found(request, topic, pk), request.user
    assert isinstance(user, User)
    match request.POST.get("do", ""):
        case "read":
            change.read_by.add(user)
            messages.success(request, _("The change is marked as read."))
        case "unread":
            change.read_by.remove(user)
            messages.success(request, _("The change is marked as unread."))
        case _:
            raise Http404
    return back_to_form(request, reverse("topic_changes", args=[topic.slug]))


def _found(request: HttpRequest, topic: Topic, pk: int) -> PageChange:
    """Return a change that the reader may see, or that is an alert of the reader's rules."""
    visible = PageChange.objects.visible_to(request.user, topic).values("pk")
    # An alert stays in lists when the star of its page is gone.
    events = RuleEvent.objects.filter(topic=topic, rule__owner_id=request.user.pk)
    rows = PageChange.objects.filter(Q(pk__in=visible) | Q(pk__in=events.values("change")))
    return get_object_or_404(rows.select_related("url__site", "url__page"), pk=pk, topic=topic)

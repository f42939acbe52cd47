"""Alerts: what passed a topic's alert score, and that score."""

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from topics.delivery import alerts
from topics.forms.delivery import AlertScoreForm
from topics.installation.health import worker_health
from topics.models import Alert, AlertRule, Topic
from topics.views.delivery.rules import READY_RULES
from topics.views.row_numbers import row_numbers
from topics.views.topic import visible_topic

ALERTS_PER_SCREEN = 30
BEST_SCORES = 5
#: Events that stand above the alerts: those not seen, then the latest.
EVENTS = 10


@require_safe
def alert_list(request: HttpRequest) -> HttpResponse:
    """A person's alerts, of all topics or of one."""
    now = timezone.now()
    topics = list(Topic.objects.visible_to(request.user).select_related("crawl"))
    chosen = None
    if request.GET.get("topic"):
        chosen = get_object_or_404(
            Topic.objects.visible_to(request.user), slug=request.GET["topic"]
        )
    chosen_topics = [topic for topic in topics if chosen is None or topic.pk == chosen.pk]
    rows = alerts.alerts_of(chosen_topics).order_by("-fired", "-score", "pk")
    rows = rows.select_related("topic__crawl", "harvest__url__site", "harvest__url__page")
    screen = Paginator(rows, ALERTS_PER_SCREEN).get_page(request.GET.get("page"))
    events = list(alerts.listed_events(chosen_topics)[:EVENTS]) if screen.number == 1 else []
    context = {
        "now": now,
        "topics": topics,
        "chosen": chosen,
        "screen": screen,
        "alerts": alerts.alert_rows(list(screen), now),
        "events": events,
        "n_rules": AlertRule.objects.filter(owner_id=request.user.pk, active=True).count(),
        "has_new": any(alert.state == Alert.State.NEW for alert in screen)
        or any(not event.seen for event in events),
        "silences": []
        if list(screen) or events
        else [alerts.no_alert_reason(topic, now) for topic in chosen_topics],
        "worker_up": worker_health(settings.RUN_DIR, now.timestamp()).up,
    }
    return render(request, "topics/alerts.html", context)


@require_POST
def alerts_seen(request: HttpRequest) -> HttpResponse:
    """Mark the alerts a person was shown as seen."""
    shown, events = (row_numbers(request.POST.getlist(name)) for name in ("alert", "event"))
    count = alerts.mark_seen(shown, request.user) + alerts.mark_events_seen(events, request.user)
    message = ngettext("%(count)d alert marked as seen.", "%(count)d alerts marked as seen.", count)
    messages.success(request, message % {"count": count})
    topic = request.POST.get("topic", "")
    known = Topic.objects.visible_to(request.user).filter(slug=topic).exists()
    return redirect(reverse("alert_list", query={"topic": topic} if known else None))


@require_http_methods(["GET", "HEAD", "POST"])
def topic_alerts(request: HttpRequest, slug: str) -> HttpResponse:
    """From which score on a page of a topic is an alert."""
    topic, now = visible_topic(request, slug), timezone.now()
    form = AlertScoreForm(request.POST or None, initial={"score": topic.alert_score})
    if request.method == "POST" and form.is_valid():
        alerts.set_score(topic, form.cleaned_data["score"], now)
        messages.success(request, _("Saved. Applies to pages found from now on."))
        return redirect("topic_alerts", slug=topic.slug)
    scores = alerts.news_for_alerts(topic, now).one_per_story().values_list("pk", "score")
    context = {
        "topic": topic,
        "form": form,
        "scores": list(scores[:BEST_SCORES]),
        "n_news": scores.count(),
        "n_alerts": alerts.alerts_of([topic]).count(),
        "rules": AlertRule.objects.filter(owner=topic.owner, topic=topic),
        "ready_rules": READY_RULES,
    }
    return render(request, "topics/topic_alerts.html", context, status=422 if form.errors else 200)

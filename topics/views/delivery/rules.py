"""Alert rules: list, change, simulate, and the answer to "why did I not get it?"."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from topics.delivery.rules import saving
from topics.delivery.rules.notes import rule_notes
from topics.delivery.rules.simulation import replay_rule
from topics.feeds.addresses import addresses_of
from topics.forms.channels import RuleForm
from topics.installation.health import worker_health
from topics.models import AlertRule, SavedSearch, Topic
from topics.search.errors import SearchError
from topics.views.row_numbers import row_numbers

EXAMPLES = 5
#: Rules to begin with: the name in the address of the form, the name of the rule, a condition.
#: Of the news of four webs 33 to 56 % reach the score; without votes none has more than 0.75.
READY_RULES: tuple[tuple[str, Any, dict[str, Any]], ...] = (
    ("score", gettext_lazy("score of at least 0.55"), {"min_score": 0.55}),
    ("site", gettext_lazy("page on a new site"), {"new_site": True}),
    ("word", gettext_lazy("page that contains a word"), {}),
)


@require_safe
def rule_list(request: HttpRequest) -> HttpResponse:
    rules = AlertRule.objects.filter(owner_id=request.user.pk).select_related("topic", "search")
    context = {
        "rules": rules.prefetch_related("channels"),
        "ready_rules": READY_RULES,
        "now": timezone.now(),
    }
    return render(request, "topics/rules.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def rule_new(request: HttpRequest) -> HttpResponse:
    """A form for a new rule, which can be simulated before it is saved."""
    now = timezone.now()
    slug = request.GET.get("topic", "")
    own = Topic.objects.visible_to(request.user)
    topic = get_object_or_404(own, slug=slug) if slug else None
    assert isinstance(request.user, User)
    mine = SavedSearch.objects.filter(owner_id=request.user.pk)
    chosen = row_numbers([request.GET.get("search", "")])
    search = get_object_or_404(mine, pk=chosen[0]) if chosen else None
    rule = AlertRule(owner=request.user, topic=topic, search=search, begins=now, created=now)
    for key, name, conditions in READY_RULES:
        if key == request.GET.get("ready", ""):
            rule.name = str(name)
            vars(rule).update(conditions)
    rule.zone = settings.TIME_ZONE if topic is None or topic.zone == "UTC" else topic.zone
    return _form(request, rule, "topics/rule_new.html", {"ready_rules": READY_RULES})


@require_http_methods(["GET", "HEAD", "POST"])
def rule_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """A rule: why nothing came, its form, and what it sent last."""
    rule = _own(request, pk)
    now = timezone.now()
    up = worker_health(settings.RUN_DIR, now.timestamp()).up
    # A topic may have gone to somebody else since.
    events = rule.events.filter(topic__owner=rule.owner_id)
    events = events.select_related("topic", "change__url__site", "change__url__page")
    matches = rule.matches.filter(alert__topic__owner=rule.owner_id)
    context = {
        "feed": addresses_of("rule", rule),
        "now": now,
        "notes": rule_notes(_own(request, pk), now, worker_up=up),
        "events": events[:20],
        "matches": matches.select_related("alert__topic", "harvest__url__page")[:20],
        "is_muted": rule.is_muted(now),
    }
    return _form(request, rule, "topics/rule.html", context)


@require_POST
def rule_change(request: HttpRequest, pk: int) -> HttpResponse:
    """Do what the pressed button says with a rule."""
    rule = _own(request, pk)
    match request.POST.get("do", ""):
        case "switch":
            saving.switch_rule(rule, timezone.now())
        case "mute" if request.POST.get("hours") in {str(hours) for hours in (0, *saving.MUTES)}:
            saving.mute(rule, int(request.POST["hours"]), timezone.now())
        case "delete":
            saving.delete_rule(rule, timezone.now())
            return redirect("rule_list")
        case _:
            raise Http404
    return redirect("rule_detail", pk=pk)


def _form(
    request: HttpRequest, rule: AlertRule, template: str, more: dict[str, Any] | None = None
) -> HttpResponse:
    form = RuleForm(rule, request.POST or None)
    context: dict[str, Any] = {"form": form, "rule": rule, **(more or {})}
    if request.method == "POST" and form.is_valid():
        if "look" not in request.POST:
            saving.save_rule(
                form.save(commit=False),
                form.cleaned_data.get("channels", ()),
                timezone.now(),
                conditions_changed=form.conditions_changed,
            )
            messages.success(request, _("Saved. Applies to pages found from now on."))
            return redirect("rule_detail", pk=rule.pk)
        try:
            look = replay_rule(form.save(commit=False), timezone.now())
        except SearchError:
            messages.error(request, _("The saved search cannot be run now."))
        else:
            context |= {"look": look, "examples": look.fits[:EXAMPLES]}
    return render(request, template, context, status=422 if form.errors else 200)


def _own(request: HttpRequest, pk: int) -> AlertRule:
    rules = AlertRule.objects.select_related("owner", "topic", "search__topic", "feed")
    return get_object_or_404(rules, pk=pk, owner=request.user.pk)

"""A topic's profile: its terms, and what changing them would do to the stored pages."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from crawler.api.judging import adaptation_of
from focusweb.database import write_transaction
from topics.forms.profile import AddTermForm, ProfileForm, TermForms, draft_of
from topics.models import Topic
from topics.profile import feedback
from topics.profile.preview import preview_profile
from topics.profile.suggest import found_terms, suggestions
from topics.views.sentences import moved_sentence
from topics.views.topic import visible_topic

#: The ranking of the second paper [P2 eq. 1, 2].
BY_PAPER: Final = {"ranker": "paper", "link_weight": 0.7, "link_scale": 1.0}


@require_http_methods(["GET", "HEAD", "POST"])
def profile(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the profile and keep it; a suggestion that was chosen is only filled in."""
    topic = visible_topic(request, slug)
    if request.method != "POST":
        by_paper = request.GET.get("ranking") == "paper"
        form = ProfileForm(instance=topic, initial=BY_PAPER if by_paper else None)
        chosen = [{"text": request.GET["add"][:80]}] if request.GET.get("add") else []
        terms = TermForms(instance=topic, initial=chosen)
        return _page(request, topic, form, terms, by_paper=by_paper)
    if request.POST.get("add"):
        data = _with_term(request.POST, request.POST["add"])
        form, terms = _forms(topic, data)
        return _page(request, topic, form, terms)
    form, terms = _forms(topic, request.POST)
    if not (form.is_valid() and terms.is_valid()):
        return _page(request, topic, form, terms, status=422)
    if request.POST.get("preview"):
        foreseen = preview_profile(topic, draft_of(form, terms), timezone.now())
        found = {"foreseen": foreseen, "suggestions": suggestions(topic)}
        return _page(request, topic, form, terms, found=found)
    if form.is_outdated():
        messages.warning(
            request,
            _(
                "The topic was changed in the meantime, perhaps in another window. Your "
                "changes are not saved. Check them and save again."
            ),
        )
        data = request.POST.copy()
        data["seen"] = str(topic.crawl.version if topic.crawl else 0)
        return _page(request, topic, *_forms(topic, data), status=409)
    _save(request, topic, form, terms)
    return redirect("topic_profile", slug=topic.slug)


@write_transaction()
def _save(request: HttpRequest, topic: Topic, form: ProfileForm, terms: Any) -> None:
    now = timezone.now()
    form.save()
    terms.save()
    messages.success(request, moved_sentence(feedback.apply_profile(topic, now)))


@require_POST
def profile_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """What the form, as it stands, would change."""
    topic = visible_topic(request, slug)
    form, terms = _forms(topic, request.POST)
    context: dict[str, Any] = {"topic": topic}
    if form.is_valid() and terms.is_valid():
        context["foreseen"] = preview_profile(topic, draft_of(form, terms), timezone.now())
    return render(request, "topics/_preview.html", context)


@require_POST
def term_add(request: HttpRequest, slug: str) -> HttpResponse:
    """Add one term to the topic and score the stored pages again."""
    topic = visible_topic(request, slug)
    form = AddTermForm(request.POST, topic=topic)
    if form.is_valid():
        form.save()
        moved = moved_sentence(feedback.apply_profile(topic, timezone.now()))
        said = _("“%(term)s” was added to the terms. %(moved)s")
        messages.success(request, said % {"term": form.cleaned_data["text"], "moved": moved})
    else:
        messages.error(request, " ".join(map(str, form.errors["text"])))
    return redirect(f"{topic.get_absolute_url()}#found")


@require_safe
def topic_found_terms(request: HttpRequest, slug: str) -> HttpResponse:
    """Terms of the pages that the first run has kept so far."""
    topic = visible_topic(request, slug)
    return render(
        request, "topics/_found_terms.html", {"topic": topic, "found": found_terms(topic)}
    )


@require_safe
def profile_suggestions(request: HttpRequest, slug: str) -> HttpResponse:
    """Terms the topic might want."""
    topic = visible_topic(request, slug)
    context = {
        "topic": topic,
        "suggestions": suggestions(topic),
        "as_links": "links" in request.GET,
    }
    return render(request, "topics/_suggestions.html", context)


def _forms(topic: Topic, data: QueryDict) -> tuple[ProfileForm, Any]:
    return ProfileForm(data, instance=topic), TermForms(data, instance=topic)


def _with_term(posted: QueryDict, text: str) -> QueryDict:
    """The posted form with one more term, in its first empty row or in a new one."""
    data = posted.copy()
    count = str(data.get("terms-TOTAL_FORMS", ""))
    total = int(count) if count.isdecimal() and len(count) < 5 else 0
    texts = [str(data.get(f"terms-{n}-text", "")).strip() for n in range(total)]
    place = texts.index("") if "" in texts else total
    data["terms-TOTAL_FORMS"] = str(max(total, place + 1))
    data[f"terms-{place}-text"], data[f"terms-{place}-weight"] = text, "1"
    return data


def _page(
    request: HttpRequest,
    topic: Topic,
    form: ProfileForm,
    terms: Any,
    *,
    status: int = 200,
    by_paper: bool = False,
    found: Mapping[str, Any] | None = None,
) -> HttpResponse:
    stored = Topic.objects.get(pk=topic.pk)
    adapted = adaptation_of(stored.crawl) if stored.crawl and stored.judge == "adaptive" else None
    context = {
        "topic": stored,
        "form": form,
        "terms": terms,
        "adapted": adapted,
        "by_paper": by_paper,
        **(found or {}),
    }
    return render(request, "topics/profile.html", context, status=status)

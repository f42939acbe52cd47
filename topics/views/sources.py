"""The sources of a topic's runs, and the user's site rules."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from crawler.api.sources import revisit_soon
from topics.forms.add_sources import AddSourcesForm
from topics.forms.searches import TopicSearchesForm, search_context
from topics.models import Topic
from topics.sources.lines import brought_by, source_lines
from topics.sources.opml import write_opml
from topics.sources.site_rules import rules_by_site
from topics.views.topic import readable_topic, render_pages, visible_topic


@require_safe
def topic_sources(request: HttpRequest, slug: str) -> HttpResponse:
    topic = readable_topic(request, slug)
    return _sources(request, topic, TopicSearchesForm(topic))


@require_POST
def topic_searches(request: HttpRequest, slug: str) -> HttpResponse:
    """Change what a topic searches for, and where."""
    topic = visible_topic(request, slug)
    form = TopicSearchesForm(topic, request.POST)
    if not form.is_valid():
        return _sources(request, topic, form, status=422)
    form.save()
    messages.success(request, _("Saved. The next run makes these searches."))
    return redirect("topic_sources", slug=topic.slug)


@require_POST
def topic_sources_add(request: HttpRequest, slug: str) -> HttpResponse:
    """Show which of the given addresses are new; add them when the person says so."""
    topic = visible_topic(request, slug)
    given = request.POST.copy()
    given["places"] = "\n".join(given.getlist("places"))  # typed, or one a box that is checked
    form = AddSourcesForm(topic, given, request.FILES)
    if not form.is_valid():
        return _sources(request, topic, TopicSearchesForm(topic), adding=form, status=422)
    if "confirmed" not in request.POST:
        return _sources(request, topic, TopicSearchesForm(topic), adding=form)
    form.save()
    count = len(form.new)
    added = ngettext(
        "%(count)d source added. The next run checks it.",
        "%(count)d sources added. The next runs check them.",
        count,
    )
    messages.success(request, added % {"count": count})
    return redirect("topic_sources", slug=topic.slug)


def _sources(
    request: HttpRequest,
    topic: Topic,
    form: TopicSearchesForm,
    *,
    adding: AddSourcesForm | None = None,
    status: int = 200,
) -> HttpResponse:
    now = timezone.now()
    context = {
        "form": form,
        "adding": adding or AddSourcesForm(topic),
        "chosen": adding is not None and adding.is_valid(),
        "now": now,
        "topic": topic,
        "lines": source_lines(topic, now),
        "controls": topic.sites.select_related("site").order_by("rule", "site__name"),
        "site_rules": rules_by_site(topic),
        **search_context(),
    }
    return render(request, "topics/sources.html", context, status=status)


@require_safe
def source_pages(request: HttpRequest, slug: str) -> HttpResponse:
    """The kept pages that a source brought."""
    topic, now, key = readable_topic(request, slug), timezone.now(), request.GET.get("key", "")
    known = {line.url for line in source_lines(topic, now)} - {""}  # a search has no address
    if topic.crawl is None or key not in known:
        raise Http404
    rows, context = brought_by(topic.crawl, key), {"topic": topic, "source": key}
    return render_pages(request, "topics/source_pages.html", topic.crawl, rows, context)


@require_safe
def source_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The sources of a topic as an OPML file."""
    topic, now = readable_topic(request, slug), timezone.now()
    body = write_opml(topic.name, source_lines(topic, now), now)
    response = HttpResponse(body, content_type="text/x-opml; charset=utf-8")
    response.headers["Content-Disposition"] = (
        content_disposition_header(as_attachment=True, filename=f"{topic.slug}.opml")
        or "attachment"
    )
    return response


@require_POST
def source_again(request: HttpRequest, slug: str) -> HttpResponse:
    """Have the next run visit a source again, whatever its state."""
    topic, key = visible_topic(request, slug), request.POST.get("key", "")
    if topic.crawl is None or not revisit_soon(topic.crawl, key, timezone.now()):
        raise Http404
    messages.success(request, _("The next run checks it."))
    return redirect("topic_sources", slug=topic.slug)

"""Marks of a reader on pages: read, starred, hidden, tags and a note; and the reader view."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from crawler.api.tables import Harvest
from topics.changes.listed_changes import mark_changes_read, unread_changes
from topics.home.figures import figures_of
from topics.models import Reading
from topics.pages import reading
from topics.pages.filters import read_filters
from topics.pages.listing import list_pages
from topics.pages.opening import open_address
from topics.pages.passages import MAX_CHARS, passages
from topics.pages.reading import NO_MARKS, marks_of
from topics.views.back import back_to_form
from topics.views.thumbs import HtmxRequest
from topics.views.topic import readable_topic


def cut_tags_message() -> str:
    """Say that tags were not saved as they were typed."""
    return _(
        "Saved, but not all tags as you typed them: a page has at most %(tags)d tags of"
        " %(characters)d characters each."
    ) % {"tags": reading.MAX_TAGS, "characters": reading.MAX_TAG}


@require_POST
def page_mark(request: HtmxRequest, slug: str, pk: int) -> HttpResponse:
    """Set or take back one mark on a page; the answer is the row of buttons anew."""
    topic, now = readable_topic(request, slug), timezone.now()
    harvest = get_object_or_404(
        Harvest.objects.select_related("url__page"), pk=pk, crawl=topic.crawl_id
    )
    action, url_id = request.POST.get("do", ""), harvest.url_id
    message = ""
    if action in ("read", "unread"):
        reading.set_read(topic, request.user, url_id, now, read=action == "read")
    elif action in ("star", "unstar"):
        reading.set_starred(topic, request.user, url_id, now, starred=action == "star")
    elif action == "show" or action in Reading.Hidden.values:
        reading.set_hidden(topic, request.user, url_id, now, "" if action == "show" else action)
        message = _("Shown again.") if action == "show" else _("Hidden from your lists.")
    elif action == "note":
        note, tags = request.POST.get("note", ""), request.POST.get("tags", "")
        reading.set_note(topic, request.user, url_id, now, note, tags)
        message = _("Saved.") if reading.tags_fit(tags) else cut_tags_message()
    else:
        return HttpResponseBadRequest(_("This action does not exist."))
    if request.htmx:
        marks = marks_of(topic, request.user, [url_id]).get(url_id, NO_MARKS)
        context = {"topic": topic, "harvest_pk": pk, "title": harvest.title, "marks": marks}
        return render(
            request, "topics/_marks.html", context | {"message": message, "action": action}
        )
    if message:
        messages.success(request, message)
    return back_to_form(request, topic.get_absolute_url())


@require_POST
def topic_read_all(request: HttpRequest, slug: str) -> HttpResponse:
    """Mark all pages as read that the filters of the form's address list."""
    topic, now = readable_topic(request, slug), timezone.now()
    began = topic.crawl.baseline_end() if topic.crawl else None
    changes = [row.as_listed() for row in unread_changes(topic, request.user)]
    listing = list_pages(
        topic,
        request.user,
        read_filters(request.POST),
        now,
        began=began,
        farms=figures_of(topic, now).farms,
        changes=changes,
    )
    count = reading.mark_all_read(topic, request.user, listing.url_ids, now)
    count += mark_changes_read(request.user, [-number for number in listing.numbers if number < 0])
    message = ngettext("%(count)d page marked as read.", "%(count)d pages marked as read.", count)
    messages.success(request, message % {"count": count})
    return back_to_form(request, topic.get_absolute_url())


@require_safe
def page_read(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The stored article alone, to read it here."""
    topic, now = readable_topic(request, slug), timezone.now()
    harvest = get_object_or_404(
        Harvest.objects.select_related("url__site", "url__page"), pk=pk, crawl=topic.crawl_id
    )
    page = harvest.page
    text = page.text
    context = {
        "now": now,
        "topic": topic,
        "harvest": harvest,
        "title": harvest.title,
        "opens": open_address(harvest.url.url),
        "published": harvest.published,
        "passages": passages(text, page.line_kinds or "", title=page.title),
        "cut": len(text) > MAX_CHARS,
        "marks": marks_of(topic, request.user, [harvest.url_id]),
    }
    return render(request, "topics/page_read.html", context)

"""Let other people read a topic."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from topics.accounts.sharing import share
from topics.errors import TopicError
from topics.forms.accounts import ShareForm
from topics.models import TopicReader
from topics.views.topic import readable_topic, visible_topic


@require_http_methods(["GET", "HEAD", "POST"])
def topic_sharing(request: HttpRequest, slug: str) -> HttpResponse:
    """Show who reads the topic, and let one more person read it."""
    topic, form = visible_topic(request, slug), ShareForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            reader = share(topic, form.cleaned_data["username"], timezone.now())
        except TopicError as error:
            form.add_error("username", str(error))
        else:
            message = _("%(name)s can read this topic now.")
            messages.success(request, message % {"name": reader.user.get_username()})
            return redirect("topic_sharing", slug=topic.slug)
    readers = topic.readers.select_related("user")
    context = {"topic": topic, "form": form, "readers": readers}
    return render(request, "accounts/sharing.html", context, status=422 if form.errors else 200)


@require_POST
def topic_reader_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """End the sharing with one person."""
    topic = visible_topic(request, slug)
    get_object_or_404(TopicReader, pk=pk, topic=topic).delete()
    messages.success(request, _("The sharing has ended."))
    return redirect("topic_sharing", slug=topic.slug)


@require_POST
def topic_leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Stop reading a topic that somebody shared."""
    topic = readable_topic(request, slug)
    user: Any = request.user
    TopicReader.objects.filter(topic=topic, user=user).delete()
    messages.success(request, _("The topic is no longer in your list."))
    return redirect("topic_list")

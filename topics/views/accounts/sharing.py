"""Let people, feed readers and the public read a topic."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from focusweb.plugins import offers
from topics.accounts.sharing import share
from topics.errors import TopicError
from topics.feeds.addresses import addresses_of
from topics.feeds.newspaper import proposed_name, whole_address
from topics.forms.accounts import ShareForm
from topics.forms.newspaper import NewspaperForm
from topics.models import Newspaper, Topic, TopicReader
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
    return sharing_page(request, topic, form=form, status=422 if form.errors else 200)


def sharing_page(
    request: HttpRequest,
    topic: Topic,
    *,
    form: ShareForm | None = None,
    newspaper_form: NewspaperForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the page of who reads a topic: people, feed readers, the public."""
    published = Newspaper.objects.filter(topic=topic).first()
    proposed = published or Newspaper(topic=topic, name=proposed_name(topic))
    context = {
        "topic": topic,
        "form": form or ShareForm(),
        "readers": topic.readers.select_related("user"),
        "feed": addresses_of("topic", topic),
        "published": published,
        "public_address": whole_address(published) if published else "",
        "newspaper_form": newspaper_form or NewspaperForm(proposed),
        "now": timezone.now(),
        "files": [(name, offer.item.label) for name, offer in offers("exporters").items()],
    }
    return render(request, "accounts/sharing.html", context, status=status)


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

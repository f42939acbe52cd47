"""Add a page from elsewhere to a topic; a bookmarklet opens this page with its URL."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views import View

from focusweb.runtime import wakeups
from topics.errors import TopicError
from topics.forms.add_page import EXAMPLE, NEW, AddPageForm
from topics.profile import examples, feedback

MAX_CHARS = 2048
#: Opens this page with what the browser shows; `here` is its address.
BOOKMARKLET = (
    "javascript:location.href='{here}?url='+encodeURIComponent(location.href)"
    "+'&title='+encodeURIComponent(document.title)"
)


class AddPage(View):
    """The page that the bookmarklet opens, and where the bookmarklet is to be had."""

    def get(self, request: HttpRequest) -> HttpResponse:
        url = request.GET.get("url", "")[:MAX_CHARS]
        form = AddPageForm(request.user, initial={"url": url})
        return self._page(request, form)

    def post(self, request: HttpRequest) -> HttpResponse:
        form = AddPageForm(request.user, request.POST)
        if not form.is_valid():
            return self._page(request, form)
        url, topic = form.cleaned_data["url"], form.chosen_topic()
        if form.cleaned_data["topic"] == NEW or topic is None:
            return redirect(f"{reverse('new_topic')}?{urlencode({'places': url})}")
        try:
            if form.cleaned_data["use"] == EXAMPLE:
                now = timezone.now()
                example = examples.add_url(topic, url, now, good=True)
                if example.state == example.State.WAITING:
                    wakeups.wake("topics.tasks.read_examples")
                feedback.apply_labels(topic, now)
                messages.success(request, _("Added as an example of what is relevant."))
                return redirect("topic_examples", slug=topic.slug)
            topic.add_seeds([url])
        except TopicError as error:
            form.add_error("url", str(error))
            return self._page(request, form)
        except ValidationError as error:
            form.add_error("url", error.messages)
            return self._page(request, form)
        messages.success(request, _("Added. The next run starts from this page, too."))
        return redirect("topic_sources", slug=topic.slug)

    def _page(self, request: HttpRequest, form: AddPageForm) -> HttpResponse:
        context = {
            "form": form,
            "title": request.GET.get("title", "")[:300],
            "bookmarklet": BOOKMARKLET.format(here=request.build_absolute_uri(reverse("add_page"))),
        }
        return render(request, "topics/add_page.html", context)

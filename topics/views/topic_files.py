"""A topic as a file: download it, and import one that was downloaded elsewhere."""

import json

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from topics.errors import TopicError
from topics.forms.topic_files import TopicFileForm
from topics.models import Topic
from topics.topic_file import export_bundle, read_bundle, save_bundle
from topics.views.topic import visible_topic


@require_safe
def topic_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The topic with all that its owner added, as a file."""
    topic = visible_topic(request, slug)
    body = json.dumps(export_bundle(topic), ensure_ascii=False, indent=2)
    response = HttpResponse(body, content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="topic-{topic.pk}.json"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
def topic_upload(request: HttpRequest) -> HttpResponse:
    """Import a topic from a file; one of the person's own is replaced only if they say so."""
    form = TopicFileForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            topic, created = _import(request, form)
        except TopicError as error:
            form.add_error("file", str(error))
        else:
            told = _("The topic is imported.") if created else _("The topic is replaced.")
            messages.success(request, told)
            return redirect(topic)
    status = 422 if form.errors else 200
    return render(request, "topics/topic_upload.html", {"form": form}, status=status)


def _import(request: HttpRequest, form: TopicFileForm) -> tuple[Topic, bool]:
    assert isinstance(request.user, User)
    bundle = read_bundle(form.cleaned_data["file"].read())
    own = Topic.objects.visible_to(request.user)
    if own.filter(slug=bundle.slug).exists() and not form.cleaned_data["replace"]:
        raise TopicError(
            _("You already have a topic with the short name “%(slug)s”.") % {"slug": bundle.slug}
        )
    may_add = request.user.has_perm("crawler.add_ontology")
    return save_bundle(bundle, request.user, timezone.now(), may_add_ontologies=may_add)

"""A new topic: a user writes what to follow, reviews the terms, and starts."""

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views import View

from crawler.api.tables import Ontology
from topics.errors import CannotRun
from topics.forms.wish import WishForm
from topics.runs.wish import follow, suggest_terms


class NewTopic(View):
    """The page for a new topic; every user who is signed in may use it."""

    def get(self, request: HttpRequest) -> HttpResponse:
        words = request.GET.get("words", "").strip()[:120]
        suggested = suggest_terms(words, Ontology.objects.visible_to(request.user))
        form = WishForm(initial={"words": words}, suggested=suggested)
        return render(request, "topics/new_topic.html", {"form": form, "suggested": suggested})

    def post(self, request: HttpRequest) -> HttpResponse:
        ontologies = Ontology.objects.visible_to(request.user)
        suggested = suggest_terms(request.POST.get("words", "")[:120], ontologies)
        form = WishForm(request.POST, suggested=suggested)
        if form.is_valid():
            try:
                return redirect(follow(request.user, form.wish(), ontologies, timezone.now()))
            except CannotRun as error:
                form.add_error("places", str(error))
            except ValidationError as error:
                form.add_error(None, list(dict.fromkeys(error.messages)))
        return render(request, "topics/new_topic.html", {"form": form, "suggested": suggested})

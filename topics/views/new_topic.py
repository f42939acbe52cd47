"""A new topic: a user writes what to follow, reviews the terms, and starts."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views import View

from crawler.api.tables import Ontology
from topics.errors import CannotRun
from topics.forms.new_topic import NewTopicForm
from topics.forms.searches import search_context
from topics.runs.new_topic import create_topic, suggest_terms
from topics.runs.topic_templates import CARDS, find_card


class NewTopic(View):
    """The page for a new topic; every user who is signed in may use it."""

    def get(self, request: HttpRequest) -> HttpResponse:
        words = request.GET.get("words", "").strip()[:120]
        suggested = suggest_terms(words, Ontology.objects.visible_to(request.user))
        initial = {"words": words, "places": request.GET.get("places", "")[:2000]}
        card = find_card(request.GET.get("card", ""))
        return _page(request, NewTopicForm(initial=initial, suggested=suggested, card=card))

    def post(self, request: HttpRequest) -> HttpResponse:
        ontologies = Ontology.objects.visible_to(request.user)
        suggested = suggest_terms(request.POST.get("words", "")[:120], ontologies)
        card = find_card(request.POST.get("card", ""))
        form = NewTopicForm(request.POST, suggested=suggested, card=card)
        if form.is_valid():
            try:
                return redirect(
                    create_topic(request.user, form.draft(), ontologies, timezone.now())
                )
            except CannotRun as error:
                form.add_error(None, str(error))
            except ValidationError as error:
                form.add_error(None, list(dict.fromkeys(error.messages)))
        form.focus_first_error()
        return _page(request, form)


def _page(request: HttpRequest, form: NewTopicForm) -> HttpResponse:
    context = {
        "form": form,
        "suggested": form.suggested,
        "card": form.card,
        "open_searches": form.card or form.suggested,
        "cards": () if form.card or form.suggested else CARDS,
        "no_contact": not settings.CONTACT_URL,
        **search_context(),
    }
    return render(request, "topics/new_topic.html", context)

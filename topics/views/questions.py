"""The answers to a topic's questions."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from crawler.api.tables import Harvest
from topics.profile import questions
from topics.views.row_numbers import row_numbers
from topics.views.sentences import moved_sentence
from topics.views.topic import visible_topic

ANSWERS = {"yes": True, "no": False}


@require_POST
def topic_questions(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the answers, dismiss the questions, or open five more."""
    topic, now = visible_topic(request, slug), timezone.now()
    match request.POST.get("do"):
        case "answer":
            given = {
                pk: ANSWERS[value]
                for name, value in request.POST.items()
                if name.startswith("page-") and value in ANSWERS
                for pk in row_numbers([name.removeprefix("page-")])
            }
            pages = Harvest.objects.filter(crawl=topic.crawl_id, pk__in=list(given))
            answers = {page.url_id: given[page.pk] for page in pages}
            if not given:
                questions.dismiss(topic)
            elif answers:  # none if the pages are gone since the form was shown
                moved = questions.take_answers(topic, request.user, answers, now)
                messages.success(request, moved_sentence(moved))
        case "more":
            if not questions.draw_more(topic, now):
                messages.info(request, _("There are no more pages to ask about."))
        case "dismiss":
            questions.dismiss(topic)
        case _:
            return HttpResponseBadRequest(_("Choose: answer, more or dismiss."))
    return redirect(topic)

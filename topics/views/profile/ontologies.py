"""Ontologies: uploaded with a preview before they are saved, and attached to topics."""

import secrets
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from crawler.api.ontologies import OntologyError, ParsedOntology, read_ontology
from crawler.api.tables import Concept, Ontology
from topics.errors import TopicError
from topics.forms.ontologies import ConceptForm, UploadForm
from topics.models import OntologyNotice, Topic
from topics.profile import concepts, feedback, ontologies
from topics.profile.action_previews import attach_preview
from topics.profile.concept_search import search_concepts
from topics.profile.ontology_use import use_of
from topics.profile.ontology_words import PROBLEMS
from topics.profile.preview import ProfilePreview
from topics.views.row_numbers import row_numbers
from topics.views.sentences import moved_sentence, use_sentence
from topics.views.topic import visible_topic

#: How long a file that was read waits to be saved.
DRAFT_S = 3600
MAX_LISTED = 100
#: More terms of concepts than this are folded.
N_OPEN = 30


@require_safe
def ontology_list(request: HttpRequest) -> HttpResponse:
    return _list(request, UploadForm())


def _list(request: HttpRequest, form: UploadForm, status: int = 200) -> HttpResponse:
    own = Q(concepts__attached_to__topic__owner=request.user.pk)
    found = Ontology.objects.visible_to(request.user).select_related("owner")
    editable = Ontology.objects.editable_by(request.user).values_list("pk", flat=True)
    context = {
        "ontologies": found.annotate(
            n_concepts=Count("concepts", distinct=True),
            n_topics=Count("concepts__attached_to__topic", distinct=True, filter=own),
        ),
        "editable": set(editable),
        "form": form,
    }
    return render(request, "topics/ontologies.html", context, status=status)


@require_POST
@permission_required("crawler.add_ontology", raise_exception=True)
def ontology_upload(request: HttpRequest) -> HttpResponse:
    """Read a file in a child process and show what was understood."""
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _list(request, form, 422)
    try:
        read = read_ontology(form.cleaned_data["file"].read())
        title = ontologies.clean_title(form.cleaned_data["name"] or read.title or form.file_title)
    except OntologyError as error:
        form.add_error("file", f"{PROBLEMS[error.problem]} ({error.detail})")
        return _list(request, form, 422)
    except TopicError as error:
        form.add_error("name", str(error))
        return _list(request, form, 422)
    token = secrets.token_urlsafe(16)
    cache.set(_draft_key(request, token), (title, msgspec.msgpack.encode(read)), DRAFT_S)
    return render(request, "topics/ontology_preview.html", _shown(request, read, title, token))


def _draft_key(request: HttpRequest, token: str) -> str:
    return f"ontology-{request.user.pk}-{token}"


def _shown(request: HttpRequest, read: ParsedOntology, title: str, token: str) -> dict[str, Any]:
    language = request.LANGUAGE_CODE.partition("-")[0]
    names = {concept.id: concept.name(language) for concept in read.concepts}
    known = ontologies.find_ontology(title, request.user)
    return {
        "read": read,
        "title": title,
        "token": token,
        "known": known,
        "use": use_sentence(use_of(known)),
        "changes": ontologies.planned_changes(read, known),
        "cut": [(names[r.source], str(r.kind), names[r.target]) for r in read.cut[:MAX_LISTED]],
        "ignored": read.ignored[:MAX_LISTED],
        "sample": list(names.values())[:30],
    }


@require_POST
@permission_required("crawler.add_ontology", raise_exception=True)
def ontology_save(request: HttpRequest) -> HttpResponse:
    """Save what was shown."""
    key = _draft_key(request, request.POST.get("token", "")[:40])
    draft = cache.get(key)
    if draft is None:
        messages.error(request, _("The uploaded file is kept for an hour only. Choose it again."))
        return redirect("ontology_list")
    title, packed = draft
    read = msgspec.msgpack.decode(packed, type=ParsedOntology)
    ontology, changes = ontologies.save_ontology(read, title, timezone.now(), owner=request.user)
    cache.delete(key)
    message = ngettext("%(count)d row changed.", "%(count)d rows changed.", changes.total)
    messages.success(
        request,
        _("“%(ontology)s” is saved.") % {"ontology": ontology.title}
        + " "
        + message % {"count": changes.total},
    )
    return redirect("ontology_list")


@require_safe
def ontology_export(request: HttpRequest, pk: int) -> HttpResponse:
    ontology = get_object_or_404(Ontology.objects.visible_to(request.user), pk=pk)
    response = HttpResponse(ontologies.export_turtle(ontology), content_type="text/turtle")
    response.headers["Content-Disposition"] = f'attachment; filename="ontology-{ontology.pk}.ttl"'
    return response


@require_POST
@permission_required("crawler.add_ontology", raise_exception=True)
def ontology_copy(request: HttpRequest, pk: int) -> HttpResponse:
    """Copy an ontology that is shared, or the person's own, to one that they may change."""
    ontology = get_object_or_404(Ontology.objects.visible_to(request.user), pk=pk)
    copy = ontologies.copy_ontology(ontology, timezone.now(), owner=request.user)
    messages.success(request, _("“%(ontology)s” is now your own copy.") % {"ontology": copy.title})
    return redirect("ontology_list")


@require_http_methods(["GET", "HEAD", "POST"])
def ontology_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Say who uses an ontology, and delete it when that is confirmed."""
    ontology = _own(request, pk)
    if request.method != "POST":
        return _confirm(request, ontology, "delete")
    ontologies.delete_ontology(ontology, timezone.now(), by=request.user)
    messages.success(request, _("“%(ontology)s” is deleted.") % {"ontology": ontology.title})
    return redirect("ontology_list")


@require_http_methods(["GET", "HEAD", "POST"])
def ontology_share(request: HttpRequest, pk: int) -> HttpResponse:
    """Let others use an ontology, or say who uses it and take it back."""
    ontology = _own(request, pk)
    if request.method != "POST":
        return _confirm(request, ontology, "unshare" if ontology.shared else "share")
    shared = request.POST.get("shared") == "1"
    ontologies.set_shared(ontology, shared, timezone.now())
    message = _("“%(ontology)s” is shared.") if shared else _("“%(ontology)s” is no longer shared.")
    messages.success(request, message % {"ontology": ontology.title})
    return redirect("ontology_list")


def _own(request: HttpRequest, pk: int) -> Ontology:
    return get_object_or_404(Ontology.objects.editable_by(request.user), pk=pk)


def _confirm(request: HttpRequest, ontology: Ontology, action: str) -> HttpResponse:
    use = use_of(ontology)
    context = {
        "ontology": ontology,
        "action": action,
        "use": use_sentence(use if action == "delete" else use.beside(ontology.owner)),
    }
    return render(request, "topics/ontology_sure.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def topic_concepts(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what ontologies bring to a topic, and attach a concept."""
    topic = visible_topic(request, slug)
    if request.method == "POST" and (chosen := row_numbers(request.POST.getlist("concept"))):
        return _attach_one(request, topic, chosen[-1])
    form, foreseen = ConceptForm(request.POST or None), None
    if request.method == "POST" and form.is_valid():
        found = concepts.find_concepts(
            form.cleaned_data["name"], Ontology.objects.visible_to(request.user)
        )
        try:
            if not found:
                raise ValidationError(_("No ontology has a concept with this name."))
            if "preview" not in request.POST:
                return _attach(request, topic, found)
            foreseen = _foreseen(topic, found)
        except ValidationError as error:
            form.add_error("name", error)
    return _concepts_page(request, topic, form, foreseen)


def _attach_one(request: HttpRequest, topic: Topic, pk: int) -> HttpResponse:
    visible = Ontology.objects.visible_to(request.user)
    concept = get_object_or_404(Concept, pk=pk, ontology__in=visible)
    foreseen = None
    try:
        if "preview" not in request.POST:
            return _attach(request, topic, [concept])
        foreseen = _foreseen(topic, [concept])
    except ValidationError as error:
        messages.error(request, error.messages[0])
    return _concepts_page(request, topic, ConceptForm(), foreseen)


def _attach(request: HttpRequest, topic: Topic, found: Iterable[Concept]) -> HttpResponse:
    for concept in found:
        concepts.attach(topic, concept)
    return _changed(request, topic)


def _foreseen(topic: Topic, found: Sequence[Concept]) -> ProfilePreview:
    for concept in found:
        concepts.check_languages(topic, concept)
    return attach_preview(topic, found)


def _concepts_page(
    request: HttpRequest, topic: Topic, form: ConceptForm, foreseen: ProfilePreview | None = None
) -> HttpResponse:
    attached = topic.concepts.select_related("concept__ontology").order_by("pk")
    language = request.LANGUAGE_CODE.partition("-")[0]
    known = {row.concept for row in attached}
    visible, words = Ontology.objects.visible_to(request.user), request.GET.get("find", "")[:100]
    brought = concepts.expanded_labels(topic, with_switched_off=True, language=language)
    context = {
        "foreseen": foreseen,
        "words": words,
        "found": search_concepts(topic, words, visible, language),
        "topic": topic,
        "form": form,
        "attached": [(row, row.concept.name(language)) for row in attached],
        "brought": brought,
        "terms_open": len(brought) <= N_OPEN or "terms" in request.GET,
        "ontologies": [
            (ontology, n_new)
            for ontology in Ontology.objects.visible_to(request.user)
            if (n_new := len(set(concepts.named_concepts(topic, ontology)) - known))
        ],
    }
    status = 422 if form.errors else 200
    return render(request, "topics/concepts.html", context, status=status)


@require_POST
def topic_concepts_named(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Attach every concept of an ontology that the topic's terms name."""
    topic, form = visible_topic(request, slug), ConceptForm()
    ontology = get_object_or_404(Ontology.objects.visible_to(request.user), pk=pk)
    try:
        for concept in concepts.named_concepts(topic, ontology):
            concepts.attach(topic, concept)
    except ValidationError as error:
        messages.error(request, error.messages[0])
        return _concepts_page(request, topic, form)
    return _changed(request, topic)


@require_POST
def topic_concept_remove(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    topic = visible_topic(request, slug)
    get_object_or_404(topic.concepts, pk=pk).delete()
    return _changed(request, topic)


@require_POST
def topic_concept_below(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Leave out all that stands below an attached concept, or bring it back."""
    topic = visible_topic(request, slug)
    row = get_object_or_404(topic.concepts.select_related("concept"), pk=pk)
    concepts.switch_below(topic, row.concept, on=request.POST.get("on") == "1")
    return _changed(request, topic)


@require_POST
def ontology_notice_read(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Put a notice away."""
    notices = OntologyNotice.objects.filter(topic=visible_topic(request, slug))
    get_object_or_404(notices, pk=pk).delete()
    return redirect("topic_detail", slug=slug)


@require_POST
def topic_term_switch(request: HttpRequest, slug: str) -> HttpResponse:
    """Switch one ontology term on or off."""
    topic = visible_topic(request, slug)
    concepts.switch_term(topic, request.POST.get("text", ""), on=request.POST.get("on") == "1")
    return redirect(f"{_changed(request, topic).url}?terms=1#terms")


def _changed(request: HttpRequest, topic: Topic) -> HttpResponseRedirect:
    messages.success(request, moved_sentence(feedback.apply_profile(topic, timezone.now())))
    return redirect("topic_concepts", slug=topic.slug)

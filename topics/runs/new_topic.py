"""A new topic from words alone: its terms, its starting pages and its first run."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.text import slugify

from crawler.api.tables import Label, Ontology
from focusweb.database import write_transaction
from topics.models import Topic, TopicTerm
from topics.profile.concepts import attach, find_concepts
from topics.rules.topic_rules import term_key
from topics.runs.start_stop import start_now
from topics.runs.topic_templates import TopicTemplate

#: Terms that the words typed name, at most.
MAX_TERMS: Final = 20
#: Other names of a concept that are suggested.
MAX_NAMES: Final = 12
MAX_TERM_CHARS: Final = 80
#: Names of concepts that starting pages are searched by, beside the words typed, at most.
MAX_NAMES_SEARCHED: Final = 4
MAX_SLUG_CHARS: Final = 70

_BETWEEN = re.compile(r"[,;，；、\n]+")


@dataclass(frozen=True, slots=True)
class SuggestedTerm:
    """A term for a new topic; `source` is the ontology that suggests it, "" for the words typed."""

    text: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class TopicDraft:
    """What a person says of a new topic.

    Attributes
    ----------
    words : str
        As typed: the topic's name.
    terms : sequence of str
        The terms that the person chose.
    seeds : str
        Starting pages, one URL a line.
    zone : str
        IANA name of the topic's time zone.
    searches : str
        Search providers that the person switched on, one a line.
    card : TopicTemplate, optional
        The template that the person started from.
    """

    words: str
    terms: Sequence[str]
    seeds: str
    zone: str
    searches: str = ""
    card: TopicTemplate | None = None


def typed_terms(words: str) -> list[str]:
    """Return the phrases typed, each once: what stands between commas."""
    found: dict[str, str] = {}
    for part in _BETWEEN.split(words):
        phrase = " ".join(part.split())[:MAX_TERM_CHARS]
        if any(character.isalnum() for character in phrase):
            found.setdefault(term_key(phrase), phrase)
    return list(found.values())[:MAX_TERMS]


def suggest_terms(words: str, ontologies: Iterable[Ontology]) -> list[SuggestedTerm]:
    """Return the phrases typed, and other names of the concepts that they name."""
    typed, ontologies = typed_terms(words), list(ontologies)
    found = {term_key(text): SuggestedTerm(text) for text in typed}
    concepts = [concept for text in typed for concept in find_concepts(text, ontologies)]
    labels = Label.objects.filter(concept__in=concepts).exclude(kind=Label.Kind.HIDDEN)
    names = labels.select_related("concept__ontology").order_by("kind", "language", "text")
    for label in names[:MAX_NAMES]:
        suggested = SuggestedTerm(label.text[:MAX_TERM_CHARS], label.concept.ontology.title)
        found.setdefault(term_key(suggested.text), suggested)
    return list(found.values())


@write_transaction()
def create_topic(
    owner: Any, draft: TopicDraft, ontologies: Iterable[Ontology], now: datetime
) -> Topic:
    """Create a topic and begin its first run; nothing is kept if that fails.

    Raises
    ------
    ValidationError
        If the topic's fields are not valid.
    CannotRun
        If the run cannot begin, with a sentence that says why.
    """
    topic = Topic(
        owner=owner,
        name=draft.words,
        slug=_free_slug(owner, draft.words),
        seeds=draft.seeds,
        queries="\n".join(_queries(draft)),
        zone=draft.zone,
        searches=draft.searches,
        **(draft.card.settings if draft.card else {}),
    )
    topic.full_clean()
    topic.save()
    TopicTerm.objects.bulk_create(TopicTerm(topic=topic, text=text) for text in draft.terms)
    chosen = {term_key(text) for text in draft.terms}
    for text in typed_terms(draft.words):
        if term_key(text) in chosen:
            for concept in find_concepts(text, ontologies):
                attach(topic, concept)
    start_now(topic, now)
    return topic


def _queries(draft: TopicDraft) -> list[str]:
    """Return the queries for search providers: the words typed, and some chosen names of concepts.

    Names in another language find pages that the words alone do not.
    """
    typed = typed_terms(draft.words)
    known = {term_key(text) for text in typed}
    names = [text for text in draft.terms if term_key(text) not in known]
    return [*typed, *names[:MAX_NAMES_SEARCHED]]


def _free_slug(owner: Any, words: str) -> str:
    """A short name that no other topic of the person has."""
    base = slugify(words, allow_unicode=True)[:MAX_SLUG_CHARS].strip("-") or "topic"
    taken = set(
        Topic.objects.filter(owner=owner, slug__startswith=base).values_list("slug", flat=True)
    )
    if base not in taken:
        return base
    return next(name for n in range(2, len(taken) + 3) if (name := f"{base}-{n}") not in taken)

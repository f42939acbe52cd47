"""Example pages: taken down at once, read now if their text is here, else fetched."""

from collections.abc import Callable
from datetime import datetime

from django.utils.translation import gettext as _

from crawler.agents.collector import Answer, PageSource
from crawler.agents.errand import fetch_one
from crawler.errors import FetchError
from crawler.models import Page
from crawler.models.web import pack_terms
from crawler.page.page_terms import text_terms
from crawler.page.url import canonical_url
from crawler.reasons import TEMPORARY
from topics.errors import TopicError
from topics.feedback import learn
from topics.models import ExamplePage, Topic

MAX_EXAMPLES = 100


def add_text(topic: Topic, text: str, now: datetime, *, good: bool) -> ExamplePage:
    """Keep a pasted text as an example.

    Raises
    ------
    TopicError
        If no word is in it, or the topic has enough examples.
    """
    _check_room(topic)
    terms = text_terms(text)
    if not len(terms):
        raise TopicError(_("There is no word in this text that could be looked for."))
    return ExamplePage.objects.create(
        topic=topic, good=good, text=text, title=_first_line(text),
        packed_terms=pack_terms(terms), state=ExamplePage.State.READ, created=now,
    )  # fmt: skip


def add_url(topic: Topic, url: str, now: datetime, *, good: bool) -> ExamplePage:
    """Keep an address as an example; one that is not stored yet waits to be fetched.

    Raises
    ------
    TopicError
        If it may not be fetched, or the topic has enough examples.
    """
    _check_room(topic)
    try:
        address = canonical_url(url)
    except FetchError as error:
        raise TopicError(_("This is no http or https address that may be fetched.")) from error
    example, _created = ExamplePage.objects.update_or_create(
        topic=topic, url=address, defaults={"good": good, "created": now}
    )
    read_stored(example)
    return example


def read_stored(example: ExamplePage) -> bool:
    """Read an example from the stored pages; False if it is not among them."""
    page = Page.objects.filter(url__url=example.url).first()
    if page is None:
        return False
    example.title, example.packed_terms = page.title, bytes(page.packed_terms)
    example.state, example.reason = ExamplePage.State.READ, ""
    example.save()
    return True


def _check_room(topic: Topic) -> None:
    if topic.examples.count() >= MAX_EXAMPLES:
        raise TopicError(
            _("A topic has at most %(limit)d examples; remove one first.") % {"limit": MAX_EXAMPLES}
        )


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:100]


def fetch_waiting(source: PageSource, owner: str, clock: Callable[[], datetime]) -> bool:
    """Read waiting example pages until one had to be fetched; False if none could be.

    One that fails for a reason that may pass is asked for again after the others.
    """
    waiting = ExamplePage.objects.filter(state=ExamplePage.State.WAITING)
    for example in waiting.order_by("reason", "pk").select_related("topic"):
        if not read_stored(example):
            answer = fetch_one(example.url, source, owner, clock)
            if answer is None:
                continue
            _take(example, answer)
        if example.state == ExamplePage.State.READ:
            learn(example.topic, clock())
        return True
    return False


def _take(example: ExamplePage, answer: Answer) -> None:
    """Keep what asking for an example brought."""
    if answer.page is not None:
        example.title = answer.page.title[:300]
        example.packed_terms = pack_terms(answer.page.terms)
        example.state, example.reason = ExamplePage.State.READ, ""
    else:
        example.reason = answer.reason
        if answer.reason not in TEMPORARY:
            example.state = ExamplePage.State.FAILED
    example.save()

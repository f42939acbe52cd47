"""Example pages: taken down at once, read now if their text is here, else fetched."""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _

from crawler.api.pages import canonical_url, text_terms
from crawler.api.reasons import TEMPORARY, FetchError
from crawler.api.runs import FetchOutcome, PageSource, fetch_one
from crawler.api.tables import READER_VERSION, Page, pack_terms
from topics.errors import TopicError
from topics.models import ExamplePage, Topic
from topics.profile.feedback import apply_labels

MAX_EXAMPLES = 100


def add_text(topic: Topic, text: str, now: datetime, *, good: bool) -> ExamplePage:
    """Keep a pasted text as an example.

    Raises
    ------
    TopicError
        If no word is in it, or the topic has enough examples.
    """
    _check_room(topic)
    example = ExamplePage(topic=topic, good=good)
    fill_example(example, "", text, now)
    example.save()
    return example


def add_url(topic: Topic, url: str, now: datetime, *, good: bool) -> ExamplePage:
    """Keep an address as an example; one that is not stored yet waits to be fetched.

    So does one that could not be fetched, when it is given again.

    Raises
    ------
    TopicError
        If it may not be fetched, or the topic has enough examples.
    """
    _check_room(topic)
    address = canonical_address(url)
    example, _created = ExamplePage.objects.update_or_create(
        topic=topic, url=address, defaults={"good": good, "created": now}
    )
    if not read_stored_page(example) and example.state == ExamplePage.State.FAILED:
        example.state, example.reason = ExamplePage.State.WAITING, ""
        _save(example, "state", "reason")
    return example


def fill_example(example: ExamplePage, url: str, text: str, now: datetime) -> None:
    """Fill a new example from a URL or a pasted text; the caller saves it.

    Raises
    ------
    TopicError
        If no page can be fetched from the URL, or no word is in the text.
    """
    if example.pk is not None:
        return
    example.created, example.url = now, canonical_address(url) if url else ""
    if not url:
        terms = text_terms(text)
        if not len(terms):
            raise TopicError(_("This text contains no words to search for."))
        example.text, example.title = text, _first_line(text)
        example.packed_terms, example.state = pack_terms(terms), ExamplePage.State.READ


def canonical_address(url: str) -> str:
    """Return a URL as it is stored.

    Raises
    ------
    TopicError
        If it may not be fetched.
    """
    try:
        return canonical_url(url)
    except FetchError as error:
        raise TopicError(_("This is not an http or https URL that FocusWeb may fetch.")) from error


def read_stored_page(example: ExamplePage) -> bool:
    """Read an example from the stored pages; False if that brings nothing new."""
    page = Page.objects.filter(url__url=example.url).first()
    is_read = example.state == ExamplePage.State.READ
    if page is None or (is_read and page.reader_version is None):
        return False
    example.title, example.packed_terms = page.title, bytes(page.packed_terms)
    example.state, example.reason = ExamplePage.State.READ, ""
    example.reader_version = page.reader_version
    _save(example, *_READ)
    return True


#: What is written of an example that was read or could not be.
_READ: Final = ("title", "packed_terms", "state", "reason", "reader_version")


def _save(example: ExamplePage, *names: str) -> None:
    """Write some fields, unless the example was removed while it was fetched."""
    ExamplePage.objects.filter(pk=example.pk).update(
        **{name: getattr(example, name) for name in names}
    )


def _check_room(topic: Topic) -> None:
    if topic.examples.count() >= MAX_EXAMPLES:
        raise TopicError(no_room())


def no_room() -> str:
    """Return the sentence for a topic that has enough examples."""
    limit = {"limit": MAX_EXAMPLES}
    return _("A topic can have at most %(limit)d examples. Remove one first.") % limit


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:100]


def fetch_waiting(source: PageSource, owner: str, clock: Callable[[], datetime]) -> bool:
    """Read waiting example pages until one had to be fetched; False if none could be.

    One that failed for a temporary reason is fetched again after the others. Those that were read
    whole, before articles were found, come last.
    """
    waiting = ExamplePage.objects.to_fetch()
    for example in waiting.order_by("-state", "reason", "pk").select_related("topic"):
        if not read_stored_page(example):
            answer = fetch_one(example.url, source, owner, clock)
            if answer is None:
                continue
            _take(example, answer)
        if example.state == ExamplePage.State.READ:
            apply_labels(example.topic, clock())
        return True
    return False


def _take(example: ExamplePage, answer: FetchOutcome) -> None:
    """Store the result of fetching an example; if that failed, an earlier result stays."""
    is_read = example.state == ExamplePage.State.READ
    if answer.page is not None or is_read:
        example.reader_version = READER_VERSION
    if answer.page is not None:
        example.title = answer.page.title[:300]
        example.packed_terms = pack_terms(answer.page.terms)
        example.state, example.reason = ExamplePage.State.READ, ""
    elif not is_read:
        example.reason = answer.reason
        if answer.reason not in TEMPORARY:
            example.state = ExamplePage.State.FAILED
    _save(example, *_READ)

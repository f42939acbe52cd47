"""The parts of a topic file that its owner added: concepts, examples, ratings, rules, digest."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.contrib.auth.models import AbstractBaseUser
from msgspec import UNSET

from crawler.api.pages import canonical_url, site_of
from crawler.api.reasons import FetchError
from crawler.api.sites import AddressBook
from focusweb.database import write_transaction
from topics.delivery.rules.saving import delete_search
from topics.errors import TopicError
from topics.models import ExamplePage, SavedSearch, Thumb, Topic
from topics.profile.crawl import save_crawl
from topics.profile.examples import MAX_EXAMPLES, fill_example, read_stored_page
from topics.profile.feedback import apply_labels
from topics.profile.ontologies import export_turtle
from topics.topic_file.bundle_concepts import read_ontologies, replace_concepts, titles_of
from topics.topic_file.bundle_delivery import (
    digest_row,
    replace_digest,
    replace_rules,
    rule_rows,
    save_searches,
    search_rows,
    searches_by_name,
)
from topics.topic_file.document import ExampleRow, RatingRow, TopicBundle
from topics.topic_file.saving import save_document
from topics.topic_file.writing import export_document

_DAY: Final = timedelta(days=1)


def export_bundle(topic: Topic) -> dict[str, Any]:
    """Return the file of a topic with all that its owner added, as plain values."""
    attached = topic.concepts.select_related("concept__ontology")
    concepts = [row.concept for row in attached.order_by("concept__ontology_id", "concept__iri")]
    used = {concept.ontology_id: concept.ontology for concept in concepts}
    titles = titles_of(used.values(), topic.owner)
    thumbs = topic.thumbs.filter(user=topic.owner_id).select_related("url")
    examples = topic.examples.order_by("pk").values("url", "text", "good")
    return export_document(topic) | {
        "ontologies": [
            {"title": titles[pk], "turtle": export_turtle(one)} for pk, one in used.items()
        ],
        "concepts": [{"ontology": titles[x.ontology_id], "iri": x.iri} for x in concepts],
        "switched_off": sorted(topic.switched_off.values_list("text", flat=True)),
        "examples": [
            {"url": row["url"], "text": row["text"], "relevant": row["good"]} for row in examples
        ],
        "ratings": [
            {
                "url": thumb.url.url,
                "relevant": thumb.value > 0,
                "rated": thumb.created.isoformat(),
                "answer": thumb.answers,
            }
            for thumb in thumbs.order_by("created", "pk")
        ],
        "saved_searches": search_rows(topic),
        "rules": rule_rows(topic),
        "digest": digest_row(topic),
    }


def save_bundle(
    bundle: TopicBundle, owner: AbstractBaseUser, now: datetime, *, may_add_ontologies: bool
) -> tuple[Topic, bool]:
    """Create or update the topic of a bundle, all or nothing; see `save_document`.

    A part that the file leaves out stays as it is. Stored pages are judged again.

    Raises
    ------
    TopicError
        Names the field that is wrong, or what the owner may not do.
    """
    read = read_ontologies(bundle, owner, may_add=may_add_ontologies)
    with write_transaction():
        topic, created = save_document(bundle, owner, now)
        if bundle.concepts is not UNSET:
            replace_concepts(topic, bundle.concepts, read, now)
        if bundle.switched_off is not UNSET:
            _replace_switched_off(topic, bundle.switched_off)
        if bundle.examples is not UNSET:
            _replace_examples(topic, bundle.examples, now)
        if bundle.ratings is not UNSET:
            _replace_ratings(topic, bundle.ratings, now)
        left: list[SavedSearch] = []
        if bundle.saved_searches is not UNSET:
            left = save_searches(topic, bundle.saved_searches, now)
        searches = searches_by_name(topic, left)
        if bundle.rules is not UNSET:
            replace_rules(topic, bundle.rules, searches, now)
        if bundle.digest is not UNSET:
            replace_digest(topic, bundle.digest, searches, now)
        for search in left:  # Now only: their rules go with them, and may have another one now.
            delete_search(search, now)
        save_crawl(topic, now)
        apply_labels(topic, now)
    return topic, created


def _replace_switched_off(topic: Topic, texts: list[str]) -> None:
    topic.switched_off.all().delete()
    for number, text in enumerate(texts):
        if not 0 < len(text) <= 500:
            raise TopicError(f"switched_off[{number}]: a term has 1 to 500 characters")
        topic.switched_off.get_or_create(text=text)


def _replace_examples(topic: Topic, rows: list[ExampleRow], now: datetime) -> None:
    """Examples that stay keep what was read of them."""
    if len(rows) > MAX_EXAMPLES:
        raise TopicError(f"examples: {len(rows)} of them; a topic has at most {MAX_EXAMPLES}")
    known = {(one.url, one.text): one for one in topic.examples.all()}
    for number, row in enumerate(rows):
        if bool(row.url) is bool(row.text):
            raise TopicError(f"examples[{number}]: it needs either a url or a text")
        example = ExamplePage(topic=topic, good=row.relevant)
        try:
            fill_example(example, row.url, row.text, now)
        except TopicError as error:
            raise TopicError(f"examples[{number}]: {error}") from error
        stored = known.pop((example.url, example.text), None)
        if stored is not None:
            stored.good = row.relevant
            stored.save(update_fields=["good"])
        else:
            example.save()
            if example.url:
                read_stored_page(example)
    topic.examples.filter(pk__in=[one.pk for one in known.values()]).delete()


def _replace_ratings(topic: Topic, rows: list[RatingRow], now: datetime) -> None:
    sites: dict[str, str] = {}
    for number, row in enumerate(rows):
        if row.rated.tzinfo is None:
            raise TopicError(f"ratings[{number}].rated: it needs a time zone, such as Z")
        try:
            rated = row.rated.astimezone(UTC)  # as it is stored
            rated - _DAY, rated + _DAY  # shown in any time zone
        except OverflowError as error:
            told = "it is before year 1 or after 9999 in some time zone"
            raise TopicError(f"ratings[{number}].rated: {told}") from error
        try:
            url = canonical_url(row.url, any_port=True)
        except FetchError as error:
            raise TopicError(f"ratings[{number}].url: {row.url!r} is not a URL") from error
        if url in sites:
            raise TopicError(f"ratings[{number}].url: {row.url!r} is listed twice")
        sites[url] = site_of(url)
    numbers = AddressBook().numbers(sites, now)
    topic.thumbs.filter(user=topic.owner_id).delete()
    Thumb.objects.bulk_create(
        Thumb(
            user_id=topic.owner_id,
            topic=topic,
            url_id=numbers[url],
            value=1 if row.relevant else -1,
            created=row.rated,
            answers=row.answer,
        )
        for url, row in zip(sites, rows, strict=True)
    )
    if any(row.answer for row in rows) and not topic.questions_over:
        topic.questions_over = True  # as after an answer on its page
        topic.save(update_fields=["questions_over"])

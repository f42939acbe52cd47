"""Who uses an ontology, and the notices they get when it changes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from crawler.api.tables import Ontology, chunks
from topics.models import AttachedConcept, OntologyNotice, Topic
from topics.profile.crawl import save_crawl

#: Names of lost concepts that one notice keeps.
MAX_NAMED = 50


@dataclass(frozen=True, slots=True)
class OntologyUse:
    """The topics that use an ontology, and the attached concepts that a change takes from them."""

    topics: tuple[Topic, ...]
    lost: Mapping[int, list[str]]

    @property
    def n_people(self) -> int:
        """How many people own the topics."""
        return len({topic.owner_id for topic in self.topics})

    def beside(self, person: Any) -> "OntologyUse":
        """Return the same without one person's own topics."""
        own = None if person is None else person.pk
        return OntologyUse(
            tuple(topic for topic in self.topics if topic.owner_id != own), self.lost
        )


def use_of(ontology: Ontology | None, losing: Iterable[int] = ()) -> OntologyUse:
    """The use of an ontology before a change that deletes the concepts with the keys `losing`."""
    if ontology is None or ontology.pk is None:
        return OntologyUse((), {})
    topics = Topic.objects.filter(concepts__concept__ontology=ontology).distinct()
    rows = AttachedConcept.objects.select_related("concept").order_by("pk")
    return OntologyUse(
        tuple(topics.order_by("pk")),
        _names(row for part in chunks(list(losing)) for row in rows.filter(concept__in=part)),
    )


def note_change(
    ontology: Ontology,
    use: OntologyUse,
    now: datetime,
    *,
    by: Any,
    what: OntologyNotice.What = OntologyNotice.What.CHANGED,
) -> None:
    """Update the topics after a change, and notify their owners.

    Parameters
    ----------
    use : OntologyUse
        Taken before the change.
    by : user or None
        Who changed it; notified only where a topic lost a concept.
    """
    for topic in use.topics:
        save_crawl(topic, now)
        lost = use.lost.get(topic.pk, [])
        if lost or by is None or topic.owner_id != by.pk:
            _notify(topic, ontology.title, what, lost, now)


def detach_hidden(ontology: Ontology, now: datetime) -> OntologyUse:
    """Remove an ontology that is not shared from the topics of users who may not see it."""
    rows = AttachedConcept.objects.filter(concept__ontology=ontology)
    if ontology.shared:
        rows = rows.none()
    hidden = rows.exclude(topic__owner__is_superuser=True)
    if ontology.owner_id is not None:
        hidden = hidden.exclude(topic__owner=ontology.owner_id)
    found = list(hidden.select_related("concept", "topic").order_by("pk"))
    topics = {row.topic_id: row.topic for row in found}
    use = OntologyUse(tuple(topics.values()), _names(found))
    for part in chunks([row.pk for row in found]):
        AttachedConcept.objects.filter(pk__in=part).delete()
    note_change(ontology, use, now, by=None, what=OntologyNotice.What.HIDDEN)
    return use


def _names(rows: Iterable[AttachedConcept]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for row in rows:
        found[row.topic_id].append(row.concept.name())
    return dict(found)


def _notify(
    topic: Topic, title: str, what: OntologyNotice.What, lost: list[str], now: datetime
) -> None:
    """Keep one notice of a kind, however often the ontology is changed before it is read."""
    notice, _made = OntologyNotice.objects.get_or_create(
        topic=topic, title=title, what=what, defaults={"changed": now}
    )
    notice.lost = list(dict.fromkeys([*notice.lost, *lost]))[:MAX_NAMED]
    notice.changed = now
    notice.save(update_fields=["lost", "changed"])

"""Give a new installation its sample topics, once."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from crawler.api.ontologies import OntologyError
from focusweb.database import write_transaction
from topics.errors import TopicError
from topics.management.commands.topic_import import find_owner
from topics.models import Topic
from topics.profile import ontologies
from topics.runs import start_stop
from topics.topic_file import read_document, save_document

ONTOLOGIES = settings.BASE_DIR / "fixtures" / "ontologies"


class Command(BaseCommand):
    help = "Import the sample topics and start their first run; does nothing the second time."

    def handle(self, *args: Any, **options: Any) -> None:
        marker = settings.DATA_DIR / "samples_loaded"
        # The file remembers it even after a person has deleted the samples.
        if marker.exists() or Topic.objects.filter(sample=True).exists():
            marker.touch()  # The process that loaded them may have ended before it did so.
            self.stdout.write("The sample topics were loaded before.")
            return
        topics = self._load(settings.BASE_DIR / "fixtures" / "demo_topics")
        marker.touch()
        for topic in topics:
            try:
                start_stop.start_now(topic, timezone.now())
            except TopicError as error:
                self.stderr.write(f"{topic.slug} could not be started: {error}")
        self.stdout.write(f"{len(topics)} sample topics loaded.")

    @write_transaction()
    def _load(self, folder: Path) -> list[Topic]:
        owner, now, topics = find_owner(None), timezone.now(), []
        for file in sorted(folder.glob("*.json")):
            try:
                topic, _created = save_document(
                    read_document(file.read_bytes()), owner, now, sample=True
                )
            except (OSError, TopicError) as error:
                raise CommandError(f"{file}: {error}") from error
            try:
                # In one transaction: a topic that is there is not loaded again after a crash.
                ontologies.attach_demo(topic, ONTOLOGIES, now)
            except (OntologyError, TopicError) as error:
                self.stderr.write(f"{topic.slug} has no concepts: {error}")
            topics.append(topic)
        return topics

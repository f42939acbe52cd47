"""Import an ontology from a file."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from crawler.api.ontologies import OntologyError, ParsedOntology, read_ontology
from focusweb.failpoints import pass_point
from topics.errors import TopicError
from topics.management.commands.topic_import import find_owner
from topics.profile.ontologies import (
    OntologyChanges,
    clean_title,
    find_ontology,
    planned_changes,
    save_ontology,
    set_shared,
)
from topics.profile.ontology_use import use_of


class Command(BaseCommand):
    help = "Import an ontology; the owner's one of the same name becomes what the file says."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--name", help="default: the name the file gives itself")
        parser.add_argument("--owner", metavar="PERSON", help="default: the first superuser")
        parser.add_argument("--shared", action="store_true", help="others may use it")
        parser.add_argument(
            "--yes", action="store_true", help="also if topics of other people use it"
        )
        parser.add_argument("--preview", action="store_true", help="change nothing, only show")

    def handle(self, *args: Any, file: Path, name: str | None, **options: Any) -> None:
        owner = find_owner(options["owner"])
        try:
            read = read_ontology(file.read_bytes())
            title = clean_title(name or read.title or file.stem)
            self._describe(read)
            known = find_ontology(title, owner)
            planned, others = planned_changes(read, known), use_of(known).beside(owner)
            if others.topics:
                self.stdout.write(
                    f"Topics of others that use it: {len(others.topics)}; people: {others.n_people}"
                )
            if options["preview"]:
                self._print_changes(f"Saving as {title} would change", planned)
                return
            if others.topics and planned.total and not options["yes"]:
                raise CommandError("Topics of others use it; add --yes to change it anyway.")
            ontology, changes = save_ontology(read, title, timezone.now(), owner=owner)
            if options["shared"]:
                set_shared(ontology, True, timezone.now())
            pass_point("import.committed")
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        except (OntologyError, TopicError) as error:
            raise CommandError(f"{file}: {error}") from error
        self._print_changes(f"Saved as {ontology.slug}; changed", changes)

    def _describe(self, read: ParsedOntology) -> None:
        languages = ", ".join(f"{code or '-'} {n}" for code, n in read.labels_per_language.items())
        kinds = ", ".join(f"{kind} {n}" for kind, n in read.relations_per_kind.items())
        self.stdout.write(f"{len(read.concepts)} concepts; labels: {languages}")
        self.stdout.write(f"{len(read.relations)} relations: {kinds or 'none'}")
        for relation in read.cut:
            self.stdout.write(f"cut: {relation.source} {relation.kind} {relation.target}")
        for ignored in read.ignored:
            self.stdout.write(f"ignored: {ignored.reason} {ignored.what} ({ignored.count})")

    def _print_changes(self, start: str, changes: OntologyChanges) -> None:
        self.stdout.write(
            f"{start} {changes.total} rows: "
            f"concepts +{changes.concepts_added} -{changes.concepts_removed}, "
            f"labels +{changes.labels_added} -{changes.labels_removed}, "
            f"relations +{changes.relations_added} -{changes.relations_removed}."
        )

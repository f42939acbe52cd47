"""manage.py search: look for pages from the command line."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from topics.errors import TopicError
from topics.models import Topic
from topics.pages.search_results import FoundPage, FoundPages, find_pages
from topics.search.errors import IndexUnusableError, QueryError, SearchError
from topics.search.problems import sentence


class Command(BaseCommand):
    help = 'Search the pages that topics keep: words, "phrases", -exclusions, OR, fields.'

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query")
        parser.add_argument("--topic", metavar="SLUG", help="only pages of this topic")
        parser.add_argument("--limit", type=int, default=20, help="most pages to print")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["limit"] <= 1000:
            raise CommandError(f"--limit must be from 1 to 1000, got {options['limit']}")
        crawls = None
        if options["topic"]:
            try:
                topic = Topic.objects.get_named(options["topic"])
            except TopicError as error:
                raise CommandError(str(error)) from error
            crawls = [topic.crawl] if topic.crawl else []
        try:
            found = find_pages(options["query"], crawls, limit=options["limit"])
        except QueryError as error:
            text = sentence(error.problem, error.position, error.found, error.hint)
            raise CommandError(text) from error
        except SearchError as error:
            can_be_built = isinstance(error, IndexUnusableError)
            remedy = " (manage.py reindex --if-needed)" if can_be_built else ""
            raise CommandError(f"{error}{remedy}") from error
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(options["query"], found), ensure_ascii=False))
        else:
            self._print(found)

    def _print(self, found: FoundPages) -> None:
        self.stdout.write(f"{found.total} found in {found.seconds * 1000:.0f} ms")
        for page in found.pages:
            self.stdout.write(f"\n{page.harvest.score:.3f}  {page.title}")
            self.stdout.write(f"       {page.harvest.url.url}")
            for fragment in page.fragments:
                self.stdout.write(f"       {fragment}")


def _as_json(query: str, found: FoundPages) -> dict[str, Any]:
    return {
        "query": query,
        "total": found.total,
        "took_ms": round(found.seconds * 1000, 1),
        "hits": [_hit(page) for page in found.pages],
    }


def _hit(page: FoundPage) -> dict[str, Any]:
    harvest = page.harvest
    return {
        "url": harvest.url.url,
        "title": harvest.page.title,
        "site": harvest.url.site.name,
        "topic": page.topic.slug if page.topic else harvest.crawl.key,
        "score": harvest.score,
        "snippet": " ".join(str(fragment) for fragment in page.fragments),
    }

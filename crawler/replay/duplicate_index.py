"""What the blackboard in memory knows of copies and of kinds of addresses."""

from collections import defaultdict, deque
from dataclasses import dataclass, field

from crawler.messages import CrawlResult
from crawler.page.duplicates.copies import (
    N_COMPARED,
    StoredPage,
    find_original,
    is_repeat,
    is_version_of,
    stored_copy,
)
from crawler.page.traps import TemplateTally, template_key
from crawler.reasons import Reason


@dataclass(slots=True)
class DuplicateIndex:
    """Pages by text, address and template; templates by what they gave."""

    _by_hash: dict[str, StoredPage] = field(default_factory=dict)
    _by_url: dict[str, StoredPage] = field(default_factory=dict)
    _naming: dict[str, list[StoredPage]] = field(default_factory=lambda: defaultdict(list))
    _latest: dict[int, deque[StoredPage]] = field(
        default_factory=lambda: defaultdict(lambda: deque(maxlen=N_COMPARED))
    )
    _tallies: dict[int, TemplateTally] = field(default_factory=dict)

    def find_original(self, posting: CrawlResult) -> StoredPage | None:
        """The page a posting is a copy of; a page that is not one is added to the index."""
        page, key = posting.page, posting.claim.key
        if page is None or posting.reason is not Reason.FETCHED:
            return None
        me, template = stored_copy(key, page), template_key(page.url)
        original = None
        if posting.kept:
            possible = self._by_hash.get(me.content_hash), self._by_url.get(me.canonical)
            original = find_original(page, me, filter(None, possible))
            if original is None:
                self._by_hash.setdefault(me.content_hash, me)
                self._by_url[me.url] = me
        if template:
            latest = self._latest[template]
            self._count(template, is_stale=original is not None or is_repeat(me, latest))
            latest.append(me)
        return original

    def _count(self, template: int, *, is_stale: bool) -> None:
        seen = self._tallies.get(template, TemplateTally())
        self._tallies[template] = TemplateTally(
            seen.n_urls, seen.n_fetched + 1, seen.n_stale + is_stale
        )

    def copies_of(self, posting: CrawlResult) -> list[StoredPage]:
        """Kept pages that named a kept page's address as their canonical one; taken off."""
        if posting.page is None or not posting.kept:
            return []
        me = stored_copy(posting.claim.key, posting.page)
        found = [
            copy
            for copy in self._naming.pop(me.url, [])
            if is_version_of(copy, me) and self._by_url.pop(copy.url, None) is not None
        ]
        if me.canonical:
            self._naming[me.canonical].append(me)
        return found

    def admits(self, url: str, is_known: bool) -> bool:
        """Count a new URL of its template; False if that is full."""
        template = template_key(url)
        if not template or is_known:
            return True
        seen = self._tallies.get(template, TemplateTally())
        if seen.n_free == 0:
            return False
        self._tallies[template] = TemplateTally(seen.n_urls + 1, seen.n_fetched, seen.n_stale)
        return True

    def is_mostly_stale(self, template: int) -> bool:
        """True if a kind of address gave nothing new so far."""
        seen = self._tallies.get(template) if template else None
        return seen is not None and seen.is_mostly_stale

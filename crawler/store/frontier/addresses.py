"""Numbers for URLs and sites: each has one row, which is never reused."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from crawler.models import Site, Url, bulk
from crawler.page.url import domain_of

#: Known numbers kept in memory, so that a menu's links are looked up once.
CACHE_SIZE = 20_000


class AddressBook:
    """Gives URLs their numbers, entering those that are new. One per collector.

    The caller holds a transaction, and calls `forget` if it was rolled back.
    """

    def __init__(self) -> None:
        self._urls: dict[str, int] = {}
        self._sites: dict[str, int] = {}

    def numbers(self, urls: Mapping[str, str], now: datetime) -> dict[str, int]:
        """Return the number of each URL; `urls` maps each to its site."""
        if len(self._urls) > CACHE_SIZE:
            self._urls.clear()
        unknown = {url: site for url, site in urls.items() if url not in self._urls}
        if unknown:
            self._enter(unknown, now)
        return {url: self._urls[url] for url in urls}

    def forget(self) -> None:
        """Drop what is remembered: it may never have been committed."""
        self._urls.clear()
        self._sites.clear()

    def _enter(self, urls: Mapping[str, str], now: datetime) -> None:
        found = self._find(urls)
        missing = {url: site for url, site in urls.items() if url not in found}
        if missing:
            sites = self._site_numbers(missing, now)
            when = bulk.moment_parameter(now)
            # Sorted, so that two writers on one database take rows in one order.
            rows = [(url, sites[site], when) for url, site in sorted(missing.items())]
            entered = bulk.enter(Url, ("url", "site_id", "first_seen"), rows)
            found.update((url, number) for number, url in entered)
            # Of two writers one entered it, and only that one gets its number.
            found |= self._find([url for url in missing if url not in found])
        self._urls |= found

    def _find(self, urls: Iterable[str]) -> dict[str, int]:
        return dict(bulk.select_among(f"SELECT url, id FROM {bulk.table(Url)} WHERE url IN", urls))

    def _site_numbers(self, urls: Mapping[str, str], now: datetime) -> dict[str, int]:
        example = {site: url for url, site in urls.items() if site not in self._sites}
        if example:
            Site.objects.bulk_create(
                [
                    Site(name=name, domain=domain_of(url), first_seen=now)
                    for name, url in sorted(example.items())
                ],
                ignore_conflicts=True,
            )
            for some in bulk.chunks(list(example)):
                self._sites.update(Site.objects.filter(name__in=some).values_list("name", "pk"))
        return self._sites

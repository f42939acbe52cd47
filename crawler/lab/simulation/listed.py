"""What the feeds of a simulated web say of dates, as a monitor keeps it."""

from dataclasses import dataclass, field
from datetime import datetime

from crawler.page.parsed import ParsedPage
from crawler.page.url import domain_of
from crawler.revisit.listed import Growth, believed_dates, growth


@dataclass(slots=True)
class ListedDates:
    """Dates of entries, as tables keep them.

    Attributes
    ----------
    dates : dict of str to datetime
        By address, the earliest that a list said.
    own : set of str
        Addresses that a list of their own site gave a date.
    grew : dict of str to Growth
        By address of a list, how it had grown when it was last fetched.
    """

    dates: dict[str, datetime] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    grew: dict[str, Growth] = field(default_factory=dict)

    def note(self, page: ParsedPage, now: datetime) -> None:
        """Keep what a page says, if it is a feed or sitemap."""
        dates = believed_dates(page.listed, now, page.language)
        for url, when in dates.items():
            self.dates[url] = min(when, self.dates.get(url, when))
            if domain_of(url) == domain_of(page.url):
                self.own.add(url)
        if (grew := growth(dates.values(), now)) is not None:
            self.grew[page.url] = grew

    def published(self, url: str) -> datetime | None:
        """When a list of its own site says that a page was published."""
        return self.dates.get(url) if url in self.own else None

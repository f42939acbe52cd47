"""What the feeds of a simulated web say of dates, as a monitor keeps it."""

from dataclasses import dataclass, field
from datetime import datetime

from crawler.page.parsed import ParsedPage
from crawler.revisit.listed import Growth, believed_dates, growth


@dataclass(slots=True)
class ListedDates:
    """Dates of entries, as tables keep them.

    Attributes
    ----------
    dates : dict of str to datetime
        By address, what the first list said that gave it a date.
    grew : dict of str to Growth
        By address of a list, how it had grown when it was last fetched.
    """

    dates: dict[str, datetime] = field(default_factory=dict)
    grew: dict[str, Growth] = field(default_factory=dict)

    def note(self, page: ParsedPage, now: datetime) -> None:
        """Keep what a page says, if it is a feed or sitemap."""
        dates = believed_dates(page.listed, now, page.language)
        for url, when in dates.items():
            self.dates.setdefault(url, when)
        if (grew := growth(dates.values(), now)) is not None:
            self.grew[page.url] = grew

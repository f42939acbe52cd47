"""Send something to an address that a person named, through the fetch door and its guard."""

from crawler.errors import FetchError
from crawler.fetch.config import FetchConfig, Limits
from crawler.fetch.door import Door

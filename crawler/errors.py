"""What can go wrong in a crawl: one class per reaction a caller can have."""

from crawler.reasons import Reason


class CrawlError(Exception):
    """Root of every error the crawler raises on purpose."""


class ConfigurationError(CrawlError):
    """A setting is missing or wrong; a person has to change it."""


class ConvergenceError(CrawlError):
    """An iteration did not settle within its rounds."""


class FetchError(CrawlError):
    """A URL could not be fetched.

    Attributes
    ----------
    reason : Reason
        The code shown to the user.
    detail : str
        What exactly was seen, for the run page and the log.
    retry_after_s : float or None
        The Retry-After of the server, in seconds.
    """

    def __init__(
        self, reason: Reason, detail: str = "", retry_after_s: float | None = None
    ) -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail
        self.retry_after_s = retry_after_s


class ParseError(CrawlError):
    """Fetched bytes could not be turned into a page."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail

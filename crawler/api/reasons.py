"""Why a fetch, a source or a run ended, and the errors that the crawler raises."""

from crawler.errors import CrawlError, FetchError, ParseError
from crawler.problems import ProblemKind
from crawler.reasons import TEMPORARY, Reason, StopReason

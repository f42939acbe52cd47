"""Fetch one page, or crawl in this process."""

from crawler.crawl.collector import FetchOutcome, PageSource
from crawler.crawl.fetch_once import fetch_one
from crawler.crawl.fetch_settings import may_fetch, wrong_settings
from crawler.crawl.reach import find_unreachable
from crawler.crawl.worker import crawl_in_foreground
from crawler.store.frontier.drop_sample import drop_sample
from focusweb.clock import utc_now

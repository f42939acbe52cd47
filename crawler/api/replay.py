"""Replay a stored crawl under another strategy, measure it, or export it as a snapshot."""

from crawler.replay.export import export_snapshot
from crawler.replay.metrics import clustered_interval, found_curve, host_of_key, measure
from crawler.replay.replay import replay
from crawler.replay.stored_crawl import StoredCrawl, other_pages, read_stored_crawl

"""The crawler's tables."""

from crawler.models.crawls import Crawl, Harvest, Knowledge, Run
from crawler.models.frontier import Assignment, FrontierEntry
from crawler.models.web import IndexOutbox, Link, Page, Site, Url

__all__ = [
    "Assignment",
    "Crawl",
    "FrontierEntry",
    "Harvest",
    "IndexOutbox",
    "Knowledge",
    "Link",
    "Page",
    "Run",
    "Site",
    "Url",
]

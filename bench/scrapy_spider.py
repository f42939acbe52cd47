"""The yardstick: Scrapy as it comes, with its LinkExtractor, over the same site."""

import sys

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor


class Yardstick(Spider):
    """Follows every link once."""

    name = "yardstick"
    extractor = LinkExtractor()

    def __init__(self, start: str, n_pages: str) -> None:
        super().__init__()
        self._start = start
        self._left = int(n_pages)

    async def start(self):  # type: ignore[no-untyped-def]
        yield Request(self._start)

    def parse(self, response):  # type: ignore[no-untyped-def]
        self._left -= 1
        if self._left >= 0:
            for link in self.extractor.extract_links(response):
                yield Request(link.url)


if __name__ == "__main__":
    n_pages = int(sys.argv[2])
    process = CrawlerProcess({"LOG_LEVEL": "ERROR", "CLOSESPIDER_PAGECOUNT": n_pages})
    process.crawl(Yardstick, start=sys.argv[1], n_pages=sys.argv[2])
    process.start()

"""Stop, allow and remove sites; their robots.txt rules; the numbers of URLs."""

from crawler.store.frontier.addresses import AddressBook
from crawler.store.frontier.politeness import find_rules
from crawler.store.removal import Removed, allow_site, remains, remove_crawl, remove_site, stop_site

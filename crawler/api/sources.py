"""The sources of a crawl: what they are, where they lead, when the next visit is due."""

from crawler.sources import registry
from crawler.sources.backoff import revisit_all_soon, revisit_soon
from crawler.sources.known_pages import to_read_again
from crawler.sources.pasted import where_known, with_seeds
from crawler.sources.redirects import where_they_lead
from crawler.store.frontier.table_frontier import SEED_REST

"""Background work of the crawler, as the cluster and the timer call it."""

from crawler.tasks import recover_runs, recover_sites, shared_worker

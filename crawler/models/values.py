"""Named values of a crawl: what an agent keeps from one interval to the next."""

from crawler.models import bulk
from crawler.models.crawls import Crawl, Knowledge


def load_value(crawl: Crawl, name: str) -> bytes | None:
    """Return a named value of a crawl; None if it was never saved."""
    rows = bulk.select(
        f"SELECT payload FROM {bulk.table(Knowledge)} WHERE crawl_id = %s AND name = %s",
        [crawl.pk, name],
    )
    return bytes(rows[0][0]) if rows else None


def load_version(crawl: Crawl, name: str) -> int:
    """Return the version of a named value of a crawl; 0 if it was never saved."""
    rows = bulk.select(
        f"SELECT version FROM {bulk.table(Knowledge)} WHERE crawl_id = %s AND name = %s",
        [crawl.pk, name],
    )
    return int(rows[0][0]) if rows else 0


def save_value(crawl: Crawl, name: str, payload: bytes, *, new_version: bool = False) -> None:
    """Keep a named value; a new version shows that what was built from the last one is outdated."""
    changed = bulk.execute(
        f"UPDATE {bulk.table(Knowledge)} SET payload = %s, version = version + %s"
        " WHERE crawl_id = %s AND name = %s",
        [payload, int(new_version), crawl.pk, name],
    )
    if not changed:
        Knowledge.objects.create(crawl=crawl, name=name, payload=payload)

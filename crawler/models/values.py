"""Named values of a crawl: what an agent keeps from one interval to the next."""

from django.db.models import F

from crawler.models.crawls import Crawl, Knowledge


def load_value(crawl: Crawl, name: str) -> bytes | None:
    """Return a named value of a crawl; None if it was never saved."""
    row = crawl.knowledge.filter(name=name).values_list("payload", flat=True).first()
    return None if row is None else bytes(row)


def save_value(crawl: Crawl, name: str, payload: bytes, *, new_version: bool = False) -> None:
    """Keep a named value; a new version makes agents build their context anew."""
    step = int(new_version)
    changed = crawl.knowledge.filter(name=name).update(payload=payload, version=F("version") + step)
    if not changed:
        Knowledge.objects.create(crawl=crawl, name=name, payload=payload)

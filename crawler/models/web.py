"""The web as seen so far: sites, URLs, pages, links. Shared by all crawls."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Self

import brotli
import msgspec
from django.db import models
from django.utils.translation import gettext_lazy as _

from crawler.models import bulk
from crawler.page.parsed import NO_ARTICLE, PDF, PageTerms, StoredLinks
from crawler.page.url import domain_of, site_of
from crawler.revisit.refresh import PastVisit

#: Most past visits of a page that are stored.
MAX_CHECKS = 20

MAX_BYLINE = 200
#: How pages are read now: 1 keeps the article alone. One stored by an older way is read again.
READER_VERSION = 1

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class SiteQuerySet(models.QuerySet["Site"]):
    def free(self, now: datetime) -> Self:
        """Keep sites that no collector holds."""
        return self.filter(held_until__lte=now)

    def of_url(self, url: str, now: datetime) -> "Site":
        """Return the site of a URL; made if it is not known."""
        new = {"domain": domain_of(url), "first_seen": now}
        return self.get_or_create(name=site_of(url), defaults=new)[0]


class Site(models.Model):
    """A web host, and the moment it may next be contacted.

    A collector *holds* the sites of its assignment; only the holder contacts them,
    one request at a time. It sets `next_fetch_at` when it releases the site.
    """

    name = models.CharField(
        _("name"), max_length=260, unique=True, help_text=_("host, or host:port")
    )
    domain = models.CharField(
        _("domain"), max_length=260, db_index=True, help_text=_("registrable domain")
    )
    first_seen = models.DateTimeField(_("first seen"))
    delay_s = models.FloatField(
        _("politeness delay (s)"),
        default=0.0,
        help_text=_("minimum delay that the site requests; 0 for the default"),
    )
    next_fetch_at = models.DateTimeField(default=EPOCH)
    held_by = models.CharField(max_length=120, default="", blank=True)
    held_until = models.DateTimeField(default=EPOCH)
    robots_verdict = models.CharField(_("robots.txt status"), max_length=12, default="", blank=True)
    robots_until = models.DateTimeField(default=EPOCH)
    stopped = models.BooleanField(
        _("stopped"), default=False, help_text=_("never contact this site again")
    )
    #: Requests and bytes on `day` (UTC), against the daily budget.
    day = models.DateField(null=True)
    pages_today = models.PositiveIntegerField(default=0)
    bytes_today = models.PositiveBigIntegerField(default=0)
    #: How it answers for a page that cannot exist: 0 if properly, else that page's SimHash.
    missing_print = models.BigIntegerField(default=0, help_text="64-bit SimHash, as signed")
    missing_until = models.DateTimeField(default=EPOCH)

    objects = SiteQuerySet.as_manager()

    class Meta:
        verbose_name = _("site")
        verbose_name_plural = _("sites")
        indexes = [
            models.Index(fields=["name"], condition=models.Q(stopped=True), name="sites_stopped")
        ]

    def __str__(self) -> str:
        return self.name


class SiteRobots(models.Model):
    """What a site's robots.txt says that concerns us, as `crawler.fetch.robots` packs it.

    Apart from the site: it may be long, and queries over many sites do not need it.
    """

    site = models.OneToOneField(
        Site, on_delete=models.CASCADE, primary_key=True, related_name="stored_robots"
    )
    packed = models.BinaryField()

    def __str__(self) -> str:
        return f"robots.txt of {self.site_id}"


class SiteLines(models.Model):
    """Which lines repeat over a site's pages, as `crawler.page.article.site_frame` packs them.

    Apart from the site for the same reason as its rules.
    """

    site = models.OneToOneField(
        Site, on_delete=models.CASCADE, primary_key=True, related_name="stored_lines"
    )
    packed = models.BinaryField()

    def __str__(self) -> str:
        return f"lines of {self.site_id}"


class Url(models.Model):
    """One row for each URL, in its WHATWG form; it is never reused."""

    url = models.TextField(unique=True)
    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="urls")
    first_seen = models.DateTimeField()

    def __str__(self) -> str:
        return self.url


class PageQuerySet(models.QuerySet["Page"]):
    def outdated(self) -> Self:
        """Keep pages stored whole, menus and all, before articles were found."""
        return self.filter(reader_version=None)


class Page(models.Model):
    """What was last fetched at a URL."""

    url = models.OneToOneField(Url, on_delete=models.CASCADE, primary_key=True)
    title = models.CharField(max_length=300, blank=True)
    language = models.CharField(max_length=12, blank=True)
    charset = models.CharField(max_length=40, blank=True)
    packed_text = models.BinaryField(default=b"")
    packed_terms = models.BinaryField(default=b"")
    #: What the page states about its links: anchors and the text around them.
    packed_links = models.BinaryField(default=b"", db_default=b"")
    fingerprint = models.BigIntegerField(default=0, help_text="64-bit SimHash, as signed")
    # May be null: SQLite copies the whole table for a column that may not, and it is the largest.
    own_fingerprint = models.BigIntegerField(
        null=True, help_text="the same of what it says itself; null for unknown, 0 for too little"
    )
    #: How the article was found; null for a page stored whole, as all were at first.
    reader_version = models.PositiveSmallIntegerField(null=True)
    line_kinds = models.TextField(null=True, help_text="one letter for each line of the text")
    byline = models.CharField(max_length=MAX_BYLINE, null=True)
    picture = models.TextField(null=True, help_text="address of its own picture; never fetched")
    content_hash = models.CharField(max_length=32, blank=True, db_index=True)
    #: The address on the same host under which the page wants to be known.
    canonical = models.ForeignKey(Url, on_delete=models.SET_NULL, null=True, related_name="copies")
    noindex = models.BooleanField(default=False)
    flags = models.CharField(max_length=120, blank=True)
    etag = models.CharField(max_length=200, blank=True)
    last_modified = models.CharField(max_length=60, blank=True)
    published = models.DateTimeField(null=True, blank=True)
    first_fetched = models.DateTimeField()
    fetched = models.DateTimeField()
    changed = models.DateTimeField()
    n_fetches = models.PositiveIntegerField(default=1)
    #: The latest looks: days between them, and whether the text had changed.
    packed_checks = models.BinaryField(default=b"", db_default=b"")

    objects = PageQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["url"], condition=models.Q(reader_version=None), name="pages_outdated"
            )
        ]

    def __str__(self) -> str:
        return self.title or str(self.url_id)

    @property
    def text(self) -> str:
        """The page's readable text, one line per block."""
        return unpack_text(self.packed_text)

    @property
    def terms(self) -> PageTerms:
        """The page's tokens."""
        return unpack_terms(self.packed_terms)

    @property
    def is_pdf(self) -> bool:
        """True for a PDF file."""
        return PDF in self.flags.split(",")

    @property
    def has_article(self) -> bool:
        """False for a front page or a list of links."""
        return NO_ARTICLE not in self.flags.split(",")

    @property
    def links(self) -> StoredLinks:
        """What the page states about its links."""
        return unpack_links(self.packed_links)


class LinkQuerySet(models.QuerySet["Link"]):
    def votes(self) -> Self:
        """Leave out links in the frame of a page, such as a menu: they praise nothing."""
        return self.exclude(in_frame=True)


class Link(models.Model):
    """A link from one page to another: two integers, where it stands, and since when."""

    pk = models.CompositePrimaryKey("source_id", "target_id")
    source = models.ForeignKey(
        Url, on_delete=models.CASCADE, related_name="out_links", db_index=False
    )
    target = models.ForeignKey(Url, on_delete=models.CASCADE, related_name="in_links")
    found_day = models.PositiveIntegerField(
        default=0, db_default=0, help_text="days since 1970-01-01 UTC"
    )
    in_frame = models.BooleanField(
        null=True, help_text="in the frame of its page; null for unknown, which counts as not"
    )

    objects = LinkQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.source_id} -> {self.target_id}"


class IndexOutbox(models.Model):
    """Pages whose index entry must be written again or removed; written with the page."""

    page_id = models.BigIntegerField()
    queued = models.DateTimeField()

    def __str__(self) -> str:
        return f"page {self.page_id}"

    @classmethod
    def queue(cls, pages: Iterable[int], now: datetime) -> None:
        """Note that the index entries of some pages must be written again or removed."""
        when = bulk.moment_parameter(now)
        bulk.insert(cls, ("page_id", "queued"), [(page, when) for page in pages])


#: How long a site stays held after its collector fell silent.
HOLD = timedelta(seconds=100)


def as_signed(fingerprint: int) -> int:
    """64 unsigned bits as the signed number a database column holds."""
    return fingerprint - (1 << 64) if fingerprint >= 1 << 63 else fingerprint


def as_unsigned(stored: int) -> int:
    """Undo `as_signed`."""
    return stored % (1 << 64)


def pack_text(text: str) -> bytes:
    """Compress text for storage."""
    return _compress(text.encode("utf-8", "replace"))


def unpack_text(packed: bytes | memoryview) -> str:
    """Undo `pack_text`."""
    return _decompress(packed).decode() if packed else ""


def pack_terms(terms: PageTerms) -> bytes:
    """Compress a page's tokens for storage."""
    return _compress(msgspec.msgpack.encode(terms))


def unpack_terms(packed: bytes | memoryview) -> PageTerms:
    """Undo `pack_terms`."""
    if not packed:
        return PageTerms()
    return msgspec.msgpack.decode(_decompress(packed), type=PageTerms)


def pack_links(links: StoredLinks) -> bytes:
    """Compress a page's links for storage."""
    return _compress(msgspec.msgpack.encode(links)) if links.targets else b""


def unpack_links(packed: bytes | memoryview) -> StoredLinks:
    """Undo `pack_links`."""
    if not packed:
        return StoredLinks()
    return msgspec.msgpack.decode(_decompress(packed), type=StoredLinks)


def pack_checks(checks: Sequence[PastVisit]) -> bytes:
    """Pack the latest visits of a page for storage; too small to be worth compressing."""
    return msgspec.msgpack.encode(list(checks)[-MAX_CHECKS:])


def unpack_checks(packed: bytes | memoryview) -> list[PastVisit]:
    """Undo `pack_checks`."""
    return msgspec.msgpack.decode(packed, type=list[PastVisit]) if packed else []


def _compress(data: bytes) -> bytes:
    # A third of the time of zlib's fastest level, for 3 % more bytes (measured).
    packed: bytes = brotli.compress(data, quality=1)
    return packed


def _decompress(packed: bytes | memoryview) -> bytes:
    data: bytes = brotli.decompress(bytes(packed))
    return data

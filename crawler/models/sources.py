"""The sources of a crawl: places that its runs visit again for new links."""

from django.db import models

from crawler.models.crawls import Crawl


class Source(models.Model):
    """A feed, sitemap, seed, page that lists links, or search, with what its visits taught."""

    crawl = models.ForeignKey(Crawl, on_delete=models.CASCADE, related_name="sources")
    kind = models.CharField(max_length=20)
    #: A URL; the words of a search.
    address = models.TextField()
    since = models.DateTimeField(help_text="when it became known")
    rate = models.JSONField(help_text="crawler.revisit.rate.Rate")
    visited = models.DateTimeField(null=True, help_text="last visit that worked")
    last_new = models.DateTimeField(null=True, help_text="last visit with something on topic")
    overflowed = models.BooleanField(default=False)
    failures = models.PositiveIntegerField(default=0, help_text="visits in a row that failed")
    failing_since = models.DateTimeField(null=True)
    failed = models.DateTimeField(null=True)
    named = models.BooleanField(default=False, help_text="a user named it")
    #: Of a search: a visit whose results have not been counted yet, and its new URLs.
    asked = models.DateTimeField(null=True)
    brought = models.JSONField(default=list)
    n_listed = models.PositiveIntegerField(default=0)
    problem = models.JSONField(null=True, help_text="crawler.problems.Problem, of a search")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["crawl", "address"], name="one_source_per_address")
        ]

    def __str__(self) -> str:
        return f"{self.crawl_id}: {self.kind} {self.address}"

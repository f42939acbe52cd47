"""The kept pages of a crawl with the votes of the sites that link to them."""

from collections import defaultdict
from collections.abc import Mapping, Set
from datetime import datetime, timedelta

from django.db.models import Count, Q, QuerySet

from crawler.knowledge.content_value import ContentValue
from crawler.knowledge.stuffing import LEAST_TRUST, farms_among, links_by_source
from crawler.messages import Scored
from crawler.models import Crawl, Harvest, bulk
from crawler.page.url import domain_of, is_front_page
from crawler.ranking.quantiles import FEWEST_PAGES, first_until
from crawler.ranking.scorers import PageName
from crawler.ranking.votes import DomainLink, Votes, count_votes

_DAY = timedelta(days=1)
_NO_VOTES = Votes()


def kept_pages(crawl: Crawl, now: datetime | None = None, links_since: int = 0) -> list[Scored]:
    """Return every kept page with its votes as known now, by links since a day.

    Without `now` pages have no age.
    """
    # Explanations are not read here: most pages keep theirs.
    rows = Harvest.objects.filter(crawl=crawl).kept()
    columns = (
        "url_id",
        "content_value",
        "trust",
        "density",
        "relevance",
        "n_linking_sites",
        "link_scale",
        "score",
        "url__url",
        "url__page__title",
        "url__site__name",
        "url__page__published",
        "first_seen",
        "baseline",
    )
    known = _known_domains(crawl)
    votes = _votes(crawl, links_since, known, _farms(rows, known))
    oldest = rows.order_by("first_seen").values_list("first_seen", flat=True)[:FEWEST_PAGES]
    until = first_until(crawl.baseline_end(), list(oldest))
    pages = []
    # Not all rows at once: they take more memory than what is made of them.
    kept = rows.values_list(*columns).iterator(chunk_size=1000)
    for key, value, trust, density, relevance, n_sites, scale, score, *others in kept:
        content = ContentValue(value, (), 0, trust, density)
        url, title, site, published, first_seen, baseline = others
        age = _age_days(url, published, first_seen, baseline, now) if now else None
        pages.append(
            Scored(
                key,
                content,
                relevance,
                votes.get(key, _NO_VOTES),
                n_sites,
                scale,
                score,
                PageName(url, title, site),
                age,
                until is None or first_seen <= until,
            )
        )
    return pages


def _age_days(
    url: str, published: datetime | None, first_seen: datetime, baseline: bool, now: datetime
) -> float | None:
    """Days since a page appeared; None if that is unknown."""
    # A front page has the date of its last teaser, and links from all its years.
    dated = None if is_front_page(url) else published
    since = dated or (None if baseline else first_seen)
    return None if since is None else (now - since) / _DAY


def _farms(pages: QuerySet[Harvest], known: Mapping[str, Set[str]]) -> frozenset[str]:
    """Domains that look like farms by their kept pages."""
    is_stuffed = Q(trust__lt=LEAST_TRUST)
    counts = (
        pages.order_by()
        .values("url__site__domain")
        .annotate(n_kept=Count("pk"), n_stuffed=Count("pk", filter=is_stuffed))
    )
    rows = list(counts.values_list("url__site__domain", "n_kept", "n_stuffed"))
    kept = {domain: n_kept for domain, n_kept, _ in rows}
    stuffed = {domain: n_stuffed for domain, _, n_stuffed in rows if n_stuffed}
    return farms_among(kept, stuffed, links_by_source(known))


def _votes(
    crawl: Crawl, since: int, known: Mapping[str, Set[str]], farms: frozenset[str]
) -> dict[int, Votes]:
    """The votes of each kept page that this crawl has read articles with links to.

    A link in the frame of a page is not a vote, nor is one of a page with keyword stuffing.
    """
    statement = """
        SELECT link.target_id, target_site.domain, source_site.domain, min(source_site.name),
               max(linking.relevance)
        FROM crawler_harvest harvest
        JOIN crawler_link link ON link.target_id = harvest.url_id
        JOIN crawler_harvest linking
          ON linking.url_id = link.source_id AND linking.crawl_id = harvest.crawl_id
        JOIN crawler_url source ON source.id = link.source_id
        JOIN crawler_site source_site ON source_site.id = source.site_id
        JOIN crawler_url target ON target.id = link.target_id
        JOIN crawler_site target_site ON target_site.id = target.site_id
        WHERE harvest.crawl_id = %s AND harvest.kept
          AND source_site.domain <> target_site.domain AND link.found_day >= %s
          AND link.in_frame IS NOT TRUE AND linking.trust >= %s
        GROUP BY link.target_id, target_site.domain, source_site.domain
    """
    links = [DomainLink(*row) for row in bulk.select(statement, [crawl.pk, since, LEAST_TRUST])]
    seeds = {domain_of(url) for url in crawl.profile.seeds}
    return count_votes(links, known, seeds=seeds, farms=farms)


def _known_domains(crawl: Crawl) -> dict[str, set[str]]:
    """By domain, the domains that its articles link to, as far as this crawl has read them."""
    statement = """
        SELECT DISTINCT source_site.domain, target_site.domain
        FROM crawler_harvest harvest
        JOIN crawler_link link ON link.source_id = harvest.url_id
        JOIN crawler_url source ON source.id = link.source_id
        JOIN crawler_site source_site ON source_site.id = source.site_id
        JOIN crawler_url target ON target.id = link.target_id
        JOIN crawler_site target_site ON target_site.id = target.site_id
        WHERE harvest.crawl_id = %s AND source_site.domain <> target_site.domain
          AND link.in_frame IS NOT TRUE
    """
    known: dict[str, set[str]] = defaultdict(set)
    for source, target in bulk.select(statement, [crawl.pk]):
        known[source].add(target)
    return known

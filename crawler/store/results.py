"""What the manager agent reads back from tables and what it writes after an interval."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple

import msgspec
import numpy as np
from django.db.models import Count
from numpy.typing import NDArray

from crawler.models import Crawl, FrontierEntry, Harvest, Link, Page, Site, Url, bulk
from crawler.models.values import load_value, save_value
from crawler.models.web import unpack_terms
from crawler.ranking.explain import content_part, link_part, reasons_part
from crawler.ranking.quantiles import Quantiles
from crawler.ranking.score import PageScore
from crawler.store.frontier.seeds import has_seed
from crawler.store.term_counts import count_terms
from crawler.strategies.base import JudgedPage, LinkGraph
from crawler.strategies.link_notes import unpack_notes
from crawler.strategies.neighbourhood import MAX_BACK_LINKS
from focusweb.database import write_transaction

#: The quantiles of the kept pages.
QUANTILES = "standing"


def unintegrated(crawl: Crawl) -> list[JudgedPage]:
    """Pages fetched and not yet integrated, in the order they came."""
    entries = bulk.select(
        "SELECT entry.url_id, url.url, site.name, title, packed_terms, relevance, kept,"
        " depth_hops, parent_id, priority, memo"
        f" FROM {bulk.table(FrontierEntry)} entry"
        f" JOIN {bulk.table(Url)} url ON url.id = entry.url_id"
        f" JOIN {bulk.table(Site)} site ON site.id = url.site_id"
        f" LEFT JOIN {bulk.table(Page)} page ON page.url_id = entry.url_id"
        f" LEFT JOIN {bulk.table(Harvest)} harvest"
        " ON harvest.crawl_id = entry.crawl_id AND harvest.url_id = entry.url_id"
        " WHERE entry.crawl_id = %s AND entry.state = 'done' AND NOT integrated"
        " ORDER BY entry.ended, entry.id",
        [crawl.pk],
    )
    return [
        JudgedPage(
            key=key,
            url=url,
            site=site,
            title=title or "",
            terms=unpack_terms(packed or b""),
            relevance=relevance or 0.0,
            kept=bool(kept),
            depth_hops=depth,
            parent=parent,
            priority=priority,
            memo=unpack_notes(memo),
        )
        for key, url, site, title, packed, relevance, kept, depth, parent, priority, memo in entries
    ]


def mark_integrated(crawl: Crawl, pages: Sequence[JudgedPage]) -> None:
    """Count the pages' terms, and mark the pages as integrated."""
    counted = [page for page in pages if len(page.terms)]
    count_terms(
        crawl,
        [page.terms for page in counted],
        n_kept=sum(page.kept for page in counted),
        has_seed=has_seed(crawl, [page.key for page in pages]),
    )
    for keys in bulk.chunks([page.key for page in pages]):
        bulk.execute(
            f"UPDATE {bulk.table(FrontierEntry)} SET integrated = %s"
            f" WHERE crawl_id = %s AND url_id IN ({bulk.places(keys)})",
            [True, crawl.pk, *keys],
        )
    bulk.execute(
        f"UPDATE {bulk.table(Crawl)} SET n_unranked = n_unranked + %s WHERE id = %s",
        [len(pages), crawl.pk],
    )


def load_quantiles(crawl: Crawl) -> Quantiles:
    """Return the quantiles of the kept pages as of the last ranking."""
    packed = load_value(crawl, QUANTILES)
    if not packed:
        return Quantiles()
    relevances, densities, *typical = msgspec.msgpack.decode(packed)  # an old one has no third
    return Quantiles(tuple(relevances), tuple(densities), *typical)


def save_quantiles(crawl: Crawl, quantiles: Quantiles) -> None:
    """Keep by what the kept pages were ranked."""
    save_value(crawl, QUANTILES, msgspec.msgpack.encode(astuple(quantiles)))


def rescore(
    crawl: Crawl, scores: Mapping[int, PageScore], scale: float, quantiles: Quantiles
) -> None:
    """Renew the scores of kept pages and the explanations with them."""
    with write_transaction():
        # Not all at once: the explanations of many pages take much memory.
        for some in bulk.chunks(list(scores)):
            _write_scores(crawl, {key: scores[key] for key in some})
        Crawl.objects.filter(pk=crawl.pk).update(link_scale=scale, n_unranked=0)
        save_quantiles(crawl, quantiles)


def _write_scores(crawl: Crawl, scores: Mapping[int, PageScore]) -> None:
    """Write the scores of at most `bulk.MAX_VALUES` pages into their rows and explanations."""
    settings = crawl.settings
    harvests = Harvest.objects.filter(crawl=crawl, url_id__in=list(scores))
    rows = []
    for number, key, explanation in harvests.values_list("pk", "url_id", "explanation"):
        score = scores[key]
        parts = [{"name": name, "value": value} for name, value in score.parts.items()]
        content = explanation.get("content", {}) | content_part(score, settings)
        renewed = explanation | {
            "parts": parts,
            "link": link_part(score, settings),
            "content": content,
            **reasons_part(score),
        }
        rows.append(
            (
                score.value,
                score.link_value,
                score.n_sites,
                score.scale,
                bulk.json_value(renewed),
                number,
            )
        )
    bulk.execute_many(
        f"UPDATE {bulk.table(Harvest)} SET score = %s, link_value = %s,"
        " n_linking_sites = %s, link_scale = %s, explanation = %s WHERE id = %s",
        rows,
    )


def link_graph(crawl: Crawl, *, in_frame: bool = False) -> LinkGraph:
    """Return the links found so far from pages this crawl fetched, each once.

    With `in_frame` the graph says which links are in the frame of their page. The index of links
    does not hold that, so that every row of the table is read.
    """
    is_framed = "CASE WHEN in_frame THEN 1 ELSE 0 END"
    numbers = bulk.joined_numbers(f"2 * target_id + {is_framed}" if in_frame else "target_id")
    parts = bulk.select_parts(
        f"SELECT source_id, {numbers} FROM {bulk.table(Link)}"
        f" WHERE source_id IN (SELECT url_id FROM {bulk.table(FrontierEntry)}"
        " WHERE crawl_id = %s AND state = 'done') GROUP BY source_id",
        [crawl.pk],
    )
    ends = [_ends(rows) for rows in parts] or [_ends(())]
    sources, targets = map(np.concatenate, zip(*ends, strict=True))
    if not in_frame:
        return LinkGraph.of_links(sources, targets)
    return LinkGraph.of_links(sources, targets // 2, targets % 2 == 1)


def _ends(rows: Sequence[tuple[int, str]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Both ends of links, given as a source and its targets with commas between them."""
    lists = [targets for _, targets in rows]
    n_links = [targets.count(",") + 1 for targets in lists]
    sources = np.repeat(np.array([source for source, _ in rows], np.int64), n_links)
    return sources, np.fromstring(",".join(lists), np.int64, sep=",")


def back_links(keys: Collection[int]) -> LinkGraph:
    """Return the links of stored pages, whoever fetched them, that link to most of these."""
    into = Link.objects.votes().filter(target_id__in=keys).values("source_id")
    best = into.annotate(n=Count("target_id")).order_by("-n", "source_id")
    sources = list(best.values_list("source_id", flat=True)[:MAX_BACK_LINKS])
    links = Link.objects.votes().filter(source_id__in=sources)
    pairs = np.array(links.values_list("source_id", "target_id"), np.int64).reshape(-1, 2)
    return LinkGraph.of_links(*pairs.T)

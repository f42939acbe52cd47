"""Pages of a run in memory, judged with the training set at its end."""

from collections.abc import Mapping
from dataclasses import replace

from crawler.judging.keeping import is_kept
from crawler.knowledge.density import density_weights, topic_densities
from crawler.knowledge.judge import Judge
from crawler.knowledge.page_matrix import PageMatrix, relevances
from crawler.knowledge.profile import CrawlSettings
from crawler.knowledge.stuffing import trusts_in
from crawler.messages import CrawlResult
from crawler.page.parsed import PageTerms


def rejudged(
    judge: Judge,
    postings: Mapping[int, CrawlResult],
    terms: Mapping[int, PageTerms],
    settings: CrawlSettings,
    decided: Mapping[str, bool],
) -> dict[int, CrawlResult]:
    """Return the postings of fetched pages with the judge's word of now.

    A person's word, by URL in `decided`, and the strategy's wish to keep a page
    stand before it.
    """
    pages = PageMatrix.of([terms[key] for key in postings])
    found, trusts = relevances(judge, pages), trusts_in(pages, judge.topic_terms)
    densities = topic_densities(pages, density_weights(judge))
    renewed = {}
    for (key, posting), relevance, trust, density in zip(
        postings.items(), found.tolist(), trusts.tolist(), densities.tolist(), strict=True
    ):
        assert posting.verdict is not None and posting.score is not None
        kept = is_kept(
            relevance,
            settings.threshold,
            forced=posting.claim.keep,
            label=decided.get(posting.claim.url),
        )
        verdict = replace(posting.verdict, relevance=relevance)
        content = replace(posting.score.content, trust=trust, density=density)
        score = replace(posting.score, content=content)
        renewed[key] = replace(posting, verdict=verdict, kept=kept, score=score)
    return renewed

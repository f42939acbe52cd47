"""Pages of a run in memory, judged with the training set at its end."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from crawler.judging.keeping import is_kept
from crawler.knowledge.density import density_weights, topic_densities
from crawler.knowledge.frequencies import DocumentFrequencies
from crawler.knowledge.judge import Judge
from crawler.knowledge.page_matrix import PageMatrix, relevances
from crawler.knowledge.profile import CrawlSettings
from crawler.knowledge.sections import Sections
from crawler.knowledge.shared_terms import top_pages, weigh_shared_terms
from crawler.knowledge.stuffing import trusts_in
from crawler.messages import CrawlResult
from crawler.page.parsed import PageTerms


def rejudged(
    judge: Judge,
    postings: Mapping[int, CrawlResult],
    terms: Mapping[int, PageTerms],
    settings: CrawlSettings,
    decided: Mapping[str, bool],
    kept_out: Collection[int],
    frequencies: DocumentFrequencies,
) -> tuple[dict[int, CrawlResult], Sections, dict[str, float]]:
    """Judge fetched pages anew; return their postings, the sections and the shared terms.

    A person's word, by URL in `decided`, and the strategy's wish to keep a page
    stand before it. Pages `kept_out` are counted by section, and stay as they are.
    """
    pages = PageMatrix.of([terms[key] for key in postings])
    urls = [posting.claim.url for posting in postings.values()]
    judged, trusts = relevances(judge, pages), trusts_in(pages, judge.topic_terms)
    sections = Sections.by(judge, urls, judged)
    found = sections.relevances(urls, judged)
    kept_pages = [
        key not in kept_out
        and is_kept(
            relevance,
            settings.threshold,
            forced=posting.claim.keep,
            label=decided.get(posting.claim.url),
        )
        for (key, posting), relevance in zip(postings.items(), found.tolist(), strict=True)
    ]
    of_one_run = np.ones(len(pages), np.bool_)
    top = top_pages(found, trusts, np.array(kept_pages, np.bool_), of_one_run, pages.languages)
    shared = weigh_shared_terms([pages.pages[place] for place in top], frequencies)
    densities = topic_densities(pages, density_weights(judge, shared))
    columns = found.tolist(), trusts.tolist(), densities.tolist()
    renewed = {}
    for (key, posting), kept, relevance, trust, density in zip(
        postings.items(), kept_pages, *columns, strict=True
    ):
        if key in kept_out:
            continue
        assert posting.verdict is not None and posting.score is not None
        section = sections.effect(posting.claim.url, relevance)
        verdict = replace(posting.verdict, relevance=relevance, section=section)
        content = replace(posting.score.content, trust=trust, density=density)
        score = replace(posting.score, content=content)
        renewed[key] = replace(posting, verdict=verdict, kept=kept, score=score)
    return renewed, sections, shared

"""The reason a page is shown, as plain data: pages, mails and feeds put it into words."""

from typing import Any

from crawler.knowledge.judge import SectionEffect, TitleEffect, Verdict
from crawler.knowledge.profile import CrawlSettings
from crawler.ranking.link_age import RECENT
from crawler.ranking.quantiles import PercentileRank
from crawler.ranking.score import PageScore
from crawler.ranking.site_rules import SiteRules


def explain(score: PageScore, verdict: Verdict, settings: CrawlSettings) -> dict[str, Any]:
    """Say why a page has its score; the values of "parts" sum to it.

    Returns
    -------
    dict
        "parts" (name, value), "link" (value, weight, scale, n_sites, votes, sites),
        "content" (value, counted, by, weight, places, density, typical, matched, n_key) and "judge"
        (name, relevance, threshold, note, section, title, matched); "site" (rule) where a person
        said something of the site; (reason) of each other scorer with an opinion, by its name.
    """
    explanation: dict[str, Any] = {
        "parts": [{"name": name, "value": value} for name, value in score.parts.items()],
        "link": link_part(score, settings),
        "content": {
            "value": score.content.value,
            "matched": list(score.content.matched),
            "n_key": score.content.n_key,
            **content_part(score, settings),
        },
        "judge": {
            "name": settings.judge,
            "relevance": verdict.relevance,
            "threshold": settings.threshold,
            "note": verdict.note,
            "section": effect_part(verdict.section),
            "title": effect_part(verdict.title),
            "matched": [{"term": m.term, "share": m.share, "via": m.via} for m in verdict.matched],
        },
    }
    return explanation | reasons_part(score)


def reasons_part(score: PageScore) -> dict[str, Any]:
    """Return the reasons of scorers, by the names of their parts."""
    return {
        name: {"rule" if name == SiteRules.name else "reason": reason}
        for name, reason in score.reasons.items()
    }


def effect_part(effect: SectionEffect | TitleEffect | None) -> dict[str, Any] | None:
    """Return what changed a page's relevance, by the names of its attributes; None for nothing."""
    return None if effect is None else {name: getattr(effect, name) for name in effect.__slots__}


def content_part(score: PageScore, settings: CrawlSettings) -> dict[str, Any]:
    """Return the half of the score that moves as other pages are kept."""
    return {
        "counted": score.counted,
        "by": score.counted_by,
        "weight": settings.content_weight,
        "density": score.content.density,
        "typical": score.typical,
        "places": _places(score.places) if score.places else None,
    }


def _places(rank: PercentileRank) -> dict[str, float]:
    # Written out: `asdict` takes as long as the rest of an explanation.
    return {"by_relevance": rank.by_relevance, "by_density": rank.by_density}


def link_part(score: PageScore, settings: CrawlSettings) -> dict[str, Any]:
    """Return the half of the score that moves as links are found."""
    return {
        "value": score.link_value,
        "weight": settings.link_weight,
        "scale": score.scale,
        "n_sites": score.n_sites,
        "votes": score.votes,
        "sites": list(score.sites),
        "recent": settings.link_value == RECENT,
    }

"""By what the stored pages of a crawl were judged, and whether that is what it is about now."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from crawler.knowledge.answers import answered_yes
from crawler.knowledge.density import DENSITIES
from crawler.knowledge.profile import CrawlSettings, TopicProfile
from crawler.models import Crawl
from crawler.models.values import load_value, load_version, save_value
from crawler.ranking.score import CONTENTS
from crawler.ranking.votes import VOTES
from crawler.store.labels import LabelledPage, load_labels
from focusweb.plugins import plugins


class JudgingRules(msgspec.Struct, frozen=True):
    """By what pages were judged last: what a judge goes by, and what is added to its word."""

    judged_by: str
    judge: str
    threshold: float
    link_weight: float
    content_weight: float
    link_value: str
    site_rules: tuple[tuple[str, str], ...]
    #: Before there was a choice all pages were ranked so.
    ranker: str = "paper"
    #: Older explanations have no density.
    densities: int = 0
    #: Thumbs and bad examples: they are added to the judge's word.
    feedback: str = ""
    #: Before it could be set, s was the median number of linking sites.
    link_scale: float = 0.0
    #: Before they were weighed, each linking site was one vote.
    votes: int = 0
    #: Before relevance and worth were multiplied, they were added.
    contents: int = 0
    #: Of plugins; before they were noted, or without any, "".
    scorers: str = ""

    def named(self) -> tuple[object, ...]:
        """Return what the explanation of every page names."""
        return (
            self.judge,
            self.threshold,
            self.link_weight,
            self.content_weight,
            self.ranker,
            self.densities,
            self.contents,
            self.scorers,
            *self.links(),
        )

    def links(self) -> tuple[str, float, int]:
        """By what links were counted."""
        return self.link_value, self.link_scale, self.votes


def rules_of(
    profile: TopicProfile, settings: CrawlSettings, labels: Sequence[LabelledPage]
) -> JudgingRules:
    basis: tuple[Any, ...] = (
        *(profile, settings.judge, sorted(settings.judge_parameters.items())),
        # Nothing of topics without any, so that those from before are not judged anew.
        *([settings.plugin_settings] if settings.plugin_settings else ()),
        *([yes] if (yes := answered_yes(labels)) else ()),
    )
    shown = [row for row in labels if not row.is_rated]
    rated = [row for row in labels if row.is_rated]
    return JudgingRules(
        _digest((basis, shown)),
        settings.judge,
        settings.threshold,
        settings.link_weight,
        settings.content_weight,
        settings.link_value,
        tuple(sorted(settings.site_rules.items())),
        settings.ranker,
        densities=DENSITIES,
        feedback=_digest(rated) if rated else "",
        link_scale=settings.link_scale,
        votes=VOTES,
        contents=CONTENTS,
        scorers=scorers_on(),
    )


def scorers_on() -> str:
    """A digest of the plugins with scorers that are on, and of their settings; "" for none."""
    sources = plugins().sources_of(("scorers",))
    found = [(one.name, sorted(one.settings.items())) for one in sources if not one.is_own]
    return _digest(found) if found else ""


def _digest(value: object) -> str:
    return blake2b(msgspec.msgpack.encode(value), digest_size=16).hexdigest()


def last_rules(crawl: Crawl) -> JudgingRules | None:
    packed = load_value(crawl, "judged")
    return msgspec.json.decode(packed, type=JudgingRules) if packed else None


def last_threshold(crawl: Crawl) -> float:
    """Return the threshold by which the stored pages were judged last."""
    rules = last_rules(crawl)
    return crawl.settings.threshold if rules is None else rules.threshold


def is_judged(crawl: Crawl) -> bool:
    """True if the stored pages were judged by what the crawl is about now."""
    return last_rules(crawl) == _current_rules(crawl)


def is_outdated(crawl: Crawl) -> bool:
    """True if the stored pages were judged by what the crawl was about before."""
    return load_value(crawl, "judged") is not None and not is_judged(crawl)


def note_judged(crawl: Crawl) -> None:
    """Remember that whatever is stored was judged by what the crawl is about now."""
    save_rules(crawl, _current_rules(crawl))


def _current_rules(crawl: Crawl) -> JudgingRules:
    return rules_of(crawl.profile, crawl.settings, load_labels(crawl))


def n_rejudged(crawl: Crawl) -> int:
    """Return how often rules were saved: if it grew, stored pages may have been judged again."""
    return load_version(crawl, "judged")


def save_rules(crawl: Crawl, rules: JudgingRules) -> None:
    save_value(crawl, "judged", msgspec.json.encode(rules), new_version=True)

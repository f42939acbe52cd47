"""What a topic is, as a plain value: all the crawler knows of it."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class WeightedTerm:
    """A term a person gave a topic.

    Attributes
    ----------
    text : str
        As typed; it may be several words.
    weight : float
        In (0, 10]; 1 is ordinary.
    required : bool
        A page without it is off topic.
    excluded : bool
        A page with it is off topic.
    """

    text: str
    weight: float = 1.0
    required: bool = False
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class TopicConcept:
    """A label from an ontology that stands for the topic.

    Attributes
    ----------
    text, language : str
        The label, and its language tag ("" if it has none).
    degree : float
        How much it stands for the topic, in (0, 1]; 1 for an attached concept.
    concept : str
        Name of the concept it belongs to, as shown; the labels of one concept share it.
    path : str
        The relations that brought it, as shown; "" for an attached concept's own label.
    """

    text: str
    language: str = ""
    degree: float = 1.0
    concept: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class TopicProfile:
    """A topic: its name, terms and starting points.

    Attributes
    ----------
    languages : tuple of str
        ISO 639-1 codes of the pages wanted; empty for any.
    queries : tuple of str
        Searches that give seeds.
    seeds : tuple of str
        Canonical URLs a person gave as starting points; they count as examples.
    concepts : tuple of TopicConcept
        What the attached ontologies add, best degree first.
    searches : tuple of str
        Names of search providers that get the queries, and search addresses
        with `{searchTerms}` in place of the words.
    """

    name: str
    languages: tuple[str, ...] = ()
    terms: tuple[WeightedTerm, ...] = ()
    queries: tuple[str, ...] = ()
    seeds: tuple[str, ...] = ()
    concepts: tuple[TopicConcept, ...] = ()
    searches: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """How a topic is to be crawled.

    Attributes
    ----------
    strategy, judge : str
        Registered names.
    strategy_parameters, judge_parameters : dict
        Their own settings, by name.
    max_depth_hops : int
        Links from a seed that are still followed, >= 0.
    n_pages : int
        Page budget of one run, >= 1.
    link_weight, content_weight : float
        phi1 and phi2 of [P2 eq. 1], each in [0, 1], with sum 1.
    threshold : float
        Relevance from which a page is kept, in [0, 1].
    breadth : str
        How much of a run one site may take, as `crawler.ranking.breadth` has it.
    ranker : str
        Registered name of what combines links and content to a score.
    link_value : str
        Links that count: "all", or "recent" for those of the last 30 days.
    link_scale : float
        s of [P2 eq. 2], the votes of linking sites that give LV = 1/2, > 0.
    site_rules : dict
        A person's word on sites, by name; see `crawler.ranking.site_rules`.
    plugin_settings : dict
        The topic's own settings of plugins, by the plugin's name and the setting's.
    """

    strategy: str = "focus"
    judge: str = "focus"
    strategy_parameters: dict[str, float] = field(default_factory=dict)
    judge_parameters: dict[str, float] = field(default_factory=dict)
    max_depth_hops: int = 30
    n_pages: int = 200
    link_weight: float = 0.25
    content_weight: float = 0.75
    threshold: float = 0.5
    breadth: str = "deep"
    ranker: str = "absolute"
    link_value: str = "all"
    link_scale: float = 1.0
    site_rules: dict[str, str] = field(default_factory=dict)
    plugin_settings: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def blocked_sites(self) -> frozenset[str]:
        """Sites that are neither fetched nor shown."""
        return frozenset(site for site, rule in self.site_rules.items() if rule == "block")

    def rule_of(self, site: str) -> str:
        """Return a person's word on a site, or ""."""
        return self.site_rules.get(site, "")

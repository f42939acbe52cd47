"""A topic as the crawler sees it: its profile, its settings, and the checks of parameters."""

from crawler.knowledge.parameters import ParameterProblem, declared, find_problems
from crawler.knowledge.profile import CrawlSettings, TopicConcept, TopicProfile, WeightedTerm
from crawler.knowledge.terms import profile_vector

__all__ = [
    "CrawlSettings",
    "ParameterProblem",
    "TopicConcept",
    "TopicProfile",
    "WeightedTerm",
    "declared",
    "find_problems",
    "profile_vector",
]

"""A topic as the crawler sees it: its profile, its settings, and the checks of parameters."""

from crawler.knowledge.profile import CrawlSettings, TopicConcept, TopicProfile, WeightedTerm
from crawler.knowledge.terms import profile_vector
from focusweb.parameters import (
    AnyParameter,
    Parameter,
    ParameterProblem,
    SwitchParameter,
    declared,
    find_problems,
)

"""The tables of what people see."""

from topics.models.content_policy import PolicyReport
from topics.models.delivery import Alert, Digest, DigestIssue, DigestItem
from topics.models.knowledge import (
    AttachedConcept,
    ExamplePage,
    SiteControl,
    SwitchedOffTerm,
    Thumb,
    TopicTerm,
)
from topics.models.topic import Topic

__all__ = [
    "Alert",
    "AttachedConcept",
    "Digest",
    "DigestIssue",
    "DigestItem",
    "ExamplePage",
    "PolicyReport",
    "SiteControl",
    "SwitchedOffTerm",
    "Thumb",
    "Topic",
    "TopicTerm",
]

"""The tables of what people see."""

from topics.models.accounts import (
    Invitation,
    Preferences,
    ResetRequest,
    SignIn,
    TopicReader,
    preferences_of,
)
from topics.models.content_policy import PolicyReport
from topics.models.delivery import AddressProof, Alert, Digest, DigestIssue, DigestItem
from topics.models.knowledge import (
    AttachedConcept,
    ExamplePage,
    OntologyNotice,
    Question,
    SiteControl,
    SwitchedOffTerm,
    Thumb,
    TopicTerm,
)
from topics.models.reading import Reading, ReadingTag, Visit
from topics.models.searches import SavedSearch
from topics.models.topic import Topic

__all__ = [
    "AddressProof",
    "Alert",
    "AttachedConcept",
    "Digest",
    "DigestIssue",
    "DigestItem",
    "ExamplePage",
    "Invitation",
    "OntologyNotice",
    "PolicyReport",
    "Preferences",
    "Question",
    "Reading",
    "ReadingTag",
    "ResetRequest",
    "SavedSearch",
    "SignIn",
    "SiteControl",
    "SwitchedOffTerm",
    "Thumb",
    "Topic",
    "TopicReader",
    "TopicTerm",
    "Visit",
    "preferences_of",
]

"""The tables of what people see."""

from topics.models.accounts import (
    Invitation,
    Preferences,
    ResetRequest,
    SignIn,
    TopicReader,
    preferences_of,
)
from topics.models.alert_rules import AlertMatch, AlertRule, RuleEvent
from topics.models.api import ApiAnswer, ApiToken
from topics.models.changes import PageChange, WatchedPage
from topics.models.channels import Channel, Delivery, Notice
from topics.models.content_policy import PolicyReport
from topics.models.delivery import AddressProof, Alert, Digest, DigestIssue, DigestItem
from topics.models.feeds import Feed, FeedItem, Newspaper
from topics.models.figures import TopicFigures
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
from topics.models.tour import Tour

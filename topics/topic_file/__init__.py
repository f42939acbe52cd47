"""A topic as a file, and back."""

from topics.topic_file.bundle import export_bundle, save_bundle
from topics.topic_file.document import (
    MAX_BUNDLE_BYTES,
    TopicBundle,
    TopicDocument,
    read_bundle,
    read_document,
)
from topics.topic_file.saving import save_document
from topics.topic_file.writing import export_document

__all__ = [
    "MAX_BUNDLE_BYTES",
    "TopicBundle",
    "TopicDocument",
    "export_bundle",
    "export_document",
    "read_bundle",
    "read_document",
    "save_bundle",
    "save_document",
]

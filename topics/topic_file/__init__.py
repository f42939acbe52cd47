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

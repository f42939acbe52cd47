"""What can go wrong with a topic: one class per reaction a caller can have."""

from crawler.api.reasons import StopReason


class TopicError(Exception):
    """Root of every error topics raise on purpose; its text is a sentence for people."""


class AlreadyRunning(TopicError):
    """The topic is being crawled already."""


class CannotRun(TopicError):
    """Something a person has to change keeps the topic from being crawled."""

    def __init__(self, reason: StopReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class BackupError(TopicError):
    """A backup cannot be made or restored; nothing was changed."""

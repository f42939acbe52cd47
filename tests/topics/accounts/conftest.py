"""The mail server of the delivery tests."""

from tests.topics.delivery.conftest import office, post

__all__ = ["office", "post"]

"""What every test starts with."""

from collections.abc import Iterator

import pytest
from django.utils import translation


@pytest.fixture(autouse=True)
def language() -> Iterator[None]:
    """Each test speaks the default language first.

    A request activates its reader's language for the whole thread, and nothing
    takes it back before the next request: the test after one in Chinese, in
    whatever order, would read Chinese sentences.
    """
    translation.deactivate()
    yield
    translation.deactivate()

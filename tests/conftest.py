"""What every test starts with."""

import pytest
from django.utils import translation


@pytest.fixture(autouse=True)
def language() -> None:
    """Each test begins in the default language.

    A request activates its reader's language for the whole thread, and nothing takes it back
    before the next request: the test after one in Chinese, in whatever order, would read
    Chinese sentences.
    """
    translation.deactivate()

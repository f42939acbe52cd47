"""A topic whose owner has a confirmed address."""

import pytest
from django.contrib.auth.models import User

from tests.topics.factories import Scene, prove, scene_of


@pytest.fixture
def scene(ann: User) -> Scene:
    """Ann's topic; its first run has ended, nothing was kept."""
    prove(ann, "ann@reader.test")
    return scene_of(ann)

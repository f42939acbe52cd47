"""A topic with news at noon."""

import pytest

from tests.topics.charts.small_news import add_news
from tests.topics.factories import Scene


@pytest.fixture
def news(scene: Scene) -> Scene:
    return add_news(scene)

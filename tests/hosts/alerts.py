"""Pages that are news, and rules that mail them: `python -m tests.hosts.alerts TOPIC NUMBER`.

It runs on the machine with the role index. Each rule has a recipient of its own.
"""

import sys
from datetime import timedelta

import django

django.setup()

from crawler.models import Run  # noqa: E402  after the set-up
from focusweb.clock import utc_now  # noqa: E402
from tests.topics.delivery.rules_and_channels import channel_of, page, rule_of  # noqa: E402
from tests.topics.factories import Scene  # noqa: E402
from topics.models import Topic  # noqa: E402


def main(slug: str, n: int) -> None:
    """Make one page that is news, and so many rules that fit it."""
    topic, now = Topic.objects.get(slug=slug), utc_now()
    assert topic.crawl is not None
    run = Run.objects.filter(crawl=topic.crawl).latest("pk")
    scene = Scene(topic, topic.crawl, run, now)
    for number in range(n):
        rule_of(scene, channel_of(topic.owner, "mail", f"reader{number}@hosts.test"))
    page(scene, first_seen=now - timedelta(minutes=1))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

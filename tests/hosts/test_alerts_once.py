"""Alerts and their mails, while the machine that sends them and the database fail."""

from collections import Counter

import pytest

from tests.hosts.installation import Host, Hosts, wait_for
from tests.topics.delivery.post_office import PostOffice

pytestmark = pytest.mark.hosts
N_RULES = 12
#: Deliveries that are still to be made.
OPEN = "SELECT state FROM topics_delivery WHERE state IN ('frozen', 'rendered', 'sending')"


def test_each_alert_is_mailed_once_though_machine_and_database_fail(
    hosts: Hosts, web: Host, crawlers: list[Host], post: PostOffice
) -> None:
    hosts.start_crawl(web, "alerts")
    hosts.wait_for_end("alerts")
    done = web.python("-m", "tests.hosts.alerts", "alerts", str(N_RULES))
    assert done.returncode == 0, done.stderr

    wait_for(post.letters, 120, web.log)
    hosts.tell_database("stop")
    hosts.tell_database("start")
    web.kill()
    web.forget_log()
    web.start("web", "index").wait_until_ready()
    hosts.network.cut("web1")
    hosts.network.join("web1")
    wait_for(lambda: len(hosts.rows("SELECT 1 FROM topics_delivery")) == N_RULES, 120, web.log)
    wait_for(lambda: not hosts.rows(OPEN), 240, web.log)

    states = Counter(state for (state,) in hosts.rows("SELECT state FROM topics_delivery"))
    letters = Counter(letter.recipients for letter in post.letters())
    # One that was being sent may have arrived: it is never sent again.
    assert set(states) <= {"sent", "uncertain"}, states
    assert set(letters.values()) == {1}
    assert states["sent"] <= len(letters) <= N_RULES
    assert hosts.rows("SELECT count(*), count(DISTINCT harvest_id) FROM topics_alert") == [(1, 1)]
    checked = web.manage("check_invariants")
    assert "I2" not in checked.stdout, checked.stdout

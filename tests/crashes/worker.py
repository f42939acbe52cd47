"""A process that forks a worker, as often as it is requested, for tests that kill it.

Loading the program takes two seconds, a fork none: so a test can afford hundreds of deaths.
Each line on standard input is a JSON list: a job's name and its arguments. For each it
prints the fork's process id, and when that has ended how: 0, or minus the signal.
"""

import gc
import json
import os
import sys
from collections.abc import Callable
from datetime import time, timedelta
from importlib import import_module
from pathlib import Path

import django

django.setup()

from django.core.management import call_command  # noqa: E402  after the set-up
from django.urls import reverse  # noqa: E402
from django_q.tasks import async_task  # noqa: E402

from crawler.crawl import worker  # noqa: E402
from crawler.models import Harvest, Run  # noqa: E402
from crawler.page.url import domain_of  # noqa: E402
from focusweb import failpoints, plugins  # noqa: E402
from focusweb.clock import utc_now  # noqa: E402
from tests.topics.delivery.issues import news  # noqa: E402
from tests.topics.delivery.rules_and_channels import channel_of, page, rule_of  # noqa: E402
from tests.topics.factories import Scene, prove  # noqa: E402
from topics import tasks  # noqa: E402
from topics.delivery import ledger  # noqa: E402
from topics.delivery.channels import deliveries  # noqa: E402
from topics.delivery.rules import firing  # noqa: E402
from topics.models import Alert, AlertRule, Channel, Digest, PageChange, Topic  # noqa: E402
from topics.runs import start_stop  # noqa: E402
from topics.search import outbox  # noqa: E402


def crawl(slug: str) -> None:
    """Crawl to the end, with the index kept up to date all along."""
    topic = Topic.objects.get(slug=slug)
    run = topic.open_run() or start_stop.create_run(topic, utc_now())

    def keep_index(run: Run) -> None:
        outbox.drain_all(5.0)

    worker.crawl_in_foreground(run, keep_index, lambda: False)
    outbox.drain_all(60.0)


def tick() -> None:
    """What the cluster does every minute, with the topic due."""
    Topic.objects.update(next_run=utc_now(), active=True)
    tasks.tick()


def digest_due(address: str) -> None:
    """Give the topic's owner an address, one page that is news, and a digest that is due."""
    Digest.objects.all().delete()
    scene = _after_a_run()
    now = scene.now
    prove(scene.topic.owner, address)
    news(scene, site=f"n{scene.run.pk}.test")
    digest = Digest(topic=scene.topic, at=time(8), covered_until=now - timedelta(days=1))
    digest.plan_next(now - timedelta(days=1))
    digest.save()


def _after_a_run() -> Scene:
    """The topic without pages, an hour after a run of it."""
    topic, now = Topic.objects.get(), utc_now()
    Harvest.objects.all().delete()
    run = start_stop.create_run(topic, now - timedelta(hours=2))
    Run.objects.update(ended=now - timedelta(hours=1), stop_reason="budget")
    return Scene(topic, run.crawl, run, now)


def rule_due(address: str) -> None:
    """Give the topic an alert rule with a mail channel or webhook, and one page that fits it."""
    for model in (AlertRule, Channel, Alert):
        model.objects.all().delete()
    scene = _after_a_run()
    page(scene, site=f"n{scene.run.pk}.test")
    kind = "webhook" if address.startswith("http") else "mail"
    rule_of(scene, channel_of(scene.topic.owner, kind, address))


def change_due(address: str) -> None:
    """Give the topic a rule on changes with a mail channel, and one change of a seed."""
    for model in (AlertRule, Channel, Alert):
        model.objects.all().delete()
    scene = _after_a_run()
    seed = page(scene, site=f"n{scene.run.pk}.test")
    PageChange.objects.create(
        topic=scene.topic,
        url=seed.url,
        is_seed=True,
        found=scene.now - timedelta(minutes=1),
        packed_before=b"",
        packed_after=b"",
        n_inserted=9,
        n_deleted=0,
    )
    rule_of(scene, channel_of(scene.topic.owner, "mail", address), watches="changes")


def alert() -> None:
    """What the cluster does of rules and channels every minute."""
    firing.fire_rules(utc_now())
    deliveries.give_up_dead(utc_now())
    tasks.send_to_channels()


def deliver() -> None:
    """What the cluster does of digests every minute."""
    ledger.give_up_dead(utc_now())
    tasks.deliver()


def import_ontology(file: str) -> None:
    """Import an ontology from a file."""
    call_command("ontology_import", file)


def reindex() -> None:
    """Build the index anew."""
    call_command("reindex")


def backup(*words: str) -> None:
    """Save the installation to a file."""
    call_command("backup", *words)


def restore(file: str) -> None:
    """Put a backup into this data folder, which is empty."""
    call_command("restore", file)


def search(query: str, out: str) -> None:
    """Write what a search finds to a file."""
    with Path(out).open("w", encoding="utf-8") as stream:
        call_command("search", query, "--json", stdout=stream)


def queue() -> None:
    """Leave a task for a cluster."""
    async_task("topics.tasks.index")


def check(server_log: str, delay: str) -> None:
    """Print the breaches of all invariants."""
    call_command("check_invariants", "--server-log", server_log, "--delay", delay, "--rebuild")


JOBS: dict[str, Callable[..., None]] = {
    "check": check,
    "crawl": crawl,
    "queue": queue,
    "tick": tick,
    "digest": digest_due,
    "deliver": deliver,
    "rule": rule_due,
    "change": change_due,
    "alert": alert,
    "import": import_ontology,
    "reindex": reindex,
    "backup": backup,
    "restore": restore,
    "search": search,
}


def load_late_parts() -> None:
    """Load what jobs load when they first need it, so that no fork has to."""
    for module in plugins.BUILT_IN:
        import_module(module)
    reverse("topic_list")
    domain_of("http://www.crash.test/")
    # Compiling a statement finds out how the tables refer to each other.
    str(Topic.objects.filter(owner__username="").query)


def become_worker(log: Path) -> None:
    """Leave the parent's group and streams."""
    os.setsid()
    output = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)


def main(log: Path) -> None:
    """Fork for each line of standard input; the fork leaves by the end of this function."""
    load_late_parts()
    # Else each fork, as it ends, looks through all that was loaded here, and copies it by that.
    gc.freeze()
    for line in sys.stdin:
        job, plan, *arguments = json.loads(line)
        child = os.fork()
        if child == 0:
            become_worker(log)
            failpoints.arm(failpoints.read_plan(plan))
            JOBS[job](*arguments)
            return
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()
        _, status = os.waitpid(child, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""The state of the installation in words: what works, what does not, and what to do."""

import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from django.conf import settings
from django.db.models import Count, Min
from django.urls import reverse
from django.utils.formats import localize
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from crawler.api.machines import Machine
from crawler.api.tables import IndexOutbox, Run
from focusweb.runtime.data_folder import is_nearly_full
from focusweb.runtime.wakeups import read_queue
from topics.home.figures import LARGE, figures_of
from topics.installation.health import WorkerHealth, worker_health
from topics.installation.plugin_rows import plugins_in_trouble
from topics.models import DigestIssue, ResetRequest, Topic
from topics.search.errors import IndexUnusableError, SearchError
from topics.search.store import default_store

#: Changes of pages reach the index within a minute; a longer wait means that something is wrong.
INDEX_LATE: Final = timedelta(minutes=10)
#: Failed mails of this period are counted.
MAIL_WINDOW: Final = timedelta(days=7)


class Level(StrEnum):
    """How a part of the installation is."""

    OK = "ok"
    CHECK = "check"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class SystemPart:
    """One part: its state in a sentence, what to do, and where to look.

    Attributes
    ----------
    advice : str
        "" if nothing needs to be done.
    href : str
        A page that shows more, or "".
    """

    name: str
    level: Level
    says: str
    advice: str = ""
    href: str = ""

    @property
    def word(self) -> str:
        """The level in words."""
        return {
            Level.OK: _("working"),
            Level.CHECK: _("needs attention"),
            Level.BROKEN: _("not working"),
        }[self.level]


@dataclass(frozen=True, slots=True)
class FailingTopic:
    """One of a person's topics with failing sources."""

    topic: Topic
    n_failing: int


def system_parts(user: Any, now: datetime) -> list[SystemPart]:
    """The parts of the installation; staff see those of the machine and of all people, too."""
    health = worker_health(settings.RUN_DIR, time.time(), read_queue())
    parts = [_worker(health), _timer(health), _queue(health), _runs(), _index(now), _contact()]
    if user.is_staff:
        return [*parts, _disk(), _mail(now), _plugins(user), *_machines(now)]
    return [*parts, _disk_for_all(), _mail_for_all()]


def failing_topics(user: Any, now: datetime) -> Sequence[FailingTopic]:
    """Return a user's topics with failing sources, as the home page counts them; most first."""
    topics = Topic.objects.filter(owner=user).select_related("crawl", "figures").defer(*LARGE)
    counts = ((topic, figures_of(topic, now).n_failing) for topic in topics)
    lines = [FailingTopic(topic, n_failing) for topic, n_failing in counts if n_failing]
    return sorted(lines, key=lambda line: (-line.n_failing, line.topic.name))


def _worker(health: WorkerHealth) -> SystemPart:
    name = _("Background worker")
    if health.up:
        return SystemPart(name, Level.OK, _("Pages are fetched and scored."))
    if health.problem == "silent":
        says = _("It is not running, so no pages are fetched.")
        return SystemPart(name, Level.BROKEN, says, _("Start FocusWeb with: make run"))
    says = {
        "down": _("It has stopped, so no pages are fetched."),
        "hung": _("It makes no progress, so no pages are fetched."),
    }[health.problem]
    return SystemPart(
        name, Level.BROKEN, says, _("It restarts automatically. If this stays, check the log.")
    )


def _timer(health: WorkerHealth) -> SystemPart:
    name, age_s = _("Scheduler"), health.tick_age_s
    if age_s is None:
        return SystemPart(name, Level.CHECK, _("It has not finished a round yet."))
    says = ngettext(
        "Its last round ended %(n)d second ago.", "Its last round ended %(n)d seconds ago.", age_s
    ) % {"n": age_s}
    if health.problem in ("late", "silent"):
        advice = _("No run starts and no mail is sent. If this stays, restart FocusWeb.")
        return SystemPart(name, Level.BROKEN, says, advice)
    return SystemPart(name, Level.OK, says)


def _queue(health: WorkerHealth) -> SystemPart:
    says = ngettext(
        "%(n)d background task waits.", "%(n)d background tasks wait.", health.n_queued
    ) % {"n": health.n_queued}
    if health.problem == "crowded":
        advice = _("These are too many. Restart FocusWeb.")
        return SystemPart(_("Queue"), Level.CHECK, says, advice)
    return SystemPart(_("Queue"), Level.OK, says)


def _runs() -> SystemPart:
    n_runs = Run.objects.open().count()
    says = ngettext("%(n)d run is under way.", "%(n)d runs are under way.", n_runs) % {"n": n_runs}
    return SystemPart(_("Runs"), Level.OK, says)


def _index(now: datetime) -> SystemPart:
    name = _("Search index")
    waiting = IndexOutbox.objects.aggregate(n=Count("pk"), oldest=Min("queued"))
    says = ngettext(
        "%(engine)s; %(n)d page waits to be indexed.",
        "%(engine)s; %(n)d pages wait to be indexed.",
        waiting["n"],
    ) % {"engine": settings.SEARCH_ENGINE, "n": waiting["n"]}
    try:
        store = default_store()
        if not store.is_new():
            store.open_to_search()
    except IndexUnusableError as error:
        return SystemPart(name, Level.CHECK, str(error), _("It is rebuilt automatically."))
    except SearchError as error:
        return SystemPart(name, Level.BROKEN, str(error), _("Check FOCUSWEB_SEARCH."))
    if waiting["oldest"] is not None and now - waiting["oldest"] > INDEX_LATE:
        advice = _("Search lacks the newest pages. If this stays, run: manage.py reindex")
        return SystemPart(name, Level.CHECK, says, advice)
    return SystemPart(name, Level.OK, says)


def _contact() -> SystemPart:
    name = _("Contact address")
    if settings.CONTACT_URL:
        return SystemPart(name, Level.OK, _("Sites can see who crawls them."))
    says = _("None is set, so the public web is not crawled.")
    return SystemPart(name, Level.CHECK, says, _("Set FOCUSWEB_CONTACT_URL to a page about you."))


def _disk_for_all() -> SystemPart:
    if is_nearly_full(settings.DATA_DIR):
        return SystemPart(_("Disk"), Level.BROKEN, _("It is nearly full, so crawling is paused."))
    return SystemPart(_("Disk"), Level.OK, _("There is enough free space."))


def _disk() -> SystemPart:
    usage = shutil.disk_usage(settings.DATA_DIR)
    says = _("%(free)s GB of %(all)s GB are free.") % {
        "free": localize(round(usage.free / 1e9, 1)),
        "all": localize(round(usage.total / 1e9, 1)),
    }
    if is_nearly_full(settings.DATA_DIR):
        advice = _("Crawling is paused. It resumes automatically when there is free space.")
        return SystemPart(_("Disk"), Level.BROKEN, says, advice)
    return SystemPart(_("Disk"), Level.OK, says)


def _mail_for_all() -> SystemPart:
    if settings.MAIL_SERVER is None:
        says = _("This installation sends no e-mail. Digests are kept on this site.")
        return SystemPart(_("E-mail"), Level.CHECK, says)
    return SystemPart(_("E-mail"), Level.OK, _("Digests are sent by e-mail."))


def _mail(now: datetime) -> SystemPart:
    name, server = _("E-mail"), settings.MAIL_SERVER
    if server is None:
        says = _("No mail server is set. Digests are kept as files.")
        return SystemPart(name, Level.CHECK, says, _("Name your mail server in FOCUSWEB_SMTP_URL."))
    lately = DigestIssue.objects.filter(created__gt=now - MAIL_WINDOW)
    trouble = (DigestIssue.State.FAILED, DigestIssue.State.UNCERTAIN)
    n_failed = lately.filter(state__in=trouble).count()
    n_failed += ResetRequest.objects.exclude(problem="").count()
    says = ngettext(
        "%(host)s, port %(port)d; %(n)d mail failed in the last 7 days.",
        "%(host)s, port %(port)d; %(n)d mails failed in the last 7 days.",
        n_failed,
    ) % {"host": server.host, "port": server.port, "n": n_failed}
    if n_failed:
        advice = _("The digest pages of the topics say why. Check the mail server.")
        return SystemPart(name, Level.CHECK, says, advice)
    return SystemPart(name, Level.OK, says)


def _plugins(user: Any) -> SystemPart:
    href = reverse("plugin_list") if user.is_superuser else ""
    if failing := plugins_in_trouble():
        says = "; ".join(f"{one.name}: {one.error}" for one in failing)
        return SystemPart(
            _("Plugins"), Level.CHECK, says, _("Fix the plugin or switch it off."), href
        )
    return SystemPart(_("Plugins"), Level.OK, _("No plugin has failed."), href=href)


def _machines(now: datetime) -> list[SystemPart]:
    """The machines that share the database; none if there is one."""
    machines = Machine.objects.order_by("name")
    if len(machines) < 2:
        return []
    says = "; ".join(f"{machine.name}: {machine.roles.replace(',', ', ')}" for machine in machines)
    silent = [machine.name for machine in machines if not machine.is_alive(now)]
    if silent:
        advice = _("Not connected: %(names)s. Start FocusWeb there, or check its network.")
        return [SystemPart(_("Machines"), Level.CHECK, says, advice % {"names": ", ".join(silent)})]
    return [SystemPart(_("Machines"), Level.OK, says)]

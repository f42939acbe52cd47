"""Problems that the home page lists: at most one line for each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from topics.delivery.confirmation import confirmed_address
from topics.home.topic_lines import TopicLine
from topics.models import Digest, DigestIssue, Topic

State = DigestIssue.State


@dataclass(frozen=True, slots=True)
class Attention:
    """One problem, and where it can be solved.

    Attributes
    ----------
    address : str
        The page where it can be solved.
    topic : Topic or None
        None for what concerns all topics.
    """

    text: str
    address: str
    topic: Topic | None = None


def needs_attention(
    lines: Sequence[TopicLine], user: Any, now: datetime, *, has_server: bool
) -> list[Attention]:
    """Return what is wrong with a person's topics and their mails, the most pressing first.

    `has_server` says whether the operator named a mail server.
    """
    return [
        *(one for line in lines for one in _of_runs(line)),
        *(one for line in lines for one in _of_digest(line)),
        *_of_mail(lines, user, has_server=has_server),
        *(one for line in lines for one in _of_finds(line, now)),
    ]


def _of_runs(line: TopicLine) -> Iterator[Attention]:
    topic, run = line.topic, line.last_run
    if line.trouble and run:
        address = reverse("run_detail", args=[topic.slug, run.pk])
        yield Attention(str(line.trouble.what), address, topic)
    elif line.seeds_since:
        text = _("None of the seeds responds.")
        yield Attention(text, reverse("topic_sources", args=[topic.slug]), topic)
    elif line.n_failing:
        text = ngettext("%(n)d source fails.", "%(n)d sources fail.", line.n_failing)
        address = reverse("topic_sources", args=[topic.slug])
        yield Attention(text % {"n": line.n_failing}, address, topic)


def _of_digest(line: TopicLine) -> Iterator[Attention]:
    texts = {
        State.UNCERTAIN: _("It is unknown whether a digest was sent."),
        State.FAILED: _("The last digest could not be sent."),
    }
    if line.mail_state in texts:
        address = reverse("topic_digest", args=[line.topic.slug])
        yield Attention(texts[State(line.mail_state)], address, line.topic)


def _of_mail(lines: Sequence[TopicLine], user: Any, *, has_server: bool) -> Iterator[Attention]:
    sent = [line.topic for line in lines if _has_digest(line.topic)]
    if not sent:
        return
    address = reverse("topic_digest", args=[sent[0].slug])
    if not has_server:
        text = _("No mail server is set up, so digests are stored as files.")
        yield Attention(text, address)
    elif not confirmed_address(user):
        text = _("Your mail address is not confirmed, so no digest is sent.")
        yield Attention(text, address)


def _has_digest(topic: Topic) -> bool:
    digest: Digest | None = getattr(topic, "digest", None)
    return digest is not None and digest.active


def _of_finds(line: TopicLine, now: datetime) -> Iterator[Attention]:
    run, topic = line.last_run, line.topic
    if line.lacks_words:
        text = _("No fetched page contains a word of this topic.")
        yield Attention(text, reverse("topic_profile", args=[topic.slug]), topic)
        return
    if run is None or run.ended is None or line.trouble or line.n_fresh or not topic.active:
        return
    if not line.n_known:
        yield Attention(_("No relevant page was found yet."), topic.get_absolute_url(), topic)
    elif line.watched_since and line.watched_since < topic.window_start(now):
        text = ngettext(
            "Nothing new in the last day.",
            "Nothing new in the last %(days)d days.",
            topic.fresh_days,
        ) % {"days": topic.fresh_days}
        yield Attention(text, topic.get_absolute_url(), topic)

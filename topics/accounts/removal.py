"""Delete an account with everything that belongs to its user alone."""

from datetime import datetime

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from crawler.api.tables import Ontology
from focusweb.database import write_transaction
from topics.delivery.confirmation import confirmed_address
from topics.errors import TopicError
from topics.models import Channel, Invitation, Topic
from topics.profile.feedback import save_topic_labels
from topics.profile.ontologies import delete_ontology
from topics.runs.removal import clear_up, delete_topic_rows
from topics.runs.start_stop import request_stop


def remove_account(user: User, now: datetime) -> None:
    """Delete a user's account, topics, pages and files.

    Shared ontologies stay, without an owner. So do addresses of pages and sites, which name no
    person.

    Raises
    ------
    TopicError
        If one of the topics is being crawled, or no other superuser would be left.
    """
    if user.is_superuser and not _other_superusers(user).exists():
        raise TopicError(_("You are the only superuser. Make another one first."))
    _require_quiet(user)
    topics = list(Topic.objects.filter(owner=user).select_related("crawl"))
    with write_transaction():
        files = [file for topic in topics for file in delete_topic_rows(topic)]
        _delete_rows(user, now)
    clear_up(topics, files, now)


def _other_superusers(user: User) -> QuerySet[User]:
    return User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)


def _require_quiet(user: User) -> None:
    topics = Topic.objects.filter(owner=user)
    were_on = list(topics.filter(active=True).values_list("pk", flat=True))
    topics.update(active=False)  # so that none starts meanwhile
    running = [topic.name for topic in topics.select_related("crawl") if request_stop(topic)]
    if running:
        # The user may change their mind, and would have to switch the topics on again.
        topics.filter(pk__in=were_on).update(active=True)
        raise TopicError(
            _("“%(name)s” is being crawled. The run stops now; try again in a minute.")
            % {"name": running[0]}
        )


def _delete_rows(user: User, now: datetime) -> None:
    for ontology in Ontology.objects.filter(owner=user, shared=False):
        delete_ontology(ontology, now, by=user)
    # An address that was never confirmed may be somebody else's, who goes on reading there.
    if address := confirmed_address(user):
        Channel.objects.filter(kind="mail", target__iexact=address).delete()
        Invitation.objects.filter(email__iexact=address).delete()
    Invitation.objects.filter(used_by=user).delete()
    own = ContentType.objects.get_for_model(User)
    about = Q(content_type=own, object_id=str(user.pk))
    LogEntry.objects.filter(about | Q(user=user)).delete()
    _end_sessions(user)
    rated = list(Topic.objects.filter(thumbs__user=user).exclude(owner=user).distinct())
    user.delete()
    for topic in rated:  # the user owned them before; the worker judges their pages again
        save_topic_labels(topic)


def _end_sessions(user: User) -> None:
    for session in Session.objects.iterator():
        if str(session.get_decoded().get("_auth_user_id", "")) == str(user.pk):
            session.delete()

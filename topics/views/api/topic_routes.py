"""Topics: their settings, runs, sources, rules, digests and figures."""

from typing import Any

import msgspec
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.http import parse_etags
from ninja import Path, Router, Status
from ninja.errors import HttpError
from ninja.params.functions import Header

from crawler.api.tables import Harvest, Site
from focusweb.database import write_transaction
from topics.models import AlertRule, DigestIssue, Reading, ReadingTag, SiteControl, Thumb, Topic
from topics.runs import start_stop
from topics.sources.site_rules import get_or_create_site, set_rule
from topics.topic_file import TopicDocument, export_document, read_document, save_document
from topics.views.api import shapes
from topics.views.api.base import ERRORS, MANAGE, READ, answer_once, etag_of
from topics.views.api.paging import part_of
from topics.views.api.topic_body import BODY

router = Router(tags=["topics"])

#: How many of the best pages count for the evaluation.
N_TOP = 20
NO_HEADER: Any = Header("", max_length=100)


def topic_of(request: HttpRequest, slug: str) -> Topic:
    """The topic of this name that belongs to the token's user."""
    return get_object_or_404(
        Topic.objects.visible_to(request.user).select_related("crawl"), slug=slug
    )


@router.get("/topics", auth=READ, response=ERRORS | {200: shapes.Listed[shapes.TopicLine]})
def list_topics(
    request: HttpRequest, cursor: shapes.Cursor = "", limit: shapes.Limit = 50
) -> dict[str, Any]:
    """List your topics, newest first."""
    own = Topic.objects.visible_to(request.user)
    return part_of(own, "created", cursor, limit)


@router.post(
    "/topics",
    auth=MANAGE,
    openapi_extra=BODY,
    response=ERRORS | {201: shapes.TopicDocument, 409: shapes.Problem},
)
def make_topic(request: HttpRequest, idempotency_key: str = NO_HEADER) -> Status[Any]:
    """Make a topic from a topic file."""
    document = read_document(request.body)

    def make() -> tuple[int, Any]:
        if Topic.objects.visible_to(request.user).filter(slug=document.slug).exists():
            raise HttpError(409, f"you have a topic {document.slug!r} already")
        return 201, _saved(request, document)

    return answer_once(request, idempotency_key, make)


def _saved(request: HttpRequest, document: TopicDocument) -> Any:
    topic, _created = save_document(document, request.user, timezone.now())  # type: ignore[arg-type]
    return msgspec.to_builtins(export_document(topic))


@router.get("/topics/{slug}", auth=READ, response=ERRORS | {200: shapes.TopicDocument})
def read_topic(request: HttpRequest, response: HttpResponse, slug: Path[shapes.Slug]) -> Any:
    """Read a topic as a topic file; its `ETag` is for `If-Match` of a change."""
    topic = topic_of(request, slug)
    response["ETag"] = _etag(topic)
    return msgspec.to_builtins(export_document(topic))


@router.put(
    "/topics/{slug}",
    auth=MANAGE,
    openapi_extra=BODY,
    response=ERRORS | {200: shapes.TopicDocument, 412: shapes.Problem},
)
def change_topic(
    request: HttpRequest,
    slug: Path[shapes.Slug],
    if_match: str = NO_HEADER,
) -> Any:
    """Replace a topic's settings by a topic file; `If-Match` guards against lost changes."""
    topic, document = topic_of(request, slug), read_document(request.body)
    if document.slug != slug:
        raise HttpError(422, f"the file is of the topic {document.slug!r}")
    # Of two changes of the same state at once, the second waits and is refused.
    with write_transaction():
        topic = topic_of(request, slug)
        if if_match and not _is_among(_etag(topic), if_match):
            raise HttpError(412, "the topic was changed since you read it")
        return _saved(request, document)


def _is_among(etag: str, if_match: str) -> bool:
    """Whether a header `If-Match` names an ETag; an answer that was compressed has a weak one."""
    named = parse_etags(if_match)
    return "*" in named or etag in [one.removeprefix("W/") for one in named]


def _etag(topic: Topic) -> str:
    return etag_of(msgspec.json.encode(export_document(topic)))


@router.get("/topics/{slug}/tags", auth=READ, response=ERRORS | {200: list[shapes.Tag]})
def list_tags(request: HttpRequest, slug: Path[shapes.Slug]) -> list[Any]:
    """List the tags you use in a topic."""
    own = Reading.objects.of(request.user, topic_of(request, slug))
    tags = ReadingTag.objects.filter(reading__in=own).values("name").annotate(pages=Count("pk"))
    return list(tags.order_by("name"))


def _run(run: Any) -> dict[str, Any]:
    return {
        "id": run.pk,
        "started": run.started,
        "ended": run.ended,
        "page_limit": run.n_pages,
        "fetched": run.fetched,
        "kept": run.kept,
        "failed": run.failed,
        "share_kept": run.harvest_rate,
        "stop_reason": run.stop_reason,
        "reasons": run.reasons,
    }


@router.get("/topics/{slug}/runs", auth=READ, response=ERRORS | {200: shapes.Listed[shapes.Run]})
def list_runs(
    request: HttpRequest,
    slug: Path[shapes.Slug],
    cursor: shapes.Cursor = "",
    limit: shapes.Limit = 50,
) -> dict[str, Any]:
    """List the runs of a topic, newest first."""
    crawl = topic_of(request, slug).crawl
    if crawl is None:
        return {"items": [], "next": None}
    return part_of(crawl.runs.all(), "started", cursor, limit, lambda rows: list(map(_run, rows)))


@router.post(
    "/topics/{slug}/runs",
    auth=MANAGE,
    response=ERRORS | {202: shapes.Run, 409: shapes.Problem},
)
def start_run(
    request: HttpRequest,
    slug: Path[shapes.Slug],
    wanted: shapes.NewRun,
    idempotency_key: str = NO_HEADER,
) -> Status[Any]:
    """Start a run; a 409 says that one is under way."""
    topic, now = topic_of(request, slug), timezone.now()

    def start() -> tuple[int, Any]:
        run = start_stop.start_now(topic, now, n_pages=wanted.page_limit, look=True)
        return 202, shapes.Run.model_validate(_run(run)).model_dump(mode="json")

    return answer_once(request, idempotency_key, start)


@router.delete("/topics/{slug}/runs/current", auth=MANAGE, response=ERRORS | {204: None})
def stop_run(request: HttpRequest, slug: Path[shapes.Slug]) -> Status[None]:
    """Stop the run that is under way, after the pages it is fetching; 404 if there is none."""
    if not start_stop.request_stop(topic_of(request, slug)):
        raise Http404
    return Status(204, None)


@router.get("/topics/{slug}/sources", auth=READ, response=ERRORS | {200: list[shapes.Source]})
def list_sources(request: HttpRequest, slug: Path[shapes.Slug]) -> list[Any]:
    """List the places that the topic's runs visit for new links."""
    crawl = topic_of(request, slug).crawl
    return list(crawl.sources.order_by("kind", "address")) if crawl else []


@router.get("/topics/{slug}/sites", auth=READ, response=ERRORS | {200: list[shapes.SiteRule]})
def list_site_rules(request: HttpRequest, slug: Path[shapes.Slug]) -> list[dict[str, str]]:
    """List the site rules of a topic."""
    rows = topic_of(request, slug).sites.order_by("site__name")
    return [{"site": name, "rule": rule} for name, rule in rows.values_list("site__name", "rule")]


@router.put("/topics/{slug}/sites/{site}", auth=MANAGE, response=ERRORS | {200: shapes.SiteRule})
def set_site_rule(
    request: HttpRequest,
    slug: Path[shapes.Slug],
    site: Path[shapes.SiteName],
    wanted: shapes.NewSiteRule,
) -> dict[str, str]:
    """Raise, lower, pin or block a site for a topic."""
    topic, now = topic_of(request, slug), timezone.now()
    row = get_or_create_site(site, now)
    set_rule(topic, row, wanted.rule, now)
    return {"site": row.name, "rule": wanted.rule}


@router.delete("/topics/{slug}/sites/{site}", auth=MANAGE, response=ERRORS | {204: None})
def remove_site_rule(
    request: HttpRequest, slug: Path[shapes.Slug], site: Path[shapes.SiteName]
) -> Status[None]:
    """Take a site rule back."""
    topic = topic_of(request, slug)
    row = get_object_or_404(Site, name=site)
    get_object_or_404(SiteControl, topic=topic, site=row)
    set_rule(topic, row, "", timezone.now())
    return Status(204, None)


@router.get("/topics/{slug}/rules", auth=READ, response=ERRORS | {200: list[shapes.AlertRule]})
def list_rules(request: HttpRequest, slug: Path[shapes.Slug]) -> list[Any]:
    """List the alert rules that are about this topic alone."""
    topic = topic_of(request, slug)
    return list(AlertRule.objects.filter(owner_id=request.user.pk, topic=topic).order_by("pk"))


@router.get(
    "/topics/{slug}/digests", auth=READ, response=ERRORS | {200: shapes.Listed[shapes.Issue]}
)
def list_digests(
    request: HttpRequest,
    slug: Path[shapes.Slug],
    cursor: shapes.Cursor = "",
    limit: shapes.Limit = 50,
) -> dict[str, Any]:
    """List the issues of a topic's digest, newest first."""
    topic = topic_of(request, slug)
    issues = DigestIssue.objects.filter(digest__topic=topic).annotate(pages=Count("items"))
    return part_of(issues, "covers_until", cursor, limit)


@router.get("/topics/{slug}/evaluation", auth=READ, response=ERRORS | {200: shapes.Evaluation})
def evaluate_topic(request: HttpRequest, slug: Path[shapes.Slug]) -> dict[str, Any]:
    """Say how the best pages were rated, and how much the last ten runs kept."""
    topic = topic_of(request, slug)
    thumbs = Thumb.objects.filter(topic=topic, user=request.user)  # type: ignore[misc]
    kept = Harvest.objects.kept().filter(crawl=topic.crawl_id).order_by("-score", "-pk")
    best = list(kept.values_list("url_id", flat=True)[:N_TOP])
    top = thumbs.filter(url_id__in=best).aggregate(n=Count("pk"), good=Count("pk", Q(value=1)))
    runs = list(topic.crawl.runs.order_by("-started")[:10]) if topic.crawl else []
    judged = sum(run.n_judged for run in runs)
    return {
        "top_20": {
            "rated": top["n"],
            "relevant": top["good"],
            "share": top["good"] / top["n"] if top["n"] else None,
        },
        "ratings": thumbs.count(),
        "kept": sum(run.kept for run in runs),
        "fetched": sum(run.fetched for run in runs),
        "share_kept": sum(run.kept for run in runs) / judged if judged > 0 else None,
    }

"""The administration: topics to edit; runs, sites and frontier to view."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from crawler.api.sites import allow_site, find_rules, stop_site
from crawler.api.tables import FrontierEntry, Run, Site
from topics.accounts.sharing import follow_owner
from topics.admin.read_only import ReadOnlyAdmin
from topics.admin.topic_parts import ConceptInline, ExampleInline, TermInline
from topics.errors import TopicError
from topics.forms.topic import TopicForm
from topics.models import ExamplePage, Topic
from topics.profile import feedback
from topics.runs import start_stop
from topics.runs.removal import remove_topic, running_sentences
from topics.runs.topic_settings import SCHEDULE
from topics.sources.removal import remove_everywhere
from topics.views.sentences import moved_sentence

_PREVIEWED = _(
    "Threshold, judge, ranking and weights are also on the topic's page “Profile”, which previews "
    "what a change would do."
)


def _there(topic: Topic, moment: datetime | None) -> str:
    """A moment by the clock of a topic, as its own pages show it."""
    if moment is None:
        return "–"
    return f"{moment.astimezone(ZoneInfo(topic.zone)):%Y-%m-%d %H:%M} {topic.zone}"


@admin.register(Topic)
class TopicAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Topics: users edit their own, superusers all."""

    form = TopicForm
    inlines = [TermInline, ConceptInline, ExampleInline]
    list_display = ["name", "owner", "state", "last_run_started", "next_run_there", "active"]
    list_filter = ["active", "schedule_kind"]
    list_select_related = ["owner", "crawl"]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}
    actions = ["crawl_now", "stop"]
    fieldsets = [
        (None, {"fields": ["name", "slug", "owner", "languages", "active"]}),
        (_("Where to start"), {"fields": ["queries", "searches", "seeds"]}),
        (
            _("When to run"),
            {
                "classes": ["collapse"],
                "fields": ["schedule_kind", "every_hours", "at", "weekdays", "zone"],
            },
        ),
        (_("Alerts"), {"classes": ["collapse"], "fields": ["alert_score"]}),
        (
            _("How to crawl"),
            {
                "classes": ["collapse"],
                "description": _PREVIEWED,
                "fields": [
                    *("n_pages", "max_depth_hops", "strategy", "strategy_parameters"),
                    *("judge", "judge_parameters", "threshold", "breadth"),
                ],
            },
        ),
        (
            _("How to rank"),
            {
                "classes": ["collapse"],
                "description": _PREVIEWED,
                "fields": [
                    *("ranker", "link_weight", "content_weight", "link_value", "link_scale"),
                    *("fresh_days", "half_life_days"),
                ],
            },
        ),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Topic]:
        """Keep the person's own topics; all for a superuser."""
        topics = super().get_queryset(request)
        return topics if request.user.is_superuser else topics.filter(owner_id=request.user.pk)

    def get_fieldsets(self, request: HttpRequest, obj: Topic | None = None) -> Any:
        """Leave the owner out unless the user is a superuser."""
        if request.user.is_superuser:
            return super().get_fieldsets(request, obj)
        return [
            (title, {**options, "fields": [f for f in options["fields"] if f != "owner"]})
            for title, options in super().get_fieldsets(request, obj)
        ]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"owner": request.user.pk, **super().get_changeform_initial_data(request)}

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        form: Any = super().get_form(request, obj, change, **kwargs)
        form.maker = request.user  # the class is created for each request
        return form

    def save_model(self, request: HttpRequest, obj: Topic, form: Any, change: bool) -> None:
        if obj.next_run and not SCHEDULE.isdisjoint(form.changed_data):
            obj.plan_next_run(timezone.now())
        if "alert_score" in form.changed_data:
            obj.alerts_from = timezone.now()
        super().save_model(request, obj, form, change)
        if change and "owner" in form.changed_data:
            follow_owner(obj, timezone.now())

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Judge the stored pages again if that is news, once the terms are saved too."""
        super().save_related(request, form, formsets, change)
        moved = feedback.apply_profile(form.instance, timezone.now())
        if any(formset.model is ExamplePage and formset.has_changed() for formset in formsets):
            moved = feedback.apply_labels(form.instance, timezone.now())
        if moved is None or moved.total:
            self.message_user(request, moved_sentence(moved), messages.SUCCESS)

    def response_add(
        self, request: HttpRequest, obj: Topic, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Lead from a new topic to its page, where its first run is to be seen."""
        response = super().response_add(request, obj, post_url_continue)
        stays = not {"_continue", "_addanother", "_popup"}.isdisjoint(request.POST)
        return response if stays or obj.owner_id != request.user.pk else redirect(obj)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Refuse to delete a topic while it is being crawled."""
        rows, counts, lacking, protected = super().get_deleted_objects(objs, request)
        return rows, counts, lacking, [*protected, *running_sentences(objs)]

    def delete_model(self, request: HttpRequest, obj: Topic) -> None:
        remove_topic(obj, timezone.now())

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Topic]) -> None:
        for topic in queryset:
            remove_topic(topic, timezone.now())

    @admin.display(description=_("status"))
    def state(self, topic: Topic) -> str:
        if topic.open_run() is not None:
            return gettext("crawling")
        if not topic.active:
            return gettext("off")
        return gettext("watching") if topic.last_run() else gettext("not run yet")

    @admin.display(description=_("last run"))
    def last_run_started(self, topic: Topic) -> str:
        run = topic.last_run()
        return _there(topic, run.started if run else None)

    @admin.display(description=_("next run"), ordering="next_run")
    def next_run_there(self, topic: Topic) -> str:
        return _there(topic, topic.next_run)

    @admin.action(description=_("Crawl now"), permissions=["change"])
    def crawl_now(self, request: HttpRequest, topics: QuerySet[Topic]) -> None:
        started = 0
        for topic in topics:
            try:
                start_stop.start_now(topic, timezone.now())
            except TopicError as error:
                self.message_user(request, f"{topic}: {error}", messages.ERROR)
            else:
                started += 1
        if started:
            message = ngettext("%(count)d crawl started.", "%(count)d crawls started.", started)
            self.message_user(request, message % {"count": started}, messages.SUCCESS)

    @admin.action(description=_("Stop"), permissions=["change"])
    def stop(self, request: HttpRequest, topics: QuerySet[Topic]) -> None:
        for topic in topics:
            if start_stop.request_stop(topic):
                text = gettext("The crawl of %(topic)s stops after the pages it is fetching now.")
            else:
                text = gettext("%(topic)s is not being crawled.")
            self.message_user(request, text % {"topic": topic})


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    owner_path = "crawl__topic__owner"
    list_display = ["crawl", "started", "ended", "fetched", "kept", "failed", "stop_reason"]
    list_filter = ["stop_reason"]
    list_select_related = ["crawl"]
    date_hierarchy = "started"
    fields = (
        ("crawl", "n_pages"),
        ("started", "ended"),
        ("fetched", "kept", "failed"),
        ("n_bytes", "cpu_s"),
        ("stop_reason", "stop_detail"),
        "last_url",
    )


@admin.register(FrontierEntry)
class FrontierEntryAdmin(ReadOnlyAdmin):
    owner_path = "crawl__topic__owner"
    list_display = ["url", "crawl", "state", "reason", "priority", "depth_hops", "attempts"]
    list_filter = ["state", "reason"]
    list_select_related = ["crawl", "url"]
    search_fields = ["url__url"]
    fields = (
        ("url", "parent"),
        ("crawl", "run"),
        ("state", "reason", "detail"),
        ("priority", "depth_hops", "attempts"),
        ("found", "ended"),
    )
    show_full_result_count = False


class NamedValuesFilter(admin.AllValuesFieldListFilter):
    """A filter whose link for the empty value can be seen."""

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        for choice in super().choices(changelist):
            choice["display"] = choice["display"] or self.empty_value_display
            yield choice


@admin.register(Site)
class SiteAdmin(ReadOnlyAdmin):
    """Sites: users decide only whether a site may be contacted at all."""

    list_display = ["name", "domain", "first_seen", "robots_verdict", "stopped"]
    list_filter = ["stopped", ("robots_verdict", NamedValuesFilter)]
    search_fields = ["name", "domain"]
    fields = ("name", "domain", "first_seen", "delay_s", "robots_verdict", "robots", "stopped")
    readonly_fields = ("name", "domain", "first_seen", "delay_s", "robots_verdict", "robots")

    actions = ["stop_sites", "allow_sites", "remove_sites"]

    @admin.display(description=_("robots.txt"))
    def robots(self, site: Site) -> str:
        """Return the rules that concern us."""
        return find_rules(site.name).text

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        # A site is shared by the topics of all users, so only superusers stop one.
        return bool(request.user.is_superuser)

    def save_model(self, request: HttpRequest, obj: Site, form: Any, change: bool) -> None:
        """Stop or allow, with all that belongs to it; nothing else can be changed."""
        if obj.stopped:
            stop_site(obj, timezone.now())
        else:
            allow_site(obj)

    @admin.action(description=_("Stop: never contact again"), permissions=["change"])
    def stop_sites(self, request: HttpRequest, sites: QuerySet[Site]) -> None:
        for site in sites:
            stop_site(site, timezone.now())
            message = gettext("FocusWeb no longer contacts %(site)s.") % {"site": site}
            self.message_user(request, message)

    @admin.action(description=_("Contact again"), permissions=["change"])
    def allow_sites(self, request: HttpRequest, sites: QuerySet[Site]) -> None:
        for site in sites:
            allow_site(site)
            self.message_user(
                request, gettext("FocusWeb contacts %(site)s again.") % {"site": site}
            )

    @admin.action(
        description=_("Remove: delete all pages and never contact again"), permissions=["change"]
    )
    def remove_sites(self, request: HttpRequest, sites: QuerySet[Site]) -> TemplateResponse | None:
        if request.POST.get("sure") != "yes":
            context = {
                **self.admin_site.each_context(request),
                "title": gettext("Remove sites"),
                "sites": sites,
                "opts": self.model._meta,
            }
            return TemplateResponse(request, "admin/remove_sites.html", context)
        for site in sites:
            removed = remove_everywhere(site, timezone.now())
            text = gettext("Deleted %(count)d pages of %(site)s. FocusWeb no longer contacts it.")
            self.message_user(request, text % {"site": site, "count": len(removed.pages)})
        return None

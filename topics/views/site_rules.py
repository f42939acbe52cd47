"""A person's word on a site, for one topic."""

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from crawler.api.tables import FrontierEntry, Link, Site
from topics.models import SiteControl, Topic
from topics.sources.site_rules import set_rule
from topics.views.back import back_to_form
from topics.views.sentences import moved_sentence
from topics.views.thumbs import HtmxRequest
from topics.views.topic import visible_topic


@require_POST
def site_rule(request: HtmxRequest, slug: str, pk: int) -> HttpResponse:
    """Raise, lower, pin or block a site, or take that back; the answer says what moved."""
    topic = visible_topic(request, slug)
    site = site_of_topic(topic, pk)
    rule = request.POST.get("rule", "")
    if rule not in ("none", *SiteControl.Rule.values):
        return HttpResponseBadRequest(_("A rule must be raise, lower, pin, block or none."))
    moved = set_rule(topic, site, "" if rule == "none" else rule, timezone.now())
    message = moved_sentence(moved)
    if request.htmx:
        context = {"topic": topic, "site": site, "rule": "" if rule == "none" else rule}
        return render(
            request, "topics/_site_rule.html", context | {"message": message, "open": True}
        )
    messages.success(request, message)
    return back_to_form(request, topic.get_absolute_url())


def site_of_topic(topic: Topic, pk: int) -> Site:
    """A site that the topic's crawl met or links to, or that has a rule; a 404 for all others."""
    site = get_object_or_404(Site, pk=pk)
    met = FrontierEntry.objects.filter(crawl=topic.crawl_id, url__site=site)
    linked = Link.objects.filter(target__site=site, source__harvests__crawl=topic.crawl_id)
    if met.exists() or topic.sites.filter(site=site).exists() or linked.exists():
        return site
    raise Http404

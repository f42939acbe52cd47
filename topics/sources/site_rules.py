"""A person's word on sites: raise, lower, pin or block them for one topic."""

from datetime import datetime

from crawler.api.judging import ChangedPages, rejudge
from crawler.api.pages import canonical_url
from crawler.api.reasons import CrawlError
from crawler.api.tables import Site
from topics.errors import TopicError
from topics.models import SiteControl, Topic, TopicFigures
from topics.profile.crawl import save_crawl


def set_rule(topic: Topic, site: Site, rule: str, now: datetime) -> ChangedPages:
    """Set the rule of a site, or remove it with ""; scores and lists follow at once.

    Raises
    ------
    ValueError
        If the rule does not exist.
    """
    if rule and rule not in SiteControl.Rule.values:
        raise ValueError(f"a rule is one of {', '.join(SiteControl.Rule.values)}, got {rule!r}")
    if rule:
        SiteControl.objects.update_or_create(topic=topic, site=site, defaults={"rule": rule})
    else:
        SiteControl.objects.filter(topic=topic, site=site).delete()
    if topic.crawl is None:
        return ChangedPages()
    crawl = save_crawl(topic, now)
    changed = rejudge(crawl, now)
    TopicFigures.objects.forget(crawl)
    return changed


def rules_by_site(topic: Topic) -> dict[int, str]:
    """Return the rules of a topic by number of the site."""
    return dict(topic.sites.values_list("site_id", "rule"))


def get_or_create_site(name: str, now: datetime) -> Site:
    """Return the site of a host, or host and port, as a person writes it; made if it is not known.

    Raises
    ------
    TopicError
        If that is not a host.
    """
    try:
        url = canonical_url(f"http://{name.strip()}/", any_port=True)
    except CrawlError as error:
        raise TopicError(f"{name!r} is not a host such as example.org") from error
    if not name.strip() or url.count("/") != 3:
        raise TopicError(f"{name!r} is not a host such as example.org")
    return Site.objects.of_url(url, now)

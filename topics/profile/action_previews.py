"""What an action would change among the stored pages, before a user presses its button."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from crawler.api.judging import LabelledPage
from crawler.api.pages import text_terms
from crawler.api.tables import Concept, Harvest, Page, Site, pack_terms
from topics.models import SiteControl, Thumb, Topic
from topics.profile.concepts import ConceptChoice, choice_of, keys_below, profile_of
from topics.profile.examples import canonical_address
from topics.profile.feedback import (
    EXAMPLE_WEIGHT,
    N_AT_ONCE,
    labels_with_example,
    labels_with_thumb,
)
from topics.profile.preview import ProfilePreview, preview_change


def can_preview(topic: Topic, *, n_at_once: int = N_AT_ONCE) -> bool:
    """False if too many pages are stored, which are scored in the background only."""
    return topic.crawl is None or topic.crawl.harvests.count() <= n_at_once


def rating_previews(topic: Topic, user: Any, harvest: Harvest) -> dict[str, ProfilePreview]:
    """What each rating of a page would change that the person can give now."""
    rated = Thumb.objects.filter(topic=topic, user_id=user.pk, url_id=harvest.url_id).exists()
    values = {"none": 0} if rated else {"up": 1, "down": -1}
    return {
        name: preview_change(topic, labels=labels_with_thumb(topic, user, harvest.url_id, value))
        for name, value in values.items()
    }


def site_rule_previews(topic: Topic, site: Site) -> dict[str, ProfilePreview]:
    """What each rule for a site would change that it does not have now."""
    settings = topic.crawl_settings()
    others = {name: rule for name, rule in settings.site_rules.items() if name != site.name}
    wanted = {rule: others | {site.name: rule} for rule in SiteControl.Rule.values}
    wanted["none"] = others
    return {
        rule: preview_change(topic, settings=replace(settings, site_rules=rules))
        for rule, rules in wanted.items()
        if rules != settings.site_rules
    }


def plugin_settings_preview(
    topic: Topic, values: Mapping[str, Mapping[str, Any]]
) -> ProfilePreview:
    """Return what other settings of plugins would change."""
    given = {name: dict(chosen) for name, chosen in values.items() if chosen}
    settings = replace(topic.crawl_settings(), plugin_settings=given)
    return preview_change(topic, settings=settings)


def example_preview(topic: Topic, url: str, text: str, *, good: bool) -> ProfilePreview | None:
    """Return what an example page would change; None if its text is not known before it is fetched.

    Raises
    ------
    TopicError
        If the URL may not be fetched.
    """
    if url:
        page = Page.objects.filter(url__url=canonical_address(url)).first()
        if page is None:
            return None
        number = page.pk if page.reader_version else 0
        terms = b"" if number else bytes(page.packed_terms)
        label = LabelledPage(good, EXAMPLE_WEIGHT, number, terms)
    else:
        label = LabelledPage(good, EXAMPLE_WEIGHT, terms=pack_terms(text_terms(text)))
    return preview_change(topic, labels=labels_with_example(topic, label))


def attach_preview(topic: Topic, concepts: Iterable[Concept]) -> ProfilePreview:
    """Return what attaching concepts would change."""
    choice = choice_of(topic)
    return _of_choice(topic, replace(choice, attached=choice.attached.union(concepts)))


def concept_previews(topic: Topic, concept: Concept) -> dict[str, ProfilePreview]:
    """Return what the actions on an attached concept would change."""
    choice, below = choice_of(topic), keys_below(topic, concept)
    wanted = {
        "detach": replace(choice, attached=choice.attached - {concept}),
        "none_below": replace(choice, switched_off=choice.switched_off | below),
        "all_below": replace(choice, switched_off=choice.switched_off - below),
    }
    return {
        name: _of_choice(topic, changed) for name, changed in wanted.items() if changed != choice
    }


def _of_choice(topic: Topic, choice: ConceptChoice) -> ProfilePreview:
    return preview_change(topic, profile=profile_of(topic, choice))

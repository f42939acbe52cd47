"""What makes a topic sensible as a whole: rules that no single field can see.

Each function returns the messages by field, in the reader's language; none when all is well.
"""

import math
import unicodedata
from datetime import time
from typing import Any

from django.utils.translation import gettext as _

from crawler.api.profiles import find_problems
from focusweb.plugins import by_name, plugins
from topics.rules import parameters, schedule
from topics.rules.validators import numbered_lines

Errors = dict[str, str]


def content_errors(name: str, seeds: str, queries: str) -> Errors:
    """Refuse a topic without terms, or without a place where a crawl can start."""
    errors: Errors = {}
    if not any(character.isalnum() for character in name):
        errors["name"] = _("The name needs at least one letter or digit.")
    if not numbered_lines(seeds) and not numbered_lines(queries):
        errors["seeds"] = _("Add at least one seed URL or seed query as a starting point.")
    return errors


def weight_errors(link_weight: float, content_weight: float) -> Errors:
    """Refuse weights whose sum is not 1: a score would leave [0, 1]."""
    total = link_weight + content_weight
    if math.isclose(total, 1.0, abs_tol=1e-6):
        return {}
    return {
        "content_weight": _(
            "The weights of links and content must add up to 1; they add up to %(total)s."
        )
        % {"total": round(total, 3)}
    }


def schedule_errors(kind: str, at: time | None, weekdays: str) -> Errors:
    """Refuse a schedule that never comes."""
    errors: Errors = {}
    if kind != schedule.HOURS and at is None:
        errors["at"] = _("Daily and weekly runs need a time of day, such as 08:00.")
    if kind == schedule.WEEKLY and not weekdays.strip(" ,，、"):
        errors["weekdays"] = _("Weekly runs need at least one day, such as mon.")
    return errors


def choice_errors(strategy: str, judge: str, ranker: str) -> Errors:
    """Refuse a strategy, judge or ranking that nothing offers."""
    errors: Errors = {}
    for field, value, hook in (
        ("strategy", strategy, "strategies"),
        ("judge", judge, "judges"),
        ("ranker", ranker, "rankers"),
    ):
        known = by_name(hook)
        if value not in known:
            errors[field] = _("“%(value)s” is not installed. Choose one of: %(known)s.") % {
                "value": value,
                "known": ", ".join(sorted(known)),
            }
    return errors


def parameter_errors(strategy: str, judge: str, of_strategy: Any, of_judge: Any) -> Errors:
    """Refuse settings that the strategy or the judge does not know or allow."""
    found = {
        "strategy_parameters": parameters.problems_of("strategies", strategy, of_strategy),
        "judge_parameters": parameters.problems_of("judges", judge, of_judge),
    }
    return {field: messages[0] for field, messages in found.items() if messages}


def plugin_settings_errors(given: dict[str, dict[str, Any]]) -> Errors:
    """Refuse settings of a plugin that is not loaded, or that the plugin does not allow."""
    known = plugins().with_topic_settings() if given else {}
    for name, values in given.items():
        if name not in known:
            message = _("The plugin %(name)s is not loaded, or it has no settings for a topic.")
            return {"plugin_settings": message % {"name": name}}
        for problem in find_problems(known[name], values):
            return {"plugin_settings": f"{name}: {parameters.problem_text(problem)}"}
    return {}


def term_key(text: str) -> str:
    """Return what two spellings of the same term have in common."""
    return unicodedata.normalize("NFKC", text).casefold().strip()

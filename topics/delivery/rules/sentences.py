"""A rule, and its simulation, as sentences."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from topics.delivery.rules.simulation import Simulated
from topics.models import AlertRule


def sentence_of(rule: AlertRule) -> str:
    """Return what a rule does: which pages it sends, where, and how often."""
    return " ".join((_which(rule), _where(rule), _how_often(rule)))


def simulation_sentence(look: Simulated, *, is_of_pages: bool = True) -> str:
    """What a rule would have sent in the past."""
    numbers = {"days": look.days, "count": look.n_alerts}
    if is_of_pages:
        stories = ngettext(
            "In %(days)d days, %(count)d story would have fitted.",
            "In %(days)d days, %(count)d stories would have fitted.",
            look.n_alerts,
        )
    else:
        stories = ngettext(
            "In %(days)d days this happened %(count)d time.",
            "In %(days)d days this happened %(count)d times.",
            look.n_alerts,
        )
    stories %= numbers
    cut = _("Only the best pages were looked at.") if look.is_cut else ""
    if not look.n_alerts:
        return " ".join(filter(None, (stories, cut)))
    messages = ngettext(
        "A channel would have got %(count)d message: at most %(most)d a day, %(night)d at night.",
        "A channel would have got %(count)d messages: at most %(most)d a day, %(night)d at night.",
        len(look.messages),
    ) % {"count": len(look.messages), "most": look.most_per_day, "night": look.at_night}
    return " ".join(filter(None, (stories, messages, cut)))


def _which(rule: AlertRule) -> str:
    where = rule.topic.name if rule.topic is not None else _("all topics")
    if rule.watches != AlertRule.Watches.PAGES:
        return _("%(topic)s: %(conditions)s.") % {"topic": where, "conditions": _event(rule)}
    facts = []
    if rule.min_score is not None:
        facts.append(_("score at least %(score).2f") % {"score": rule.min_score})
    if rule.term:
        facts.append(_("contains “%(term)s”") % {"term": rule.term})
    if rule.query:
        facts.append(_("fits “%(query)s”") % {"query": rule.query})
    if rule.site:
        facts.append(_("on %(site)s") % {"site": rule.site})
    if rule.not_site:
        facts.append(_("not on %(site)s") % {"site": rule.not_site})
    if rule.new_site:
        facts.append(_("on a new site"))
    if rule.language:
        facts.append(_("language %(language)s") % {"language": rule.language})
    if rule.search is not None:
        facts.append(_("found by “%(search)s”") % {"search": rule.search.name})
    if rule.within_hours is not None:
        facts.append(
            ngettext(
                "published within %(count)d hour",
                "published within %(count)d hours",
                rule.within_hours,
            )
            % {"count": rule.within_hours}
        )
    if rule.min_sites is not None:
        facts.append(_("reported by at least %(count)d sites") % {"count": rule.min_sites})
    conditions = pgettext("between words of a list", ", ").join(facts) or _("every new page")
    return _("%(topic)s: %(conditions)s.") % {"topic": where, "conditions": conditions}


def _event(rule: AlertRule) -> str:
    days = {"count": rule.after_days}
    match rule.watches:
        case AlertRule.Watches.SPIKE:
            return _("three times as many new pages on a day as usual")
        case AlertRule.Watches.SILENCE:
            text = ngettext(
                "no new page for %(count)d day", "no new page for %(count)d days", rule.after_days
            )
            return text % days
        case AlertRule.Watches.TROUBLE:
            text = ngettext(
                "no source could be visited for %(count)d day",
                "no source could be visited for %(count)d days",
                rule.after_days,
            )
            return text % days
        case _:
            return _("a starred page or a seed changed")


def _where(rule: AlertRule) -> str:
    names = [channel.name for channel in rule.channels.all()]
    if not names:
        return _("Alerts page only.")
    return _("Sent to %(channels)s.") % {
        "channels": pgettext("between words of a list", ", ").join(names)
    }


def _how_often(rule: AlertRule) -> str:
    if rule.rate == AlertRule.Rate.HOURLY:
        often = _("At most one message an hour")
    elif rule.rate == AlertRule.Rate.CAPPED:
        often = ngettext(
            "At most %(count)d message a day", "At most %(count)d messages a day", rule.max_per_day
        ) % {"count": rule.max_per_day}
    else:
        often = _("Immediately")
    if rule.quiet_from is None or rule.quiet_until is None:
        return _("%(often)s.") % {"often": often}
    return _("%(often)s; none from %(since)s to %(until)s %(zone)s.") % {
        "often": often,
        "since": f"{rule.quiet_from:%H:%M}",
        "until": f"{rule.quiet_until:%H:%M}",
        "zone": rule.zone,
    }

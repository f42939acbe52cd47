"""Why a page is here, in the reader's language.

Works on the explanation that is stored with a harvest: the parts that sum to the
score, and what the ranker and the judge saw.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from math import exp
from typing import Any, Final
from urllib.parse import unquote

import opencc
from django.utils.text import Truncator
from django.utils.translation import get_language, gettext_lazy, ngettext, pgettext
from django.utils.translation import gettext as _

from crawler.api.pages import clean_line
from crawler.api.ranking import SCORER, STUFFED, absolute_content, density_value
from topics.pages.phrases import remember_phrase, two_digits
from topics.pages.wording import words_as_written

MAX_TERMS = 5
_PART_LABELS: Final = {
    "link": gettext_lazy("Links"),
    "content": gettext_lazy("Content"),
    STUFFED: gettext_lazy("Keyword stuffing"),
    "site": gettext_lazy("Site rule"),
}
_JUDGE_NOTES = {
    "too_little": gettext_lazy("the judge has too little data"),
    "required_missing": gettext_lazy("a required term is missing"),
    "excluded_present": gettext_lazy("it has an excluded term"),
}
#: A loss that shows in a score of two digits.
LEAST_SHOWN = 0.005
#: Least change of relevance by the page's section or title that is named.
LEAST_NAMED = 0.025
#: Characters of a section's path that are shown.
MAX_PATH = 80


def why_sentence(
    explanation: Mapping[str, Any],
    *,
    terms: Sequence[tuple[str, str]] | None = None,
    new_site: bool = False,
    kept_for: str = "",
) -> str:
    """Say in one sentence why a page is here.

    Parameters
    ----------
    explanation : mapping
        As stored with the harvest; parts that are missing are left out.
    terms : sequence of tuples of str, optional
        As `matched_terms` gives them with the page's text; as the judge spells them without.
    new_site : bool, default False
        Say that its site is new.
    kept_for : str, default ""
        Why it is kept although its relevance is below the threshold.

    Returns
    -------
    str
        Plain text, not escaped.
    """
    found = found_terms(explanation) if terms is None else terms
    said = [*_terms(found), *_links(explanation), *_relevance(explanation)]
    said += [*_stuffed(explanation), *_site(explanation), *_reasons(explanation)] if said else []
    if not said:
        return _("No reason is stored for this page.")
    if kept_for:
        said.append(kept_for)
    if new_site:
        said.append(_("the site is new"))
    phrase = pgettext("between parts of a sentence", "; ").join(said)
    return _("%(sentence)s.") % {"sentence": phrase[0].upper() + phrase[1:]}


def found_terms(explanation: Mapping[str, Any], text: str = "") -> list[tuple[str, str]]:
    """Return the topic's terms found on the page, each with the concept it came through or "".

    They are spelt as `text`, the page's own, spells them.
    """
    found: dict[str, str] = {}
    for match in explanation.get("judge", {}).get("matched", ()):
        found.setdefault(str(match.get("term", "")), str(match.get("via", "") or ""))
    for term in explanation.get("content", {}).get("matched", ()):
        found.setdefault(str(term), "")
    found.pop("", None)
    words = words_as_written(text, found)
    return [(words.get(term, term), via) for term, via in found.items()]


def parts(explanation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parts that sum to the score: name, value, and the factors each is made of."""
    rows = []
    for part in explanation.get("parts", ()):
        source = explanation.get(part["name"], {})
        rows.append(
            {
                "name": part["name"],
                "label": part_label(part["name"]),
                "value": float(part["value"]),
                "factor": source.get("counted", source.get("value")),
                "weight": source.get("weight"),
            }
        )
    return rows


def is_content_current(explanation: Mapping[str, Any], relevance: float) -> bool:
    """Return whether the content counts what a page of this relevance counts by the formula.

    A page that is not kept gets another relevance, but no other score. Pages that were scored by
    an earlier formula wait to be scored again.
    """
    content = explanation.get("content", {})
    match content.get("by"):
        case "value":
            density, typical = content.get("density", 0.0), content.get("typical", 0.0)
            dense = density_value(density, typical) if typical else density_value(1, 1)
            now = absolute_content(relevance, dense)
        case "relevance":
            now = relevance
        case _:
            return True
    return abs(float(content.get("counted", now)) - now) < LEAST_SHOWN


def percentile_sentence(explanation: Mapping[str, Any]) -> str:
    """Return the percentile of a page among the kept pages; "" if the score does not use it."""
    places = _places(explanation)
    if not places:
        return ""
    said = []
    if share := _before(places["by_relevance"]):
        said.append(_("more relevant than %(share)d %% of kept pages") % {"share": share})
    else:
        share = _before(1 - places["by_relevance"])
        said.append(_("less relevant than %(share)d %% of kept pages") % {"share": share})
    if "by_density" in places:
        said.append(_density(places["by_density"]))
    return pgettext("between words of a list", ", ").join(said)


def _density(place: float) -> str:
    if share := _before(place):
        return _("denser in topic terms than %(share)d %% of them") % {"share": share}
    phrase = {"share": _before(1 - place)}
    return _("less dense in topic terms than %(share)d %% of them") % phrase


def _rank(explanation: Mapping[str, Any]) -> str:
    """Say roughly where a page stands by relevance; `percentile_sentence` gives the figures."""
    place = _places(explanation).get("by_relevance")
    if place is None:
        return ""
    share = _before(place)
    if share >= 90:
        return _("among the top tenth of this topic")
    if share >= 75:
        return _("among the top quarter of this topic")
    return _("in the upper half of this topic") if share else _("in the lower half of this topic")


def _places(explanation: Mapping[str, Any]) -> Mapping[str, float]:
    """The percentile ranks that make up the content part; empty if it is made otherwise."""
    content = explanation.get("content", {})
    if content.get("by") != "standing" or not content.get("weight"):
        return {}
    # Pages explained before density counted name one place alone.
    return content.get("places") or {"by_relevance": content["counted"]}


def _before(place: float) -> int:
    """Per cent of the pages kept that one stands before; 0 for one in the lower half."""
    # A page is one of those kept itself, so it is before all only of the others.
    return min(round(100 * place), 99) if place >= 0.5 else 0


@remember_phrase
def part_label(name: str) -> str:
    """Return what a part of the score is called."""
    return str(_PART_LABELS.get(name) or name.removeprefix(SCORER))


def judge_note(explanation: Mapping[str, Any]) -> str:
    """Return what the judge says of itself; a note of a plugin's own is shown as it stands."""
    note = str(explanation.get("judge", {}).get("note", "") or "")
    return str(_JUDGE_NOTES.get(note, note))


def section_sentence(explanation: Mapping[str, Any]) -> str:
    """Say what the section of the page's site changed of its relevance; "" if too little."""
    section = _section(explanation)
    if not section:
        return ""
    figures = {
        "count": section["n_pages"],
        "path": _shown_path(section),
        "mean": two_digits(section["mean"]),
        "mean_of_all": two_digits(section["mean_of_all"]),
    }
    if section["change"] > 0:
        phrase = _(
            "By their text, the %(count)d pages in %(path)s have a mean relevance of %(mean)s,"
            " and all pages of the topic %(mean_of_all)s. So the judge's relevance was raised."
        )
    else:
        phrase = _(
            "By their text, the %(count)d pages in %(path)s have a mean relevance of %(mean)s,"
            " and all pages of the topic %(mean_of_all)s. So the judge's relevance was lowered."
        )
    return phrase % figures


def _section(explanation: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the section of the page's site changed, if that can be seen; else empty."""
    judge = explanation.get("judge", {})
    section = judge.get("section") or {}
    return section if _is_seen(judge, section) else {}


def title_sentence(explanation: Mapping[str, Any]) -> str:
    """Say what the page's title raised of its relevance; "" if nothing that can be seen."""
    kind = _kind(explanation)
    if not kind:
        return ""
    phrase = _(
        "Its title names the same kind of thing as the examples or the topic's name: %(kind)s. So"
        " the judge's relevance was raised."
    )
    return phrase % {"kind": kind}


def _kind(explanation: Mapping[str, Any]) -> str:
    """The kind of thing for whose name the page's relevance was raised; "" if that is not seen."""
    judge = explanation.get("judge", {})
    title = judge.get("title") or {}
    if not _is_seen(judge, title):
        return ""
    language = get_language() or ""
    kind, chinese_kind = str(title["kind"]), str(title["chinese_kind"])
    if not chinese_kind or not language.startswith("zh"):
        return kind
    if language == "zh-hant":
        chinese_kind = str(_to_traditional().convert(chinese_kind))
    return chinese_kind


@cache
def _to_traditional() -> opencc.OpenCC:
    """Make the converter to the characters and words of Taiwan, which 繁體中文 has."""
    return opencc.OpenCC("s2twp")


def _is_seen(judge: Mapping[str, Any], effect: Mapping[str, Any]) -> bool:
    """True if the change of log-odds that an effect made shows in the judge's relevance."""
    relevance, change = float(judge.get("relevance", 0.0)), float(effect.get("change", 0.0))
    # As it would be without the change of its log-odds: those of a sure page hardly show.
    without = relevance / (relevance + (1 - relevance) * exp(change))
    return abs(relevance - without) >= LEAST_NAMED


def _shown_path(section: Mapping[str, Any]) -> str:
    """A section's path as a person reads it; not every encoding of a path is known."""
    try:
        path = unquote(section["path"], errors="strict")
    except UnicodeDecodeError:
        path = section["path"]
    return str(Truncator(clean_line(path, len(path))).chars(MAX_PATH))


def _by_section(explanation: Mapping[str, Any]) -> str:
    section = _section(explanation)
    if not section:
        return ""
    path = {"path": _shown_path(section)}
    if section["change"] > 0:
        return _("raised because pages in %(path)s tend to be more relevant") % path
    return _("lowered because pages in %(path)s tend to be less relevant") % path


def _by_title(explanation: Mapping[str, Any]) -> str:
    kind = _kind(explanation)
    if not kind:
        return ""
    return _("raised because its title names the same kind of thing as the examples (%(kind)s)") % {
        "kind": kind
    }


def _terms(terms: Sequence[tuple[str, str]]) -> list[str]:
    shown = [
        _("%(term)s (via %(concept)s)") % {"term": term, "concept": via} if via else term
        for term, via in terms[:MAX_TERMS]
    ]
    if not shown:
        return []
    joined = pgettext("between words of a list", ", ").join(shown)
    return [_("mentions %(terms)s") % {"terms": joined}]


def _links(explanation: Mapping[str, Any]) -> list[str]:
    if "link" not in explanation:
        return []
    count = int(explanation["link"].get("n_sites", 0))
    return [_recent_links(count) if explanation["link"].get("recent") else _all_links(count)]


@remember_phrase
def _all_links(count: int) -> str:
    if count == 0:
        return _("no link from another site counts yet")
    phrase = ngettext("%(count)d site links to it", "%(count)d sites link to it", count)
    return phrase % {"count": count}


@remember_phrase
def _recent_links(count: int) -> str:
    if count == 0:
        return _("no link from another site counts this month")
    phrase = ngettext(
        "%(count)d site linked to it this month", "%(count)d sites linked to it this month", count
    )
    return phrase % {"count": count}


def _stuffed(explanation: Mapping[str, Any]) -> list[str]:
    """Only where it costs a noticeable part of the score."""
    lost = -sum(row["value"] for row in explanation.get("parts", ()) if row["name"] == STUFFED)
    if lost < LEAST_SHOWN:
        return []
    phrase = {"lost": two_digits(lost)}
    return [_("score reduced by %(lost)s for keyword stuffing") % phrase]


def _site(explanation: Mapping[str, Any]) -> list[str]:
    rule = explanation.get("site", {}).get("rule")
    if rule not in ("raise", "lower"):
        return []
    return [_("its site was raised") if rule == "raise" else _("its site was lowered")]


def _reasons(explanation: Mapping[str, Any]) -> list[str]:
    """What scorers of plugins say, in their own words."""
    names = [row["name"] for row in explanation.get("parts", ())]
    return [explanation[name]["reason"] for name in names if name.startswith(SCORER)]


def _relevance(explanation: Mapping[str, Any]) -> list[str]:
    judge = explanation.get("judge", {})
    if "relevance" not in judge:
        return []
    phrase = {name: two_digits(judge.get(name, 0.0)) for name in ("relevance", "threshold")}
    said = [_("relevance %(relevance)s (threshold %(threshold)s)") % phrase]
    more = _by_section(explanation), _by_title(explanation), _rank(explanation)
    return [*said, *filter(None, [*more, judge_note(explanation)])]

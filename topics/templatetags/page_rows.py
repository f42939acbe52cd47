"""What a list says of a page, as HTML: title, extract, badges and reasons.

It is made here and not by templates, which took three quarters of the time of a row.
"""

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from itertools import accumulate

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from crawler.api.tables import Harvest, Page
from topics.models import Topic
from topics.pages import explain
from topics.pages.opening import open_address
from topics.pages.phrases import remember_phrase, two_digits
from topics.pages.rows import ShownPage, page_words
from topics.search.snippet import Fragment
from topics.templatetags.html_format import fill, fill_each, spoken
from topics.templatetags.row_forms import NUMBER

register = template.Library()

#: Pages of the same story that are named.
MAX_ALSO = 5
#: Width of the score bar in its own units; one unit is one per cent.
BAR = 100
#: Addresses with more of a page.
_PARTS = ("page_detail", "page_path", "page_preview")
NOTHING = SafeString("")


@register.filter
def fragment_html(fragment: Fragment) -> SafeString:
    """Return a piece of a page's text, with its marks."""
    said = "".join(
        f"<mark>{escape(piece.text)}</mark>" if piece.is_marked else escape(piece.text)
        for piece in fragment.pieces
    )
    begins, ends = "… " if fragment.starts_inside else "", " …" if fragment.ends_inside else ""
    return mark_safe(f"{begins}{said}{ends}")  # noqa: S308


def page_head(page: ShownPage) -> SafeString:
    """Return the heading of a row: the title, which opens the page, and what kind of page it is."""
    stored = page.harvest.page
    link = fill(
        '<a href="{}" rel="noopener noreferrer" data-open{}>{}</a>',
        page.opens,
        _language(stored),
        page.title,
    )
    return fill("<h3>{}{}</h3>", link, kind_marks(stored))


def kind_marks(page: Page) -> SafeString:
    """What kind of page it is, if it is not an article."""
    if not page.flags:
        return NOTHING
    pdf = fill(' <span class="mark">{}</span>', _("PDF")) if page.is_pdf else NOTHING
    if page.has_article:
        return pdf
    return fill('{} <span class="mark">{}</span>', pdf, _("front page or list"))


def page_body(topic: Topic, page: ShownPage) -> SafeString:
    """The rest of a row that its page alone decides: extract, badges, reason, other sites."""
    return fill(
        '{}<div class="badges">{} {} {}</div>{}',
        _snippet(page),
        fill('<span class="mark new">{}</span>', _("new site")) if page.new_site else "",
        fill_each(" ", "<span>{}</span>", ((badge,) for badge in page.badges)),
        _reason(topic, page),
        also_line(page.also),
    )


@register.filter
def also_line(also: Sequence[Harvest]) -> SafeString:
    """Return the other pages of a story."""
    if not also:
        return NOTHING
    links = fill_each(
        pgettext("between words of a list", ", "),
        '<a href="{}" rel="noopener noreferrer">{}</a>',
        ((open_address(one.url.url), one.url.site.name) for one in also[:MAX_ALSO]),
    )
    more = _("and %(more)s more") % {"more": len(also) - MAX_ALSO} if len(also) > MAX_ALSO else ""
    return fill('<p class="also">{} {} {}</p>', _("Also at"), links, more)


def found_score(harvest: Harvest) -> str:
    """Return the score of a page that was found, in words."""
    return _score_phrase(two_digits(harvest.score))


@remember_phrase
def _score_phrase(digits: str) -> str:
    return _("score %(score)s") % {"score": digits}


@register.simple_tag
def reason_details(
    topic: Topic | None, harvest: Harvest, title: object, why: str = ""
) -> SafeString:
    """Return the reason of a page and its score as a bar, behind a button."""
    digits = two_digits(harvest.score)
    if topic is None:
        score: str = digits
    else:
        address = _addresses(topic.slug)[0].replace(str(NUMBER), str(harvest.pk))
        link = '<a href="{}#score" title="{}">{}</a>'
        score = fill(link, address, _("Score details"), digits)
    form = '<details class="why">{}<p>{}</p><div class="score broad">{}{}</div></details>'
    return fill(form, _button(title), why or _why_found(harvest), score, score_bar(harvest))


def _button(title: object) -> SafeString:
    """What opens the reason of a page."""
    return fill(_button_form(), title)


@remember_phrase
def _button_form() -> str:
    label, button = spoken(_("why? %(title)s"), title="{0}"), spoken(_("why?"))
    return f'<summary aria-label="{label}">{button}</summary>'


def _why_found(harvest: Harvest) -> str:
    terms = explain.found_terms(harvest.explanation, page_words(harvest))
    return explain.why_sentence(harvest.explanation, terms=terms)


@register.simple_tag
def score_bar(harvest: Harvest) -> SafeString:
    """Return the score as a bar whose pieces are the parts that sum to it."""
    parts = [part for part in explain.parts(harvest.explanation) if part["value"] > 0]
    # A part that takes away makes the others shorter, so that the bar is as long as the score.
    total = sum(part["value"] for part in parts)
    shrink = BAR * min(1.0, harvest.score / total) if total else BAR
    ends = accumulate(part["value"] * shrink for part in parts)
    pieces = (
        (part["name"], f"{end - part['value'] * shrink:.2f}", f"{part['value'] * shrink:.2f}")
        for part, end in zip(parts, ends, strict=True)
    )
    return fill(
        '<svg class="bar" viewBox="0 0 {0} 8" preserveAspectRatio="none" role="img" '
        'aria-label="{1}"><rect class="ground" x="0" y="0" width="{0}" height="8"/>{2}</svg>',
        BAR,
        _of_one(two_digits(harvest.score)),
        fill_each("", '<rect class="{}" x="{}" y="0" width="{}" height="8"/>', pieces),
    )


@remember_phrase
def _of_one(digits: str) -> str:
    return _("score %(value)s of 1") % {"value": digits}


def _language(page: Page) -> SafeString:
    return fill(' lang="{}"', page.language) if page.language else NOTHING


def _snippet(page: ShownPage) -> SafeString:
    if not page.extract.pieces:
        return NOTHING
    language, text = _language(page.harvest.page), fragment_html(page.extract)
    return fill('<p class="snippet"{}>{}</p>', language, text)


def _reason(topic: Topic, page: ShownPage) -> SafeString:
    """The reason, the parts of the score and the way to the page, behind a button."""
    score, number = page.harvest.score, str(page.harvest.pk)
    details, path, preview = (
        address.replace(str(NUMBER), number) for address in _addresses(topic.slug)
    )
    parts = "".join(
        f"<div>{_part(part['label'], part['value'], part['name'])}</div>"
        for part in explain.parts(page.harvest.explanation)
    )
    return fill(
        _reason_form(topic.is_shared),
        button=_button(page.title),
        why=page.why,
        parts=mark_safe(parts),  # noqa: S308  # `_part` escapes
        bar=f"{score:.3f}",
        details=details,
        digits=two_digits(score),
        path=path,
        preview=preview,
    )


@remember_phrase
def _reason_form(is_shared: bool) -> str:
    """The form of a reason in the reader's language. Who only reads a topic rates no page."""
    score, title, found = _("Score"), _("Score details"), _("How it was found")
    phrase = spoken(_("What a rating would change"))
    foreseen = (
        '<p class="foreseen"><a href="{preview}" hx-get="{preview}" '
        f'hx-target="closest .foreseen" hx-swap="outerHTML">{phrase}</a></p>'
    )
    return f"""<details class="why">{{button}}
<p>{{why}}</p>
<dl class="parts">{{parts}}<div class="sum"><dt>{spoken(score)}</dt>
<dd><meter min="0" max="1" value="{{bar}}" aria-hidden="true"></meter>
<a href="{{details}}#score" title="{spoken(title)}">{{digits}}</a></dd></div></dl>
<p class="path"><a href="{{details}}#panels" hx-get="{{path}}"
hx-trigger="toggle from:closest details once" hx-target="closest .path"
hx-swap="outerHTML">{spoken(found)}</a></p>
{"" if is_shared else foreseen}</details>"""


def _part(label: str, value: float, name: str) -> str:
    """One part of the score; one that takes away has no bar."""
    bar = ""
    if value >= 0:
        bar = (
            f'<meter class="{escape(name)}" min="0" max="1" value="{value:.3f}" aria-hidden="true">'
        )
        bar += "</meter>"
    return f"<dt>{escape(label)}</dt><dd>{bar} {two_digits(value)}</dd>"


@lru_cache(maxsize=1000)
def _addresses(slug: str) -> list[str]:
    """The addresses of parts of a row, with `NUMBER` for the number of the page."""
    return [reverse(name, args=[slug, NUMBER]) for name in _PARTS]

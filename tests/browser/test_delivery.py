"""Digest and alert pages in a real browser."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from crawler.models import Harvest, Run, Story
from tests.browser.conftest import Window
from tests.topics.factories import Scene, prove
from topics.delivery import alerts, ledger
from topics.models import Digest, DigestIssue

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

Open = Callable[..., Window]


@pytest.fixture
def with_news(scene: Scene) -> Scene:
    """Ann's topic with a digest of two issues, news for a third, and alerts."""
    prove(scene.topic.owner, "ann@reader.test")
    Run.objects.update(ended=scene.now - timedelta(days=3))
    alerts.set_score(scene.topic, 0.38, scene.now - timedelta(days=1))
    for harvest in Harvest.objects.all():
        harvest.story = Story.objects.create(crawl=scene.crawl, first_seen=scene.now)
        harvest.save()
    alerts.fire_all(scene.now)
    digest = Digest(topic=scene.topic, at=scene.now.time(), zone="Asia/Shanghai", max_items=1)
    digest.covered_until = scene.now - timedelta(days=1)
    digest.next_due = scene.now
    digest.save()
    ledger.process_digest(digest.pk, timezone.now)
    issue = digest.issues.get()
    DigestIssue.objects.create(
        digest=digest,
        local_date=issue.local_date - timedelta(days=1),
        slot=issue.slot,
        covers_from=issue.covers_from,
        covers_until=issue.covers_from,
        attempts=1,
        created=scene.now - timedelta(days=1),
        ended=scene.now - timedelta(days=1),
        state=DigestIssue.State.UNCERTAIN,
        recipient="ann@reader.test",
        message=issue.message,
        subject=issue.subject,
        problem="Connection unexpectedly closed",
    )
    return scene


def paths() -> list[str]:
    issue = DigestIssue.objects.get(state="uncertain")
    return [
        "/topics/chips/digest/",
        "/topics/chips/digest/preview/",
        f"/topics/chips/digest/{issue.pk}/",
        "/alerts/",
        "/topics/chips/alerts/",
    ]


@pytest.mark.parametrize(
    ("locale", "width", "scheme"),
    [("en-GB", 1100, "light"), ("zh-CN", 1100, "dark"), ("zh-CN", 360, "light")],
)
def test_the_pages_of_delivery_are_quiet_and_fit(
    window: Open, with_news: Scene, tmp_path: Path, locale: str, width: int, scheme: str
) -> None:
    if locale == "zh-CN":
        Digest.objects.update(language="zh-hans")
    reader = window(locale, width, scheme)
    reader.sign_in()
    for number, path in enumerate(paths()):
        reader.open(path)
        reader.page.wait_for_load_state("networkidle")
        reader.page.screenshot(path=str(tmp_path / f"{number}.png"), full_page=True)
        assert not reader.page.evaluate(
            "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        ), path


def test_the_mail_is_seen_in_the_page(window: Open, with_news: Scene) -> None:
    reader = window()
    reader.sign_in()
    reader.open("/topics/chips/digest/preview/")
    mail = reader.page.frame_locator("iframe.mail")
    expect(mail.locator("h1")).to_contain_text("Computing 计算机")
    expect(mail.get_by_role("link", name="智能电网调度")).to_be_visible()
    assert mail.locator("h1").evaluate("e => getComputedStyle(e).fontSize") == "24px"


def test_an_alert_is_marked_as_seen(window: Open, with_news: Scene) -> None:
    reader = window()
    reader.sign_in()
    reader.open("/alerts/")
    expect(reader.page.locator("nav .mark")).to_have_text("2 new")
    reader.page.get_by_role("button", name="Seen", exact=True).first.click()
    expect(reader.page.locator("nav .mark")).to_have_text("1 new")
    reader.page.get_by_role("button", name="Mark these as seen").click()
    expect(reader.page.locator("nav .mark")).to_have_count(0)


@pytest.mark.parametrize(("locale", "language"), [("en-GB", "zh-hans"), ("zh-CN", "en")])
def test_a_digest_is_looked_at_before_it_is_saved(
    window: Open, scene: Scene, locale: str, language: str
) -> None:
    reader = window(locale, 390)
    reader.sign_in()
    reader.open("/topics/chips/digest/")
    reader.page.select_option("#id_language", language)
    reader.page.click("button[name=look]")
    expect(reader.page.locator("#look")).to_be_in_viewport()
    mail = reader.page.frame_locator("iframe.mail")
    expect(mail.locator("html")).to_have_attribute(
        "lang", "zh-Hans" if language == "zh-hans" else "en"
    )
    assert not Digest.objects.exists()
    reader.page.locator("main form button.main").click()
    expect(reader.page.locator(".answers")).to_be_visible()
    assert Digest.objects.get().language == language


def test_a_form_on_its_way_says_so_and_is_not_sent_twice(window: Open, scene: Scene) -> None:
    reader = window()
    reader.sign_in()
    reader.open("/topics/chips/digest/")
    # What would be sent is counted and held back, so that the page stays.
    reader.page.evaluate("""() => {
        window.sent = 0;
        window.addEventListener("submit", (event) => {
            if (!event.defaultPrevented) window.sent += 1;
            event.preventDefault();
        });
    }""")
    button = reader.page.locator("main form button.main")
    button.click()
    expect(button).to_have_attribute("aria-busy", "true")
    expect(button).to_have_css("cursor", "progress")
    button.click()
    assert reader.page.evaluate("window.sent") == 1
    reader.page.evaluate("window.dispatchEvent(new Event('pageshow'))")  # by the back button
    button.click()
    assert reader.page.evaluate("window.sent") == 2


def test_a_digest_is_set_up_in_chinese(window: Open, scene: Scene) -> None:
    reader = window("zh-CN")
    reader.sign_in()
    reader.open("/topics/chips/digest/")
    reader.page.fill("#id_zone", "Asia/Shanghai")
    reader.page.locator("main form button.main").click()
    expect(reader.page.locator(".message")).to_have_text("已保存。")
    expect(reader.page.locator(".answers")).to_contain_text("08:00 Asia/Shanghai (00:00 UTC)")
    assert Digest.objects.get().language == "zh-hans"


@pytest.mark.parametrize(
    ("own", "shown"),
    [("Asia/Shanghai", "Asia/Shanghai"), ("UTC", "UTC"), ("Etc/GMT+8", "UTC")],
)
def test_a_new_digest_comes_by_the_browsers_clock(
    window: Open, scene: Scene, own: str, shown: str
) -> None:
    reader = window()
    reader.sign_in()
    session = reader.page.context.new_cdp_session(reader.page)
    session.send("Emulation.setTimezoneOverride", {"timezoneId": own})
    reader.open("/topics/chips/digest/")
    expect(reader.page.locator("#id_zone")).to_have_value(shown)

"""What a digest holds besides pages, each thing in one issue; pauses and minimum numbers."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import F

from crawler.models import Harvest
from crawler.models.web import pack_text
from tests.topics.delivery.issues import (
    DAY,
    change_of,
    digest_of,
    lines_of,
    news,
    titles_of,
    work,
)
from tests.topics.delivery.post_office import PostOffice
from tests.topics.delivery.rules_and_channels import MINUTE, rule_of
from tests.topics.factories import NOON, Scene, explanation, prove, scene_of
from topics.changes.watching import store_changes
from topics.delivery import ledger
from topics.delivery.alerts import fire_all, set_score
from topics.delivery.digest_extras import parts_of, restored
from topics.delivery.mail_preview import mail_parts, preview_digest
from topics.delivery.plan import save_digest, switch_off
from topics.delivery.rules.firing import fire_rules
from topics.models import (
    Alert,
    AlertMatch,
    Digest,
    DigestIssue,
    Reading,
    RuleEvent,
)

HOUR = timedelta(hours=1)
State = DigestIssue.State


def alert_of(scene: Scene, row: Harvest, fired: datetime) -> Alert:
    values: dict[str, Any] = {"score": 0.8, "needed": 0.5, "fired": fired}
    return Alert.objects.create(topic=scene.topic, harvest=row, story=row.story, **values)


def work_for_hours(digest: Digest, since: datetime) -> DigestIssue:
    """The newest issue after so long that one that is refused has failed."""
    for hours in range(12):
        issue = work(digest, since + hours * HOUR)
    assert issue is not None
    return issue


def text_of(issue: DigestIssue | None) -> str:
    assert issue is not None
    return mail_parts(bytes(issue.message)).text


def test_a_change_alone_makes_an_issue_and_comes_once(scene: Scene) -> None:
    digest = digest_of(scene)
    change_of(scene, NOON - HOUR)

    first = work(digest, NOON)
    second = work(digest, NOON + DAY)

    assert first is not None and second is not None
    assert first.subject == "Computing 计算机: 1 watched page changed"
    assert "Price [－10] [＋12 euros]" in text_of(first)
    assert "Nothing new" not in text_of(first)
    assert second.state == State.EMPTY


def test_a_change_does_not_come_again_when_an_issue_that_failed_fails_once_more(
    scene: Scene, post: PostOffice
) -> None:
    digest, owner = digest_of(scene), scene.topic.owner
    change_of(scene, NOON - HOUR)
    prove(owner, "unknown@reader.test")
    failed = work_for_hours(digest, NOON)
    assert failed.state == State.FAILED
    prove(owner, "ann@reader.test")
    told = work(digest, NOON + DAY)
    assert told is not None and told.state == State.SENT

    prove(owner, "unknown@reader.test")
    assert ledger.send_again(failed)
    work_for_hours(digest, NOON + DAY + HOUR)
    prove(owner, "ann@reader.test")
    after = work(digest, NOON + 2 * DAY)

    assert after is not None
    assert (after.state, after.covers_from) == (State.EMPTY, told.covers_until)


def test_a_preview_shows_a_change_alone_and_no_example(scene: Scene) -> None:
    digest = digest_of(scene)
    news(scene, "Known", baseline=True)
    change_of(scene, NOON - HOUR)

    look = preview_digest(digest, NOON)

    assert (look.n_news, look.is_example) == (1, False)
    assert "Changes of watched pages" in look.mail.text


def test_of_several_changes_of_a_page_the_latest_is_shown(scene: Scene) -> None:
    row = news(scene, "Portal", baseline=True)
    change_of(scene, NOON - 2 * HOUR, row)
    latest = change_of(scene, NOON - HOUR, row)
    change_of(scene, NOON - 30 * HOUR)

    (part,) = parts_of(digest_of(scene), [], NOON - DAY, NOON)

    assert [line.url.rpartition("/changes/")[2] for line in part.lines] == [f"{latest.pk}/"]


def test_changes_that_found_no_place_are_counted(scene: Scene) -> None:
    digest = digest_of(scene)
    for number in range(7):
        row = news(scene, f"Portal {number}", first_seen=NOON - 60 * DAY, baseline=True)
        change_of(scene, NOON - HOUR, row)

    issue = work(digest, NOON)

    assert issue is not None
    assert issue.subject == "Computing 计算机: 7 watched pages changed"
    *shown, more = lines_of(restored(issue.besides), "changes")
    assert (len(shown), more) == (5, "2 more changed pages")
    assert f"/topics/{scene.topic.slug}/changes/\r\n" in text_of(issue)


def test_an_alert_whose_page_is_in_the_mail_is_not_named_twice(scene: Scene) -> None:
    digest = digest_of(scene, max_items=1)
    best, other = news(scene, "Best", score=0.9), news(scene, "Other", score=0.8)
    for row in (best, other):
        alert_of(scene, row, NOON - HOUR)
    alert_of(scene, news(scene, "Long ago", score=0.1), NOON - 2 * DAY)

    issue = work(digest, NOON)

    assert titles_of(issue) == ["Best"]
    assert issue is not None
    assert lines_of(restored(issue.besides), "alerts") == ["Other"]


def test_events_of_rules_stand_among_the_alerts(scene: Scene) -> None:
    facts = {"days": 7, "since": NOON.isoformat(), "visited": ""}
    rule = scene.topic.owner.alert_rules.create(name="Quiet", begins=NOON, created=NOON)
    times = {"happened": NOON - HOUR, "fired": NOON - HOUR}
    RuleEvent.objects.create(
        rule=rule, topic=scene.topic, key="a", kind="silence", facts=facts, **times
    )

    parts = parts_of(digest_of(scene, language="zh-hans"), [], NOON - DAY, NOON)

    assert lines_of(parts, "alerts") == ["Computing 计算机：连续 7 天没有新网页"]


def event_of(scene: Scene, moment: datetime) -> RuleEvent:
    """A silence that a rule noted."""
    facts = {"days": 7, "since": NOON.isoformat(), "visited": ""}
    rule, times = rule_of(scene, watches="silence"), {"happened": moment, "fired": moment}
    values = {"rule": rule, "topic": scene.topic, "kind": "silence", "facts": facts}
    return RuleEvent.objects.create(key=str(moment), **values, **times)


def test_an_event_in_the_time_of_an_empty_issue_comes_with_the_next_mail(scene: Scene) -> None:
    digest = digest_of(scene)
    event_of(scene, NOON - HOUR)
    empty = [work(digest, NOON + days * DAY) for days in range(2)]
    news(scene, first_seen=NOON + DAY + HOUR)
    mail, after = work(digest, NOON + 2 * DAY), work(digest, NOON + 3 * DAY)

    assert [issue.state for issue in empty if issue] == [State.EMPTY] * 2
    assert mail is not None and after is not None
    assert len(lines_of(restored(mail.besides), "alerts")) == 1
    assert lines_of(restored(after.besides), "alerts") == []


def test_an_event_while_a_digest_was_off_does_not_come_when_it_is_on_again(scene: Scene) -> None:
    digest = digest_of(scene)
    work(digest, NOON)
    switch_off(Digest.objects.all(), NOON)
    event_of(scene, NOON + HOUR)
    digest.refresh_from_db()
    digest.active = True
    save_digest(digest, NOON + 2 * HOUR)
    news(scene, first_seen=NOON + 3 * HOUR)

    issue = work(digest, NOON + DAY)

    assert issue is not None and issue.state == State.FILED
    assert lines_of(restored(issue.besides), "alerts") == []


def test_events_that_found_no_place_are_counted_as_more_alerts(scene: Scene) -> None:
    news(scene, "In the mail")
    rule = rule_of(scene, watches="silence")
    for number in range(12):
        RuleEvent.objects.create(
            rule=rule,
            topic=scene.topic,
            key=f"silence-{number}",
            kind="silence",
            facts={"days": 9, "since": NOON.isoformat(), "visited": ""},
            happened=NOON - HOUR,
            fired=NOON - HOUR,
        )

    text = text_of(work(digest_of(scene), NOON))

    assert text.count("no new page for 9 days") == 10
    assert "2 more alerts" in text


def test_a_term_rises_with_twice_its_share_of_the_weeks_before(scene: Scene) -> None:
    def pages(count: int, days: float, *terms: str) -> None:
        for _ in range(count):
            said = explanation() | {"content": {"matched": list(terms)}, "judge": {"matched": []}}
            news(scene, first_seen=NOON - days * DAY, explanation=said)

    pages(3, 0.5, "cache", "bus")
    pages(1, 0.5, "bus")
    pages(2, 9, "cache", "bus")
    pages(10, 9, "bus")
    pages(2, 40, "cache")

    (part,) = parts_of(digest_of(scene), [], NOON - DAY, NOON)

    assert [(line.text, line.detail) for line in part.lines] == [
        ("cache", "Computing 计算机: on 3 of 4 new pages, before on 2 of 12")
    ]
    assert part.lines[0].url.endswith("/topics/chips/?term=cache")


def test_topics_without_a_page_are_named_in_one_line(scene: Scene, ann: User) -> None:
    quiet, never = scene_of(ann, "grid"), scene_of(ann, "never")
    for one, name in ((quiet, "Grid"), (never, "Wind")):
        one.topic.name = name
        one.topic.save()
    news(quiet, first_seen=NOON - 9 * DAY, published=NOON - 60 * DAY)
    digest = digest_of(scene)
    digest.also_topics.set([quiet.topic, never.topic])
    news(scene)

    issue = work(digest, NOON)

    assert "Grid (last new page 2026-04-22), Wind (no new page yet)" in text_of(issue)


def test_parts_that_are_not_wanted_are_left_out(scene: Scene) -> None:
    change_of(scene, NOON - HOUR)

    issue = work(digest_of(scene, besides="terms"), NOON)

    assert issue is not None
    assert (issue.state, issue.besides) == (State.EMPTY, [])


def test_too_few_pages_wait_for_more(scene: Scene) -> None:
    digest = digest_of(scene, min_items=3)
    news(scene, "First")
    first = work(digest, NOON)
    news(scene, "Second", first_seen=NOON + HOUR)
    second = work(digest, NOON + DAY)
    news(scene, "Third", first_seen=NOON + DAY + HOUR)
    third = work(digest, NOON + 2 * DAY)

    assert first is not None and second is not None and third is not None
    assert [first.state, second.state, third.state] == [State.HELD, State.HELD, State.FILED]
    assert sorted(titles_of(third)) == ["First", "Second", "Third"]
    assert third.covers_from == first.covers_from


def test_pages_do_not_wait_for_more_than_a_week(scene: Scene) -> None:
    scene.topic.fresh_days = 30
    scene.topic.save()
    digest = digest_of(scene, min_items=3)
    news(scene, "First")

    issues = [work(digest, NOON + days * DAY) for days in range(9)]

    assert [issue.state for issue in issues[:7] if issue] == [State.HELD] * 6 + [State.FILED]
    assert [titles_of(issue) for issue in issues] == [[]] * 6 + [["First"]] + [[]] * 2


def test_a_preview_says_that_pages_wait_only_while_they_do(scene: Scene) -> None:
    digest = digest_of(scene, min_items=3)
    news(scene)
    assert preview_digest(digest, NOON).is_held
    digest.covered_until = NOON - 7 * DAY
    assert not preview_digest(digest, NOON).is_held


def test_a_pause_ends_with_one_issue_that_covers_it(scene: Scene) -> None:
    digest = digest_of(scene, paused_until=date(2026, 5, 6))
    digest.plan_next(NOON)
    digest.save()
    news(scene, "During")

    assert all(work(digest, NOON + days * DAY) is None for days in range(4))
    # Eight in Shanghai on the sixth.
    assert digest.next_due == datetime(2026, 5, 6, 0, tzinfo=NOON.tzinfo)
    issue = work(digest, NOON + 5 * DAY)

    assert titles_of(issue) == ["During"]
    assert "This issue covers" in text_of(issue)


@pytest.mark.parametrize("by_rule", [False, True])
def test_an_alert_that_is_stored_after_an_issue_comes_with_the_next(
    scene: Scene, by_rule: bool
) -> None:
    digest, rule = digest_of(scene, max_items=1), rule_of(scene, active=by_rule)
    set_score(scene.topic, None if by_rule else 0.5, NOON - DAY)
    work(digest, NOON)
    for title, score in (("Best", 0.9), ("Other", 0.8)):
        news(scene, title, score=score)

    # The round began before the issue was made.
    fire_all(NOON - MINUTE, clock=lambda: NOON + MINUTE)
    fire_rules(NOON - MINUTE, clock=lambda: NOON + MINUTE)
    issue = work(digest, NOON + DAY)

    assert issue is not None
    assert lines_of(restored(issue.besides), "alerts") == ["Other"]
    assert AlertMatch.objects.filter(rule=rule, matched=F("alert__fired")).count() == 2 * by_rule


def test_an_event_that_is_stored_after_an_issue_comes_with_the_next(scene: Scene) -> None:
    digest = digest_of(scene)
    rule_of(scene, watches="silence", after_days=1, begins=NOON - 2 * DAY)
    scene.crawl.runs.update(started=NOON - 4 * DAY, ended=NOON - 3 * DAY)
    work(digest, NOON)

    fire_rules(NOON - MINUTE, clock=lambda: NOON + MINUTE)
    issue = work(digest, NOON + DAY)

    assert issue is not None
    assert len(lines_of(restored(issue.besides), "alerts")) == 1


def test_a_change_that_is_stored_after_an_issue_comes_with_the_next(scene: Scene) -> None:
    digest, row = digest_of(scene), news(scene, "Starred", first_seen=NOON - 60 * DAY)
    times = {"starred": NOON - DAY, "changed": NOON - DAY}
    Reading.objects.create(user=scene.topic.owner, topic=scene.topic, url=row.url, **times)
    store_changes(NOON - HOUR)
    row.page.packed_text = pack_text("Another line failed near the coast this morning.")
    row.page.content_hash = "changed"
    row.page.save()
    work(digest, NOON)

    store_changes(NOON - MINUTE, clock=lambda: NOON + MINUTE)
    issue = work(digest, NOON + DAY)

    assert issue is not None
    assert lines_of(restored(issue.besides), "changes") == ["Starred"]

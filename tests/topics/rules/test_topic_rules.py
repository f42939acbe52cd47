"""Bad input gets a sentence at the right field, and nothing is saved."""

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import Model

from topics.models import Topic, TopicTerm

GOOD = {"name": "Chips", "slug": "chips", "seeds": "https://a.test/"}


def complaints(row: Model, leave_out: str = "") -> dict[str, list[str]]:
    with pytest.raises(ValidationError) as caught:
        row.full_clean(exclude=[leave_out])
    return dict(caught.value.message_dict)


# what is wrong, the field that must say so, a part of what it says
BAD_TOPICS = [
    ({"name": ""}, "name", "blank"),
    ({"name": "!!!"}, "name", "at least one letter or digit"),
    ({"seeds": ""}, "seeds", "Add at least one seed URL"),
    ({"seeds": "  \n \n"}, "seeds", "Add at least one seed URL"),
    ({"seeds": "https://a.test/\nftp://b.test/"}, "seeds", "Line 2: not an http or https URL"),
    ({"seeds": "\njavascript:alert(1)"}, "seeds", "Line 2: not an http or https URL"),
    ({"seeds": "https://user:pw@a.test/"}, "seeds", "Line 1: not an http or https URL"),
    ({"seeds": "https://a.test:22/"}, "seeds", "Line 1: allowed ports"),
    ({"seeds": "https://a.test/" + "x" * 3000}, "seeds", "Line 1: the URL is too long"),
    ({"seeds": "https://a.test/\n" * 501}, "seeds", "501 URLs are too many"),
    ({"queries": "x" * 201}, "queries", "at most 200 characters"),
    ({"queries": "cpu\n\ncache\x07"}, "queries", "Line 3: contains an invisible"),
    ({"languages": "zh, english"}, "languages", "“english” is not a language code"),
    ({"zone": "Mars/Olympus"}, "zone", "“Mars/Olympus” is not a time zone"),
    ({"zone": "../../etc/passwd"}, "zone", "is not a time zone"),
    ({"schedule_kind": "hourly"}, "schedule_kind", "not a valid choice"),
    ({"schedule_kind": "daily"}, "at", "need a time of day"),
    ({"schedule_kind": "weekly", "weekdays": "mon"}, "at", "need a time of day"),
    ({"schedule_kind": "weekly", "at": "08:00"}, "weekdays", "at least one day"),
    ({"schedule_kind": "weekly", "at": "08:00", "weekdays": ", ,"}, "weekdays", "at least one"),
    ({"weekdays": "mon, thx"}, "weekdays", "“thx” is not a day"),
    ({"every_hours": 0}, "every_hours", "greater than or equal to 1"),
    ({"n_pages": 0}, "n_pages", "greater than or equal to 1"),
    ({"max_depth_hops": 51}, "max_depth_hops", "less than or equal to 50"),
    ({"link_weight": float("nan")}, "link_weight", "Enter a number."),
    ({"link_weight": 1.2, "content_weight": -0.2}, "link_weight", "less than or equal to 1"),
    (
        {"link_weight": 0.6, "content_weight": 0.6},
        "content_weight",
        "must add up to 1; they add up to 1.2",
    ),
    ({"threshold": float("inf")}, "threshold", "Enter a number."),
    ({"strategy": "teleport"}, "strategy", "“teleport” is not installed"),
    ({"judge": "oracle"}, "judge", "“oracle” is not installed"),
    ({"ranker": "dice"}, "ranker", "“dice” is not installed"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("wrong", "field", "said"), BAD_TOPICS)
def test_a_bad_topic_is_refused_at_the_field(
    ann: User, wrong: dict[str, object], field: str, said: str
) -> None:
    errors = complaints(Topic(owner=ann, **(GOOD | wrong)))
    assert said in " ".join(errors[field])


@pytest.mark.parametrize(
    ("wrong", "field", "said"),
    [
        ({"text": ""}, "text", "blank"),
        ({"text": "x" * 81}, "text", "at most 80"),
        ({"weight": float("nan")}, "weight", "Enter a number."),
        ({"weight": 0.0}, "weight", "greater than or equal to 0.01"),
        ({"weight": 10.5}, "weight", "less than or equal to 10"),
        ({"required": True, "excluded": True}, "excluded", "both required and excluded"),
    ],
)
def test_a_bad_term_is_refused_at_the_field(
    wrong: dict[str, object], field: str, said: str
) -> None:
    term = TopicTerm(**({"text": "cpu"} | wrong))
    errors = complaints(term, leave_out="topic")
    assert said in " ".join(errors[field])


@pytest.mark.django_db
def test_seeds_are_stored_in_their_one_spelling(ann: User) -> None:
    seeds = " HTTPS://A.test:443/x/../y#part \n\nhttps://a.test/y\nhttp://电网.test/"
    topic = Topic(owner=ann, **(GOOD | {"seeds": seeds}))
    topic.full_clean()
    assert topic.seeds.splitlines() == ["https://a.test/y", "http://xn--wnyq9s.test/"]


@pytest.mark.django_db
def test_queries_alone_are_a_place_to_start(ann: User) -> None:
    Topic(owner=ann, **(GOOD | {"seeds": "", "queries": "cpu cache"})).full_clean()

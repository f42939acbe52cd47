"""Settings of orders and judges: written by people, refused at their field, handed to the crawl."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils.translation import override

from tests.topics.admin.test_topics import ADD, FORM, errors
from tests.topics.factories import NOON, person, topic_of
from topics.errors import TopicError
from topics.forms.profile import ProfileForm
from topics.models import Topic
from topics.profile.crawl import save_crawl
from topics.rules.parameters import described, parameter_lines, problems_of, read_written
from topics.topic_file import export_document, read_document, save_document


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("\n  \n", {}),
        ("interval = 25", {"interval": 25.0}),
        ("interval=25\r\n exploration : 0.03 ", {"interval": 25.0, "exploration": 0.03}),
        ("interval：1e2", {"interval": 100.0}),
    ],
)
def test_settings_are_read_a_line_each(text: str, values: dict[str, float]) -> None:
    assert read_written(text) == values
    assert read_written(parameter_lines(values)) == values


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("interval", "Line 1: write a name and a number"),
        ("a = 1\n\nb = much", "Line 3: write a name and a number"),
        ("a = 1 2", "Line 1: write a name and a number"),
        ("a = 1\na = 2", "Line 2: a occurs twice"),
    ],
)
def test_a_line_that_is_no_setting_is_named(text: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        read_written(text)


@pytest.mark.parametrize(
    ("hook", "kind", "values", "said"),
    [
        ("strategies", "focus", {"luck": 1.0}, "unknown parameter luck; available: interval,"),
        ("strategies", "focus", {"interval": 0.5}, "interval must be a whole number, got 0.5"),
        ("strategies", "focus", {"exploration": 0.5}, "exploration must be in [0, 0.03], got 0.5"),
        (
            "strategies",
            "genetic",
            {"mutation": 0.3},
            "crossover and mutation must sum to 1, got 0.8 and 0.3",
        ),
        (
            "strategies",
            "ontology",
            {"drop_below": 0.6},
            "drop_below must be less than direct_from, got 0.6 and 0.6",
        ),
        (
            "strategies",
            "breadth_first",
            {"x": 1},
            "unknown parameter x; no parameters are available",
        ),
        ("judges", "adaptive", {"threshold": 0.0}, "threshold must be in (0, 1], got 0"),
        (
            "judges",
            "focus",
            {"threshold": "0"},
            "unknown parameter threshold; no parameters are available",
        ),
        ("strategies", "focus", ["interval"], "Settings are names with numbers"),
    ],
)
def test_what_is_wrong_is_one_sentence(hook: str, kind: str, values: Any, said: str) -> None:
    (problem,) = problems_of(hook, kind, values)

    assert problem.startswith(said)


def test_a_problem_is_reported_in_the_readers_language() -> None:
    with override("zh-hans"):
        (problem,) = problems_of("strategies", "focus", {"exploration": 0.5})

    assert problem == "exploration 须在 [0, 0.03] 之内，现为 0.5"


def test_every_parameter_is_described_in_both_languages() -> None:
    english = dict(described("strategies"))
    with override("zh-hans"):
        chinese = dict(described("strategies"))

    assert english["genetic"][1].startswith("crossover = 0.8, in [0, 1]: share of")
    assert not any(line in chinese[kind] for kind, lines in english.items() for line in lines)


@pytest.fixture
def desk(client: Client, db: None) -> Client:
    client.force_login(person("root", is_staff=True, is_superuser=True))
    return client


def posted(**changes: str) -> dict[str, Any]:
    root = User.objects.get(username="root")
    return FORM | {"owner": str(root.pk), "strategy": "genetic", **changes}


def test_settings_reach_the_crawl_from_the_administration(desk: Client) -> None:
    answer = desk.post(ADD, posted(strategy_parameters="crossover = 0.7\nmutation = 0.3"))

    assert answer.status_code == 302, errors(answer)
    settings = Topic.objects.get(slug="chips").crawl.settings  # type: ignore[union-attr]
    assert settings.strategy_parameters == {"crossover": 0.7, "mutation": 0.3}
    change = desk.get(f"/admin/topics/topic/{Topic.objects.get().pk}/change/").content.decode()
    assert "crossover = 0.7\nmutation = 0.3</textarea>" in change
    assert "population = 20, in [1, ∞): individuals per generation" in change


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"strategy_parameters": "crossover = 0.7"}, "must sum to 1, got 0.7 and 0.2"),
        ({"strategy_parameters": "crossover"}, "Line 1: write a name and a number"),
        ({"judge_parameters": "threshold = 1"}, "unknown parameter threshold"),
    ],
)
def test_a_wrong_setting_is_refused_at_its_field(
    desk: Client, changes: dict[str, str], said: str
) -> None:
    answer = desk.post(ADD, posted(**changes))

    (field,) = changes
    assert answer.status_code == 200
    assert said in str(answer.context["adminform"].form.errors[field])
    assert len(answer.context["adminform"].form.errors[field]) == 1


def test_settings_come_through_a_file_unchanged(ann: User) -> None:
    topic = topic_of(
        ann,
        strategy="fish_search",
        strategy_parameters={"width": 4, "factor": 2.5},
        judge="adaptive",
        judge_parameters={"threshold": 0.2},
    )
    document = export_document(topic)
    topic.strategy_parameters = topic.judge_parameters = {}
    topic.save()

    save_document(read_document(json.dumps(document).encode()), ann, NOON)

    again = Topic.objects.get()
    assert again.strategy_parameters == {"width": 4.0, "factor": 2.5}
    assert again.judge_parameters == {"threshold": 0.2}
    assert export_document(again) == document


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (
            {"strategy": "focus", "strategy_parameters": {"luck": 1}},
            r"^settings.strategy_parameters: unknown parameter luck; available",
        ),
        ({"judge_parameters": {"a": 1}}, r"^settings.judge_parameters: unknown parameter a"),
        ({"strategy_parameters": {"interval": "x"}}, r"strategy_parameters"),
        ({"strategy_parameters": [1]}, r"strategy_parameters"),
    ],
)
def test_a_file_with_a_wrong_setting_is_refused_by_field(
    ann: User, chosen: dict[str, Any], said: str
) -> None:
    topic = topic_of(ann)
    document = export_document(topic) | {"settings": chosen}

    with pytest.raises(TopicError, match=said) as caught:
        save_document(read_document(json.dumps(document).encode()), ann, NOON)

    assert "\n" not in str(caught.value)


def test_another_judge_forgets_the_settings_of_the_one_before(ann: User) -> None:
    topic = topic_of(ann, judge="adaptive", judge_parameters={"threshold": 0.2})
    save_crawl(topic, NOON)

    form = ProfileForm(
        {"judge": "cosine", "threshold": "0.5", "link_weight": "0.7"}, instance=topic
    )

    assert form.is_valid(), form.errors
    assert form.save().judge_parameters == {}

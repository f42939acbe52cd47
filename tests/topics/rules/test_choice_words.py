"""Names of strategies, judges and rankings come with what they do."""

import pytest
from django.utils import translation

from focusweb.plugins import offers
from topics.rules.choice_words import choice_label, choice_words


@pytest.mark.parametrize("hook", ["strategies", "judges", "rankers"])
def test_every_built_in_part_says_what_it_does(hook: str) -> None:
    own = [name for name, offer in offers(hook).items() if not offer.is_foreign]
    assert own and [name for name in own if not choice_words(hook, name)] == []


def test_a_part_of_a_plugin_has_its_name_alone() -> None:
    assert choice_label("judges", "my_judge") == "my_judge"


def test_the_words_are_those_of_the_reader() -> None:
    assert choice_label("judges", "overlap") == "overlap: fourth paper: shared words"
    with translation.override("zh-hans"):
        assert choice_label("judges", "overlap").startswith("overlap：")

"""Every way to stop has a sentence, and advice, in both languages."""

import re
from pathlib import Path

import pytest
from django.utils.translation import override

from crawler.reasons import Reason, StopReason
from topics.reasons import REASONS, STOP_REASONS, reason_sentence, stop_sentence

ROOT = Path(__file__).resolve().parents[2]


def test_every_reason_has_its_sentence() -> None:
    assert set(REASONS) == set(Reason)
    assert set(STOP_REASONS) == set(StopReason)


def test_every_reason_is_given_by_something() -> None:
    sources = (file for app in ("crawler", "topics") for file in (ROOT / app).rglob("*.py"))
    code = "".join(file.read_text("utf-8") for file in sources if file.name != "reasons.py")

    for kind in (Reason, StopReason):
        given = set(re.findall(rf"\b{kind.__name__}\.([A-Z_0-9]+)\b", code))
        assert given == set(kind.__members__)


@pytest.mark.parametrize("reason", [*REASONS.items(), *STOP_REASONS.items()], ids=lambda t: t[0])
def test_a_reason_is_reported_and_advised_in_both_languages(reason: tuple[str, object]) -> None:
    said = (
        REASONS[reason[0]] if isinstance(reason[0], Reason) else STOP_REASONS[StopReason(reason[0])]
    )
    for text in (said.what, said.advice):
        with override("en"):
            english = str(text)
        with override("zh-hans"):
            chinese = str(text)
        assert english.endswith(".")
        assert chinese.endswith("。")
        assert any("一" <= character <= "鿿" for character in chinese)


def test_the_same_code_reads_differently_for_an_address_and_a_run() -> None:
    assert str(reason_sentence("no_contact").what) != str(stop_sentence("no_contact").what)


def test_a_page_that_asks_not_to_be_indexed_is_not_said_to_be_left_unstored() -> None:
    what = str(reason_sentence("noindex").what)

    assert "stored" not in what
    assert "neither kept nor found by search" in what


def test_a_code_of_another_version_is_not_an_error() -> None:
    assert "does not know" in str(reason_sentence("from_the_future").what)
    assert "does not know" in str(stop_sentence("from_the_future").what)

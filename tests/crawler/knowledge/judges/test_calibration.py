"""From logits to probabilities."""

import numpy as np
import pytest

from crawler.knowledge.judges.calibration import (
    Calibration,
    LogisticCurve,
    calibrate,
    mixture_line,
    platt_line,
)

RNG = np.random.default_rng(5)


def drawn(n_on: int, n_background: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Logits of known topic pages, and of a background that holds a share of them."""
    hidden = int(share * n_background)
    background = np.append(RNG.normal(-3, 0.6, n_background - hidden), RNG.normal(0, 0.6, hidden))
    return RNG.normal(0, 0.6, n_on), background


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
def test_the_mixture_finds_the_share_of_topic_pages(share: float) -> None:
    on, background = drawn(5, 600, share)

    chances = mixture_line(on, background).probability(background)

    assert chances.mean() == pytest.approx(share, abs=0.02)


def test_platts_line_separates_what_is_apart() -> None:
    line = platt_line(np.array([2.0, 2.2, 2.4]), np.linspace(-3, -2, 50))

    assert line.probability(np.array([-2.5, 2.2])) == pytest.approx([0, 1], abs=0.25)


@pytest.mark.parametrize(
    ("on", "background"),
    [
        (np.array([1.0]), np.array([0.0, 0.0])),
        (np.array([1.0]), np.array([1.0, 1.0])),
        (np.array([-5.0]), RNG.normal(0, 1, 50)),
        (np.array([30.0, 31.0]), RNG.normal(-30, 0.01, 300)),
    ],
    ids=["flat background", "no difference", "examples below", "far apart"],
)
def test_probability_rises_with_the_logit(on: np.ndarray, background: np.ndarray) -> None:
    calibration = calibrate(on, background)
    logits = np.linspace(-8, 8, 50)

    chances = calibration.probabilities(logits)

    assert ((chances > 0) & (chances < 1)).all()
    assert (np.diff(chances) > 0).all()
    assert calibration.probability(logits[7]) == pytest.approx(chances[7])


def test_neither_reading_is_ever_surer_than_the_bound() -> None:
    denying = Calibration(LogisticCurve(1.0, -1000.0), LogisticCurve(1.0, 1000.0))

    # Log-odds -6 and 6 at weights .7 and .3 are -2.4 together; 2 % are the fit's own.
    assert denying.probability(0.0) == pytest.approx(0.98 / (1 + np.exp(2.4)) + 0.02 / 2)


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_calibration_is_raised_to_the_share_of_topic_pages(share: float) -> None:
    logits = np.linspace(-4, 0, 100)
    calibration = Calibration(LogisticCurve(1, -1), LogisticCurve(2, 0))

    raised = calibration.raised(calibration.rise_to(share, logits))

    assert raised.probabilities(logits).mean() == pytest.approx(share, abs=1e-3)
    assert (np.diff(raised.probabilities(logits)) > 0).all()


def test_a_calibration_is_never_lowered() -> None:
    assert (
        Calibration(LogisticCurve(1, 3), LogisticCurve(1, 3)).rise_to(0.2, np.linspace(-1, 1, 9))
        == 0
    )

"""The colours of our pages can be read by day and by night."""

import re
from pathlib import Path

import pytest

CSS = (Path(__file__).resolve().parents[2] / "static" / "focusweb.css").read_text("utf-8")
#: What is written on what, and the least contrast between them: text 4.5, parts of a picture 3
#: (WCAG 2.2, 1.4.3 and 1.4.11).
PAIRS = [
    *((text, ground, 4.5) for text in ("ink", "quiet", "accent") for ground in ("paper", "panel")),
    ("good", "paper", 4.5),
    ("good", "panel", 4.5),
    ("warn", "paper", 4.5),
    ("paper", "accent", 4.5),
    ("ink", "warn-ground", 4.5),
    ("link-part", "paper", 3.0),
    ("content-part", "paper", 3.0),
    *((f"chart-{name}", "paper", 3.0) for name in ("new", "old", "none")),
]


def colours(scheme: str) -> dict[str, str]:
    """The named colours of a scheme; what the dark one leaves out is as in the light one."""
    light, dark = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
    found = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", light))
    if scheme == "dark":
        found |= dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", dark))
    return found


def luminance(colour: str) -> float:
    """Relative luminance of a colour such as #8a2b1d."""
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first: str, second: str) -> float:
    """From 1 for two equal colours to 21 for black and white."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def test_black_on_white_is_the_most_there_is() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("upper", "ground", "least"), PAIRS)
def test_what_is_written_can_be_read(scheme: str, upper: str, ground: str, least: float) -> None:
    named = colours(scheme)
    assert contrast(named[upper], named[ground]) >= least

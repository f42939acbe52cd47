"""The container files name what exists, and install the lock of `make run`."""

import re
import shlex
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]


def instructions() -> list[tuple[str, str]]:
    """Name and arguments of each instruction of the Dockerfile, continued lines joined."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [(line.split()[0], line.partition(" ")[2]) for line in lines if line.strip()]


def compose() -> Any:
    return yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]["focusweb"]


def test_every_copied_file_exists_and_is_sent_to_the_builder() -> None:
    sent = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    copied = [shlex.split(rest)[0] for name, rest in instructions() if name == "COPY"]

    assert len(copied) >= 9
    assert [path for path in copied if not (ROOT / path).exists()] == []
    assert [path for path in copied if f"!{path}" not in sent] == []
    assert sent[0] == "*", "nothing else is sent, above all no data folder"


def test_the_image_installs_the_lock_and_runs_as_a_user() -> None:
    found = instructions()
    names = [name for name, _rest in found]
    text = " ".join(rest for _name, rest in found)

    assert "--require-hashes -r requirements.lock" in text
    assert "apt-get" not in text
    assert names.index("USER") < names.index("CMD")
    # A number: the name of a user is not known outside of the image.
    assert dict(found)["USER"] == "10001"
    assert "useradd --create-home --uid 10001 " in text
    assert dict(found)["FROM"] == "python:3.11-slim"
    [lowest] = re.findall(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text())
    assert lowest == "3.11"


def test_settings_and_volumes_fit_together() -> None:
    text = (ROOT / "focusweb" / "settings.py").read_text("utf-8")
    known = set(re.findall(r'"(FOCUSWEB_\w+)"', text))
    named = set(re.findall(r"FOCUSWEB_\w+", (ROOT / "Dockerfile").read_text("utf-8")))
    service = compose()

    assert named | set(service["environment"]) <= known
    [volume] = service["volumes"]
    assert volume.partition(":")[2] == dict(instructions())["VOLUME"]
    assert service["ports"] == ["127.0.0.1:8000:8000"], "not to the network without HTTPS"

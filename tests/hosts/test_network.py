"""The network of the tests themselves."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.hosts.installation import Hosts
from tests.hosts.network import why_not

pytestmark = pytest.mark.hosts


def namespaces() -> list[str]:
    shown = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in shown.stdout.splitlines()]


def test_nothing_is_left_of_a_network(tmp_path: Path) -> None:
    if refusal := why_not():
        pytest.skip(refusal)
    with Hosts(tmp_path, n_sites=1, n_pages=1, delay_s=0.0) as hosts:
        folder = Path(hosts.socket_folder)
        process = int((folder / "data" / "postmaster.pid").read_text().split()[0])
        assert f"fw{os.getpid()}-database" in namespaces()

    assert not folder.exists()
    assert not Path(f"/proc/{process}").exists()
    assert not [name for name in namespaces() if name.startswith(f"fw{os.getpid()}-")]

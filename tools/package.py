"""Build a wheel with all of FocusWeb, install it into an empty environment and start it.

`make package` runs it; the wheel is left in `dist`. The wheel requires the very versions that
`requirements.lock` names, so `pipx install` gives what `make run` gives.
"""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import venv
from http.client import HTTPConnection, HTTPException
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = ("focusweb", "crawler", "topics")
#: What lies beside the code, and in the wheel inside `focusweb/installed`.
BESIDE = ("templates", "static", "locale", "fixtures", "manage.py", "requirements.lock")
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc", "*.po")
START_S = 120.0


def pins(lock: str) -> list[str]:
    """Return the requirements of a lock without their hashes."""
    found = re.findall(r"^([\w.-]+==[^\s\\]+)((?:\s*;[^\\\n]*)?)", lock, re.MULTILINE)
    return [f"{pin}{marker.rstrip()}" for pin, marker in found]


def stage(folder: Path) -> None:
    """Lay the files out as the wheel has them."""
    for name in CODE:
        shutil.copytree(ROOT / name, folder / name, ignore=_LEFT_OUT)
    inside = folder / "focusweb" / "installed"
    for name in BESIDE:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, inside / name, ignore=_LEFT_OUT)
        else:
            inside.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, inside / name)
    shutil.copytree(ROOT / "docs" / "examples", inside / "docs" / "examples", ignore=_LEFT_OUT)
    for name in ("README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / name)
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    wanted = ", ".join(f'"{pin}"' for pin in pins((ROOT / "requirements.lock").read_text("utf-8")))
    text = re.sub(
        r"^dependencies = \[.*?^\]", f"dependencies = [{wanted}]", text, flags=re.M | re.S
    )
    text = text.replace(
        "packages = []",
        'packages.find.include = ["focusweb*", "crawler*", "topics*"]\n'
        'package-data = { focusweb = ["installed/**/*"] }',
    )
    (folder / "pyproject.toml").write_text(text, "utf-8")


def build(target: Path) -> Path:
    """Build the wheel into a folder; return its file."""
    with tempfile.TemporaryDirectory(prefix="focusweb-wheel-") as scratch:
        stage(Path(scratch))
        command = [sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps"]
        subprocess.run([*command, "-w", str(target), scratch], check=True)
    [wheel] = sorted(target.glob("focusweb-*.whl"))
    return wheel


def try_out(wheel: Path) -> None:
    """Install a wheel into an empty environment, start it on free ports, and run the doctor."""
    with tempfile.TemporaryDirectory(prefix="focusweb-try-") as scratch:
        folder = Path(scratch)
        venv.create(folder / "venv", with_pip=True)
        program = folder / "venv" / "bin"
        subprocess.run(
            [str(program / "python"), "-m", "pip", "install", "-qq", str(wheel)], check=True
        )
        web, demo = free_port(), free_port()
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        environment = kept | {
            "HOME": scratch,
            "FOCUSWEB_PORT": str(web),
            "FOCUSWEB_DEMO_PORT": str(demo),
        }
        started = subprocess.Popen([str(program / "focusweb"), "up"], cwd=folder, env=environment)
        try:
            wait_until_healthy(web, started)
            command = [str(program / "focusweb"), "doctor"]
            subprocess.run(command, cwd=folder, env=environment, check=True)
            if not (folder / ".local/share/focusweb/focusweb.sqlite3").is_file():
                sys.exit("the database is not where it should be")
        finally:
            started.terminate()
            started.wait(60)


def free_port() -> int:
    """Return a port of this machine that no program uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(port: int, started: "subprocess.Popen[bytes]") -> None:
    """Wait for the word that the web server gives when it is well."""
    give_up = time.monotonic() + START_S
    while time.monotonic() < give_up and started.poll() is None:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/health")
            if connection.getresponse().read() == b"ok\n":
                return
        except (OSError, HTTPException):
            time.sleep(0.5)
        finally:
            connection.close()
    sys.exit(f"port {port} did not answer within {START_S:.0f} s")


def main() -> None:
    """Build and try out."""
    target = ROOT / "dist"
    shutil.rmtree(target, ignore_errors=True)
    wheel = build(target)
    print(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size / 1e6:.1f} MB")
    try_out(wheel)
    print("Installed, started and examined.")


if __name__ == "__main__":
    main()

"""The supervisor over a real cluster, quick to see that it hangs, for tests that kill parts."""

import sys
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402  after the set-up

from focusweb.runtime.run_folder import RunFolder  # noqa: E402
from focusweb.runtime.supervisor import RestartPolicy, Supervisor  # noqa: E402
from topics.management.commands.up import background_plans, child_environment  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]

if __name__ == "__main__":
    folder = RunFolder(settings.RUN_DIR)
    with folder.locked("http://127.0.0.1:1/"):
        Supervisor(
            background_plans(folder, (sys.executable, str(ROOT / "manage.py"))),
            folder,
            environment=child_environment(demo=False),
            pace=RestartPolicy(first_pause_s=0.2, status_every_s=0.5),
        ).run()

"""The supervisor over a real cluster, quick to see that it hangs, for tests that kill parts."""

import sys
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402  after the set-up

from focusweb.run_folder import RunFolder  # noqa: E402
from focusweb.supervisor import ChildPlan, Pace, Supervisor  # noqa: E402
from topics.management.commands.up import child_environment, is_work_due  # noqa: E402
from topics.tasks import ensure_tick  # noqa: E402

STALL_S = 25.0
ROOT = Path(__file__).resolve().parents[2]

if __name__ == "__main__":
    folder = RunFolder(settings.RUN_DIR)
    with folder.locked("http://127.0.0.1:1/"):
        ensure_tick()
        Supervisor(
            [
                ChildPlan(
                    "cluster",
                    (sys.executable, str(ROOT / "manage.py"), "qcluster"),
                    is_watched=True,
                )
            ],
            folder,
            environment=child_environment(demo=False),
            is_work_due=lambda: is_work_due(STALL_S),
            pace=Pace(first_pause_s=0.2, status_every_s=0.5, stall_after_s=STALL_S),
        ).run()

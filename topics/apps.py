"""The app of topics: what people see."""

from django.apps import AppConfig
from django.conf import settings
from django.utils.translation import gettext_lazy as _


class TopicsConfig(AppConfig):
    name = "topics"
    verbose_name = _("Topics")

    def ready(self) -> None:
        """Let workers show that they live."""
        # Imported late: it needs the tables of the queue.
        from focusweb.beat import connect_beat
        from focusweb.run_folder import RunFolder

        connect_beat(RunFolder(settings.RUN_DIR))

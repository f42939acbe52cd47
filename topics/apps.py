"""The app of topics: what people see."""

from django.apps import AppConfig
from django.conf import settings
from django.utils.translation import gettext_lazy as _


class TopicsConfig(AppConfig):
    name = "topics"
    verbose_name = _("Topics")

    def ready(self) -> None:
        """Connect the workers' heartbeat and the record of sign-ins."""
        # Imported late: they need tables.
        from focusweb.runtime.heartbeat import connect_beat
        from focusweb.runtime.run_folder import RunFolder
        from topics.accounts.sign_ins import connect_sign_ins

        connect_beat(RunFolder(settings.RUN_DIR))
        connect_sign_ins()

"""Rules for passwords."""

from django.contrib.auth import password_validation
from django.utils.translation import ngettext


class MinimumLengthValidator(password_validation.MinimumLengthValidator):
    """Django's, whose sentence Django 5.2 has not translated to simplified Chinese."""

    def get_error_message(self) -> str:
        """Return what is said of a password that is too short."""
        return ngettext(
            "The password is too short: it needs at least %(n)d character.",
            "The password is too short: it needs at least %(n)d characters.",
            self.min_length,
        ) % {"n": self.min_length}

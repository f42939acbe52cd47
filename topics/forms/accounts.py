"""The forms of accounts: preferences, sharing, invitations, a new account."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import authenticate, get_user_model
from django.contrib.auth.forms import PasswordChangeForm, UserCreationForm
from django.http import HttpRequest
from django.utils.translation import get_language_info, gettext_lazy
from django.utils.translation import gettext as _

from topics.delivery.mime import validate_address
from topics.forms.topic import ZoneField
from topics.models import preferences_of


class AddressField(forms.EmailField):
    """An address to which mail can be written."""

    default_validators = [validate_address]


class AccountForm(forms.Form):
    """A person's name, address, language and time zone."""

    name = forms.CharField(label=gettext_lazy("your name"), max_length=150, required=False)
    email = AddressField(
        label=gettext_lazy("your e-mail address"),
        max_length=254,
        required=False,
        help_text=gettext_lazy("digests go here, and a link if you forget your password"),
    )
    password = forms.CharField(
        label=gettext_lazy("your password"),
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        help_text=gettext_lazy("only to change the e-mail address"),
    )
    language = forms.ChoiceField(label=gettext_lazy("language"), required=False)
    zone = ZoneField(required=False)

    class Media:
        js = ("zone.js",)

    def __init__(self, request: HttpRequest, data: Any = None) -> None:
        user: Any = request.user
        self._request, self._user, self._preferences = request, user, preferences_of(user)
        initial = {
            "name": user.first_name,
            "email": user.email,
            "language": self._preferences.language,
            "zone": self._preferences.zone,
        }
        super().__init__(data, initial=initial)
        language = self.fields["language"]
        assert isinstance(language, forms.ChoiceField)
        language.choices = [
            ("", gettext_lazy("as in the browser")),
            *((code, _own_name(code)) for code, _name in settings.LANGUAGES),
        ]
        self.fields["zone"].help_text = gettext_lazy(
            "for example Asia/Shanghai; empty for that of the browser"
        )

    def clean_zone(self) -> str:
        """Refuse what is not a time zone."""
        zone = str(self.cleaned_data["zone"])
        if zone:
            self._preferences._meta.get_field("zone").run_validators(zone)
        return zone

    def clean_password(self) -> str:
        """Require it for another address: any reader of that mailbox can set a new password."""
        given = str(self.cleaned_data["password"])
        if self.cleaned_data.get("email", self._user.email) != self._user.email:
            _check_password(self._request, given)
        return given

    def save(self) -> None:
        """Store what was chosen."""
        given = self.cleaned_data
        self._user.first_name, self._user.email = given["name"], given["email"]
        self._user.save(update_fields=["first_name", "email"])
        self._preferences.language, self._preferences.zone = given["language"], given["zone"]
        self._preferences.save()


def _own_name(code: str) -> str:
    return str(get_language_info(code)["name_local"])


class NewPasswordForm(PasswordChangeForm):
    """A new password, for a user who knows the old one; wrong ones lead to pauses."""

    def __init__(self, request: HttpRequest, data: Any = None) -> None:
        user: Any = request.user
        super().__init__(user, data)
        self._request = request

    def clean_old_password(self) -> str:
        """Check the old password like a sign-in, with the same pauses."""
        given = str(self.cleaned_data["old_password"])
        _check_password(self._request, given)
        return given


class DeleteAccountForm(forms.Form):
    """The password of a user who deletes their account."""

    password = forms.CharField(
        label=gettext_lazy("your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, request: HttpRequest, data: Any = None) -> None:
        super().__init__(data)
        self._request = request

    def clean_password(self) -> str:
        """Check the password like a sign-in, with the same pauses."""
        given = str(self.cleaned_data["password"])
        _check_password(self._request, given)
        return given


def _check_password(request: HttpRequest, given: str) -> None:
    user: Any = request.user
    if not given or authenticate(request, username=user.get_username(), password=given) is None:
        raise forms.ValidationError(_("The password is not correct."), code="password_incorrect")


class JoinForm(UserCreationForm):  # type: ignore[type-arg]  # not generic at run time
    """A new account: a name and a password."""

    class Meta:
        model = get_user_model()
        fields = ("username",)


class InvitationForm(forms.Form):
    """Whom to invite; without an address the link is copied."""

    email = AddressField(
        label=gettext_lazy("e-mail address"),
        max_length=254,
        required=False,
        help_text=gettext_lazy("empty to get a link that you pass on yourself"),
    )


class ResetForm(forms.Form):
    """The address of a user who forgot the password."""

    email = forms.EmailField(label=gettext_lazy("your e-mail address"), max_length=254)


class ShareForm(forms.Form):
    """Who may read a topic."""

    username = forms.CharField(label=gettext_lazy("user name"), max_length=150)

"""Appends alerts and digests to text files."""

from dataclasses import dataclass

from django.conf import settings as installation

from focusweb.hookspecs import hookimpl
from focusweb.plugin_settings import setting
from topics.delivery.channels.base import TargetError
from topics.delivery.handover import SendResult


@dataclass(frozen=True)
class Settings:
    most: int = setting(20, "pages of a message", lowest=1, highest=100)


class TextFile:
    """The address of a channel is the name of a file in the folder `messages`."""

    name = "text_file"
    label = "text file"
    hint = "a name, such as news"
    signs = False
    needs_consent = False
    repeatable = False
    retry_delays = ()

    def __init__(self, settings):
        self._most = settings.most

    def check(self, address):
        if not address.isidentifier():
            raise TargetError("The name may only have letters, digits and _.")
        return address

    def write(self, message, target):
        pages = [f"- {item.title} {item.url}" for item in message.items[: self._most]]
        return "\n".join([message.subject, *pages, ""]).encode()

    def send(self, body, target):
        folder = installation.DATA_DIR / "messages"
        folder.mkdir(exist_ok=True)
        with (folder / f"{target.address}.txt").open("ab") as file:
            file.write(body)
        return SendResult(True)


@hookimpl
def channels(settings):
    return [TextFile(settings)]

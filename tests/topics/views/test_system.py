"""What a browser needs to install FocusWeb as an app."""

import struct
from urllib.parse import urlsplit

from django.contrib.staticfiles import finders
from django.test import Client


def test_the_manifest_names_icons_of_the_size_they_have(client: Client, db: None) -> None:
    answer = client.get("/manifest.webmanifest")
    manifest = answer.json()

    assert answer.headers["Content-Type"] == "application/manifest+json"
    assert (manifest["display"], manifest["start_url"], manifest["scope"]) == (
        "standalone",
        "/",
        "/",
    )
    pngs = [icon for icon in manifest["icons"] if icon["type"] == "image/png"]
    assert {icon["sizes"] for icon in pngs} == {"192x192", "512x512"}
    assert {icon["purpose"] for icon in pngs} == {"any", "maskable"}
    for icon in manifest["icons"]:
        file = finders.find(urlsplit(icon["src"]).path.rpartition("/")[2])
        assert isinstance(file, str)
        if icon in pngs:
            with open(file, "rb") as stream:
                width, height = struct.unpack(">II", stream.read(24)[16:])
            assert icon["sizes"] == f"{width}x{height}"

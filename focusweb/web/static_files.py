"""Static files with hashes in their names, compressed: browsers fetch each of them once.

`manage.py up` makes them in the data folder, in a folder named after what they are made of. Where
that folder is missing, files are served from where they lie, without a hash.
"""

import hashlib
import secrets
import shutil
from importlib import metadata
from pathlib import Path
from typing import Any, Final
from wsgiref.headers import Headers

from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

#: Written last: a folder with it is complete.
MANIFEST: Final = "staticfiles.json"
#: Packages that bring static files of their own.
PACKAGES: Final = ("Django", "django-htmx")
#: Static files are answered before the middleware that makes the headers of pages.
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class HashedStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """Names with hashes; a file that is not in the manifest keeps its plain name."""

    manifest_strict = False

    def create_compressor(self, **options: Any) -> Compressor:
        """Return a compressor for gzip: brotli takes ten times as long at each update."""
        return Compressor(use_brotli=False, **options)


def folder_for(data_dir: Path, own: Path) -> Path:
    """Where the hashed files of this version are, or will be."""
    parts = [f"{name} {metadata.version(name)}" for name in PACKAGES]
    for file in sorted(own.rglob("*")):
        state = file.stat()
        parts.append(f"{file.relative_to(own)} {state.st_size} {state.st_mtime_ns}")
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return data_dir / "static" / digest[:16]


def is_complete(folder: Path) -> bool:
    """Return whether the files of a folder can be served."""
    return (folder / MANIFEST).is_file()


def make_hashed_files(folder: Path) -> bool:
    """Make the hashed files, and delete those of other versions; False if they were there."""
    if is_complete(folder):
        return False
    # Imported late: the finders need the settings, which import this module.
    from django.contrib.staticfiles.finders import get_finders

    folder.parent.mkdir(mode=0o700, exist_ok=True)
    fresh = folder.with_name(f"new-{secrets.token_hex(8)}")
    storage = HashedStorage(location=str(fresh), base_url="/static/")
    found: dict[str, Any] = {}
    for finder in get_finders():
        for path, source in finder.list([]):
            if path not in found:
                with source.open(path) as content:
                    storage.save(path, content)
                found[path] = (storage, path)
    for _path, _hashed, error in storage.post_process(found):
        if isinstance(error, Exception):
            raise error
    fresh.rename(folder)
    for other in folder.parent.iterdir():
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    return True


def add_static_headers(headers: Headers, path: str, url: str) -> None:
    """Add headers so that a file is used as what it is, by this site only."""
    for name, value in _HEADERS.items():
        headers[name] = value

"""Recognise damaged index files by the errors that Whoosh raises over them."""

import pickle
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from topics.search.errors import IndexUnusableError

#: What Whoosh lets through of Python's own errors when it reads changed bytes: each
#: was seen with flipped bits or cut files. It has no error of its own for damage.
_DAMAGE = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    ArithmeticError,
    TypeError,
    AttributeError,
    AssertionError,
    ImportError,
    NameError,
    MemoryError,
    RecursionError,
    struct.error,
    zlib.error,
    pickle.PickleError,
)


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Turn whatever damaged files make Whoosh raise into the one error for that."""
    try:
        yield
    except Exception as error:
        if not _is_damage(error):
            raise
        raise IndexUnusableError(
            f"the search index in {folder.name} cannot be read "
            f"({type(error).__name__}: {error}); it has to be built anew"
        ) from error


def _is_damage(error: Exception) -> bool:
    """Whether an error that reading raised means that the files are damaged."""
    # Whoosh has a dozen errors without a common base; some checks raise a bare Exception.
    of_whoosh = type(error).__module__.startswith("whoosh.")
    return of_whoosh or type(error) is Exception or isinstance(error, _DAMAGE)


@contextmanager
def reading_while_writing(folder: Path) -> Iterator[None]:
    """As `reading`, but a disk that cannot be written stays an `OSError`."""
    try:
        with reading(folder):
            yield
    except IndexUnusableError as error:
        if isinstance(error.__cause__, OSError):
            raise error.__cause__ from None
        raise

"""What an index keeps of each page, column by column: its key, and lengths of its fields."""

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from whoosh.util.numeric import byte_to_length, length_to_byte

from topics.search.whoosh.fields import SCORED
from topics.search.whoosh.terms import read_array

COLUMNS = ".col"
#: Whoosh keeps a length as one of 256 levels.
LENGTHS = np.array([byte_to_length(level) for level in range(256)], np.float64)
_KEY = np.dtype("<i8")
_LEVEL = np.dtype(np.uint8)

Levels = NDArray[np.uint8]


class ColumnFile:
    """Reads the columns of a segment."""

    def __init__(self, stem: str, n_pages: int) -> None:
        self._n_pages = n_pages
        wanted = n_pages * (_KEY.itemsize + len(SCORED))
        with ExitStack() as stack:
            self._file = stack.enter_context(Path(f"{stem}{COLUMNS}").open("rb", buffering=0))
            if (size := os.fstat(self._file.fileno()).st_size) != wanted:
                raise ValueError(f"the columns of {n_pages} pages take {wanted} bytes, not {size}")
            stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def keys(self) -> NDArray[np.int64]:
        """Return the key of each page."""
        return read_array(self._file.fileno(), _KEY, 0, self._n_pages)

    def levels(self, field: str) -> Levels:
        """Return the level of a field's length in each page."""
        start = self._n_pages * (_KEY.itemsize + SCORED.index(field))
        return read_array(self._file.fileno(), _LEVEL, start, self._n_pages)


def levels_of(lengths: list[int]) -> Levels:
    """Return the levels in which lengths are kept."""
    return np.fromiter(map(length_to_byte, lengths), np.uint8, len(lengths))


def write_columns(stem: str, keys: NDArray[np.int64], levels: dict[str, Levels]) -> None:
    """Write the columns of a segment."""
    parts = [keys.astype(_KEY).tobytes(), *(levels[field].tobytes() for field in SCORED)]
    Path(f"{stem}{COLUMNS}").write_bytes(b"".join(parts))

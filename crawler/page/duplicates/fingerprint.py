"""A page's near-duplicate fingerprint: 64-bit SimHash over character 4-grams."""

import numpy as np
from numpy.typing import NDArray

#: Only so much of a text is hashed; pages that agree this far are the same page.
MAX_CHARS = 12_288
# All grams count up to here, and one in four beyond, with four votes: chosen by
# its own hash, so that two versions of a text choose the same.
_N_FULL = 4096
_GRAM = 4
_ASCII_SPACE = b"\t\n\v\f\r\x1c\x1d\x1e\x1f "
_FIRST, _SECOND = np.uint32(0x9E3779B1), np.uint32(0x85EBCA77)
_QUARTER = np.uint32(1 << 30)
# Of the splitmix64 generator: turns the 32 bits of a gram into 64 even ones.
_SPREAD, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
# So many hashes are added side by side, and at most 255 of such rows: a sum fits into a byte.
_IN_ROW = 64


def simhash(text: str) -> int:
    """Fingerprint a text so that similar texts differ in few bits.

    Parameters
    ----------
    text : str
        Case and white space do not count. Only about the first `MAX_CHARS` characters are read.

    Returns
    -------
    int
        Unsigned, below 2**64; 0 for a text of fewer than 4 characters. Texts of under about 200
        characters are poorly separated.

    References
    ----------
    M. Charikar, "Similarity estimation techniques from rounding algorithms",
    STOC 2002, section 3.
    """
    codes = _codes(text[: MAX_CHARS + MAX_CHARS // 4])[:MAX_CHARS]
    if len(codes) < _GRAM:
        return 0
    # Two characters in one number, then two such numbers in one product.
    pairs: NDArray[np.uint32] = codes[:-1] + (codes[1:] << np.uint32(16))
    grams: NDArray[np.uint32] = pairs[:-2] * _FIRST + pairs[2:] * _SECOND
    grams ^= grams >> np.uint32(15)
    rest = grams[_N_FULL:]
    votes = _votes(grams[:_N_FULL])
    if len(rest):
        votes += 4.0 * _votes(rest[rest < _QUARTER])
    bits = (votes > 0).astype(np.uint8)
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def _codes(text: str) -> NDArray[np.uint32]:
    """The characters of a text without case and white space."""
    if text.isascii():
        # The same in a fifth of the time.
        dense = text.lower().encode().translate(None, delete=_ASCII_SPACE)
        return np.frombuffer(dense, dtype=np.uint8).astype(np.uint32)
    folded = "".join(text.casefold().split())
    return np.frombuffer(folded.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _votes(grams: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Sum +1 or -1 for each of the 64 bits over the hashes of all grams, shape (64,)."""
    hashes = grams * _SPREAD
    hashes ^= hashes >> np.uint64(29)
    hashes *= _MIX
    hashes ^= hashes >> np.uint64(32)
    # Each bit becomes a byte, and long rows of them are added: that takes the processor's
    # widest instructions. Hashes of 0 fill the last row and have no bits.
    padded = np.zeros(-(-len(hashes) // _IN_ROW) * _IN_ROW, "<u8")
    padded[: len(hashes)] = hashes
    rows = np.unpackbits(padded.view(np.uint8), bitorder="little").reshape(-1, 64 * _IN_ROW)
    ones = rows.sum(axis=0, dtype=np.uint8).reshape(_IN_ROW, 64).sum(axis=0, dtype=np.int64)
    votes: NDArray[np.float64] = 2.0 * ones - len(hashes)
    return votes

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
# The lowest bit of each of the 8 bytes; so many of them can be added without a carry.
_LOWEST, _MOST_ADDED = np.uint64(0x0101010101010101), 255


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
    # One bit of all 8 bytes of a hash is counted at a time, each byte in its own place.
    starts = np.arange(0, len(hashes), _MOST_ADDED)
    ones = np.empty((8, 8), np.float64)
    for bit in range(8):
        added = np.add.reduceat((hashes >> np.uint64(bit)) & _LOWEST, starts)
        octets = added.astype("<u8", copy=False).view(np.uint8).reshape(-1, 8)
        ones[:, bit] = octets.sum(axis=0, dtype=np.int64)
    return 2.0 * ones.ravel() - len(hashes)

"""A page's near-duplicate fingerprint: 64-bit SimHash over character 4-grams."""

import numpy as np
from numpy.typing import NDArray

#: Only so much of a text is hashed; pages that agree this far are the same page.
MAX_CHARS = 12_288
# All grams count up to here, and one in four beyond, with four votes: chosen by
# its own hash, so that two versions of a text choose the same.
_N_FULL = 4096
_GRAM = 4
_FIRST, _SECOND = np.uint32(0x9E3779B1), np.uint32(0x85EBCA77)
_QUARTER = np.uint32(1 << 30)
# Of the splitmix64 generator: turns the 32 bits of a gram into 64 even ones.
_SPREAD, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_BYTE_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
_SIGNS = 2.0 * _BYTE_BITS - 1.0


def simhash(text: str) -> int:
    """Fingerprint a text so that similar texts differ in few bits.

    Parameters
    ----------
    text : str
        Case and white space do not count. Only about the first
        `MAX_CHARS` characters are looked at.

    Returns
    -------
    int
        Unsigned, below 2**64; 0 for a text of fewer than 4 characters.
        Texts of under about 200 characters are poorly told apart.

    References
    ----------
    M. Charikar, "Similarity estimation techniques from rounding algorithms",
    STOC 2002, section 3.
    """
    dense = "".join(text[: MAX_CHARS + MAX_CHARS // 4].casefold().split())[:MAX_CHARS]
    codes = np.frombuffer(dense.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    if len(codes) < _GRAM:
        return 0
    # Two characters in one number, then two such numbers in one product.
    pairs = codes[:-1] + (codes[1:] << np.uint32(16))
    grams = pairs[:-2] * _FIRST + pairs[2:] * _SECOND
    grams ^= grams >> np.uint32(15)
    rest = grams[_N_FULL:]
    votes = _votes(grams[:_N_FULL])
    if len(rest):
        votes += 4.0 * _votes(rest[rest < _QUARTER])
    bits = (votes > 0).astype(np.uint8)
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def _votes(grams: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Sum +1 or -1 for each of the 64 bits over the hashes of all grams, shape (64,)."""
    hashes = grams * _SPREAD
    hashes ^= hashes >> np.uint64(29)
    hashes *= _MIX
    hashes ^= hashes >> np.uint64(32)
    # Counting each byte value at each of the 8 places, then its bits, costs an
    # eighth of counting the 64 bits of every hash.
    octets = hashes.astype("<u8", copy=False).view(np.uint8).reshape(len(grams), 8)
    return np.concatenate([np.bincount(octets[:, i], minlength=256) @ _SIGNS for i in range(8)])

"""Han runs to words: rjieba, or jieba itself where rjieba has no wheel."""

from collections.abc import Callable
from functools import cache

#: Longest piece given to the segmenter, in characters: its time grows faster
#: than the piece (50,000 equal characters hold jieba for 25 s).
MAX_PIECE = 1000

Segmenter = Callable[[str], list[str]]


def rust_segmenter() -> Segmenter:
    """Load rjieba."""
    import rjieba

    cut: Segmenter = rjieba.cut
    return cut


def python_segmenter() -> Segmenter:
    """Load jieba."""
    import jieba

    tokenizer = jieba.Tokenizer()
    # Loading by hand skips jieba's cache: a marshal file with a fixed name in
    # the shared temporary directory, which anyone may have planted.
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True

    def cut(run: str) -> list[str]:
        words: list[str] = tokenizer.lcut(run)
        return words

    return cut


def load_segmenter() -> Segmenter:
    """Return the fastest function here that cuts a Han run into words (HMM on)."""
    try:
        return rust_segmenter()
    except ImportError:
        return python_segmenter()


@cache
def _segmenter() -> Segmenter:
    # Loaded when first needed: the dictionary takes longer than all else of many a process.
    return load_segmenter()


def cut_han(run: str) -> list[str]:
    """Cut a run of Han characters into words.

    Parameters
    ----------
    run : str
        Han characters only; cut into pieces of at most `MAX_PIECE` first, so
        that time stays linear in its length.

    Returns
    -------
    list of str
        The words in order; joined they are `run` again.
    """
    cut = _segmenter()
    if len(run) <= MAX_PIECE:
        return cut(run)
    pieces = (run[i : i + MAX_PIECE] for i in range(0, len(run), MAX_PIECE))
    return [word for piece in pieces for word in cut(piece)]

"""Which fetched pages are kept: the one rule for new pages, stored pages and replays."""


def is_kept(
    relevance: float,
    threshold: float,
    *,
    forced: bool = False,
    copy: bool = False,
    hidden: bool = False,
    label: bool | None = None,
) -> bool:
    """True for a page that is kept.

    Parameters
    ----------
    relevance, threshold : float
        In [0, 1].
    forced : bool
        The strategy keeps the page whatever the judge says.
    copy : bool
        Its text is stored under another URL.
    hidden : bool
        It forbids indexing, only lists links, or stands on a blocked site.
    label : bool, optional
        A user's rating of the page: it decides instead of relevance, strategy and copy.
    """
    if hidden:
        return False
    return (forced or relevance >= threshold) and not copy if label is None else label

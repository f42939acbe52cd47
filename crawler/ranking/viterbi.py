"""One step of the layer-by-layer process of the second paper."""

from collections.abc import Iterable, Mapping


def dynamic_values(
    weights: Mapping[int, float], links: Iterable[tuple[int, int]], values: Mapping[int, float]
) -> dict[int, float]:
    """F_j = f_j * sum of w_p over the layer's pages p that link to j [P2 eq. 8-12].

    Parameters
    ----------
    weights : mapping of int to float
        Transition weight w_p of each page of the layer.
    links : iterable of (int, int)
        Parent and child; parents outside the layer and children without a value are passed over.
    values : mapping of int to float
        Static value f_j of each child that may be chosen, >= 0.

    Returns
    -------
    dict of int to float
        F of every child that the layer links to.
    """
    sums: dict[int, float] = {}
    for parent, child in set(links):
        if parent in weights and child in values:
            sums[child] = sums.get(child, 0.0) + weights[parent]
    return {child: values[child] * total for child, total in sums.items()}


def next_layer(dynamic: Mapping[int, float], n_kept: int) -> dict[int, float]:
    """Keep the children with the largest F and give them W = F / sum of F [P2 eq. 13].

    Parameters
    ----------
    dynamic : mapping of int to float
        From `dynamic_values`.
    n_kept : int
        k, most pages of a layer, >= 1.

    Returns
    -------
    dict of int to float
        Transition weight of each kept child, summing to 1; equal ones if all F are 0.
        Ties go to the smaller number.

    Raises
    ------
    ValueError
        If `n_kept` is not positive.
    """
    if n_kept < 1:
        raise ValueError(f"a layer holds at least 1 page, got {n_kept}")
    kept = sorted(dynamic, key=lambda child: (-dynamic[child], child))[:n_kept]
    total = sum(dynamic[child] for child in kept)
    if total <= 0:
        return {child: 1 / len(kept) for child in kept}
    return {child: dynamic[child] / total for child in kept}

"""Rows whose label would help the most, and labels that others contradict."""

from dataclasses import dataclass

import numpy as np

from widemargin.defaults import SUGGESTIONS


@dataclass(frozen=True)
class Suggestions:
    """Rows to label next, the most useful first.

    Attributes
    ----------
    rows : ndarray of int
        Positions of the rows, from 0.
    is_check : ndarray of bool
        Rows that were drawn at random. Only their labels are a fair sample for an
        estimate of the error.
    reason : tuple of str
        Why each row was chosen.
    """

    rows: np.ndarray
    is_check: np.ndarray
    reason: tuple

    def frame(self):
        """One line for each row as a :class:`pandas.DataFrame`."""
        import pandas as pd

        return pd.DataFrame(vars(self))

    def __str__(self):
        return self.frame().to_string(index=False) if len(self.rows) else "no rows"


def posterior_root(features, known_idx, noise):
    """B with B B' the posterior covariance of all rows, given labels of some of them.

    The prior covariance is that of the features, (n_rows, rank): O(n_rows rank^2).
    """
    known = features[known_idx]
    precision = np.eye(features.shape[1]) + known.T @ known / noise
    # The weights of the features have the prior I, hence the posterior precision^-1.
    values, axes = np.linalg.eigh(precision)
    return features @ (axes / np.sqrt(values))


def suggest_by_variance(roots, shares, row_weights, free, draws, noise):
    r"""Rows whose labels lower the weighted posterior variance of all rows the most.

    With the posterior covariance :math:`C = B B^\top` of a model, a label of row j
    takes :math:`\sum_i u_i C_{ij}^2 / (C_{jj} + \sigma^2)` from the sum of variances
    with weights u (V-optimality). Values of several models are added by their shares.
    A rank-one update, O(n_rows rank), follows each choice, so that rows of a batch are
    not alike.
    Entries of `draws` that are not -1 are chosen instead of the best row.
    """
    free, chosen = free.copy(), []
    variances = [np.einsum("ij,ij->i", root, root) for root in roots]
    inner = [(root.T * row_weights) @ root for root in roots]
    gains = [
        np.einsum("ij,ij->i", root @ own, root)
        for root, own in zip(roots, inner, strict=True)
    ]
    # Each label takes a rank-one term from C, so C = B P B' with P of rank x rank:
    # updates of P are small, and a choice reads each B once.
    middles = [np.eye(root.shape[1]) for root in roots]
    for drawn in draws:
        totals = zip(shares, gains, variances, strict=True)
        value = sum(share * gain / (v + noise) for share, gain, v in totals)
        best = int(np.argmax(np.where(free, value, -1.0))) if drawn < 0 else int(drawn)
        chosen.append(best)
        free[best] = False
        parts = zip(roots, inner, middles, gains, variances, strict=True)
        for root, weighted, middle, gain, variance in parts:
            own, total = middle @ root[best], variance[best] + noise
            pull = weighted @ own
            # A column of the covariance, and C diag(u) times this column
            column, cross = (root @ np.column_stack([own, middle @ pull])).T
            # sum_i u_i C_ij^2 after C becomes C - column column' / total, expanded.
            gain += column**2 * ((own @ pull) / total**2)
            gain -= 2.0 * column * cross / total
            middle -= np.outer(own, own / total)
            variance -= column**2 / total
    return np.array(chosen, dtype=np.intp)


def find_medoids(features, known_idx, n_clusters, seed):
    """Rows in the middle of clusters without a known row, the largest cluster first."""
    from sklearn.cluster import KMeans  # takes time to import

    means = KMeans(n_clusters, n_init=4, random_state=seed).fit(features)
    sizes = np.bincount(means.labels_, minlength=n_clusters)
    sizes[means.labels_[known_idx]] = 0
    lengths = means.transform(features)
    # A medoid is one of the rows of its own cluster.
    lengths[np.arange(n_clusters) != means.labels_[:, None]] = np.inf
    order = np.argsort(-sizes, kind="stable")
    return lengths.argmin(axis=0)[order[sizes[order] > 0]]


def plan_suggestions(n_known, n_rows, has_model, *, rule=SUGGESTIONS):
    """Number of medoids, and which of the further rows are checks, a mask.

    Without a model there is no uncertainty to lower, and all rows are medoids.
    """
    n_first = max(rule.n_first - n_known, 0) if has_model else n_rows
    n_first = min(n_first, n_rows)
    places = np.arange(n_known + n_first, n_known + n_rows)
    return n_first, places % rule.check_every == rule.check_every - 1


def rank_suspects(held_out, codes):
    """Labels that models without them contradict, the least probable label first.

    `held_out` has probabilities, (n_labels, n_classes), of labels by models that did
    not see them, rows of NaN where there are none. Also returns the probability of each
    suspect's own label, and the most probable class.
    """
    is_held_out = np.isfinite(held_out).all(axis=1)
    found = np.where(is_held_out[:, None], held_out, 0.0)
    own, best = found[np.arange(len(codes)), codes], found.argmax(axis=1)
    suspects = np.flatnonzero(is_held_out & (own < found.max(axis=1)))
    suspects = suspects[np.argsort(own[suspects], kind="stable")]
    return suspects, own[suspects], best[suspects]

"""Rows whose label would help the most, and labels that others contradict."""

from dataclasses import dataclass

import numpy as np

from widemargin.defaults import SUGGESTION_ROWS, SUGGESTIONS, SUSPECT_RATIO
from widemargin.spaces.bases import spectral_features

_REASONS = ("middle of a cluster", "uncertain rows depend on it", "random check")


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


def suggest_rows_from_geometry(geometry, labeled, n, average=None, certainty=None):
    """Rows to label next, see `SpectralClassifier.suggest`; `labeled` is a mask.

    `average` is that of the closed-form models and `certainty` the probability of the
    class that is predicted for each given row; both are None without a fitted model.
    """
    if not geometry.spectral:
        raise ValueError(
            "suggestions need eigenvectors of the rows: at least three rows, and "
            "'graph' or 'spectrum' among the families of SpectralClassifier."
        )
    rng = np.random.default_rng([geometry.seed, int(labeled.sum())])
    # Positions below are those among these rows.
    pool = _draw_pool(labeled, np.random.default_rng(geometry.seed))
    known_idx, free = np.flatnonzero(labeled[pool]), ~labeled[pool]
    n = min(n, int(free.sum()))
    n_first, is_check = plan_suggestions(len(known_idx), n, average is not None)
    chosen = np.zeros(0, dtype=np.intp)
    if n_first:
        chosen = _choose_medoids(geometry, pool, known_idx, free, n_first, rng)
        free[chosen] = False
    if len(is_check):
        draws = np.full(len(is_check), -1)
        checks = rng.choice(np.flatnonzero(free), is_check.sum(), replace=False)
        draws[is_check] = checks
        free[checks] = False
        weights = _uncertainty(geometry.sample, certainty)[pool] ** SUGGESTIONS.power
        known_idx = np.append(known_idx, chosen)
        models = _likely_roots(geometry, pool, known_idx, average)
        more = suggest_by_variance(*models, weights, free, draws, SUGGESTIONS.noise)
        chosen = np.append(chosen, more)
    is_check = np.append(np.zeros(n_first, dtype=bool), is_check)
    kinds = np.where(is_check, 2, np.arange(len(is_check)) >= n_first)
    reasons = tuple(_REASONS[kind] for kind in kinds)
    return Suggestions(geometry.sample.origin_idx[pool[chosen]], is_check, reasons)


def _choose_medoids(geometry, pool, known_idx, free, n_rows, rng):
    """Rows of a pool in the middle of clusters, and free ones where these are few."""
    features = spectral_features(geometry.spectral[0], geometry.bases, pool)
    # The same rows and seed after each label: medoids that are suggested one by one
    # are those that are suggested together.
    seed, fewest = geometry.seed % 2**31, SUGGESTIONS.n_first
    chosen = np.zeros(0, dtype=np.intp)
    for n_clusters in (fewest, max(2 * fewest, len(known_idx) + n_rows)):
        if len(chosen) < n_rows:
            taken = np.append(known_idx, chosen)
            more = find_medoids(features, taken, min(n_clusters, len(pool)), seed)
            chosen = np.append(chosen, more)[:n_rows]
    others = np.setdiff1d(np.flatnonzero(free), chosen)
    # equal features have one cluster
    return np.append(chosen, rng.choice(others, n_rows - len(chosen), replace=False))


def _uncertainty(sample, certainty):
    """One minus the certainty of each row, from that of the given rows."""
    row_idx, uncertainty = sample.given_row_idx, np.zeros(sample.n_rows)
    uncertainty[row_idx[row_idx >= 0]] = 1.0 - certainty[row_idx >= 0]
    return uncertainty


def _likely_roots(geometry, pool, known_idx, average):
    """Posterior roots of the models with the largest shares, and these shares."""
    shares = average.weights.reshape(len(geometry.covariances), -1).sum(axis=1)
    names = [covariance.name for covariance in geometry.covariances]
    share_of = dict(zip(names, shares, strict=True))
    likely = sorted(geometry.spectral, key=lambda c: -share_of[c.name])
    likely = likely[: SUGGESTIONS.n_models]
    features = (spectral_features(c, geometry.bases, pool) for c in likely)
    roots = [posterior_root(own, known_idx, SUGGESTIONS.noise) for own in features]
    return roots, [share_of[c.name] for c in likely]


def _draw_pool(labeled, rng):
    """All labeled rows and the others, of many of them a random part; increasing.

    The part stays the same until half of it is labeled.
    """
    if np.sum(~labeled) <= SUGGESTION_ROWS:
        return np.arange(len(labeled))
    order, n_drawn = rng.permutation(len(labeled)), SUGGESTION_ROWS
    while np.sum(~labeled[order[:n_drawn]]) < SUGGESTION_ROWS / 2:
        n_drawn += SUGGESTION_ROWS
    return np.union1d(np.flatnonzero(labeled), order[:n_drawn])


def rank_suspects(held_out, codes):
    """Labels that models without them clearly contradict, the least probable first.

    `held_out` has probabilities, (n_labels, n_classes), of labels by models fitted
    without them, rows of NaN where there are none. A suspect label has another class
    that is at least `SUSPECT_RATIO` times as probable. Also returns the probability of
    each suspect's own label, and the most probable class.
    """
    is_held_out = np.isfinite(held_out).all(axis=1)
    found = np.where(is_held_out[:, None], held_out, 0.0)
    own, best = found[np.arange(len(codes)), codes], found.argmax(axis=1)
    is_clear = SUSPECT_RATIO * own < found.max(axis=1)
    suspects = np.flatnonzero(is_held_out & is_clear)
    suspects = suspects[np.argsort(own[suspects], kind="stable")]
    return suspects, own[suspects], best[suspects]

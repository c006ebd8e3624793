"""Rows whose label would tell the most."""

import numpy as np
from scipy.special import entr

_DOUBT = 0.05  # how far doubt counts that all candidates share


def information(probabilities, weights):
    """What the label of each row would tell, in nats.

    The entropy of the mixture minus the mean entropy of the candidates, which is large
    where each is sure and they contradict each other: it tells which candidate to
    believe. A twentieth of the mixture's entropy comes on top, for rows of which all
    are unsure.

    Parameters
    ----------
    probabilities : ndarray of shape (n_candidates, n_rows, n_classes)
    weights : ndarray of shape (n_candidates,)
        Adding up to one.

    Returns
    -------
    ndarray of shape (n_rows,)
    """
    mixture = np.tensordot(weights, probabilities, axes=1)
    own = np.tensordot(weights, entr(probabilities).sum(axis=2), axes=1)
    doubt = entr(mixture).sum(axis=1)
    return np.maximum(doubt - own, 0.0) + _DOUBT * doubt


def choose_rows(value, similarity, n_rows):
    """Rows of large value that are not alike, the best first.

    Each choice takes from the value of the others as much as they are similar to it.

    Parameters
    ----------
    value : ndarray of shape (n,)
        Non-negative.
    similarity : callable
        ``similarity(i)``: from 0 to 1, of all rows to row i, shape (n,).
    n_rows : int

    Returns
    -------
    ndarray of int
    """
    value, chosen = value.astype(np.float64), []
    for _ in range(min(n_rows, len(value))):
        best = int(np.argmax(value))
        chosen.append(best)
        value = value * (1.0 - similarity(best))
        value[chosen] = -1.0
    return np.array(chosen, dtype=int)

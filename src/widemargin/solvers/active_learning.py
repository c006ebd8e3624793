"""Rows whose label would help the most."""

import numpy as np
from scipy.special import entr

_SHARED_ENTROPY = 0.05  # how much the uncertainty counts that all candidates share


def information(probabilities, weights):
    """How much the label of each row would help, in nats.

    The entropy of the mixture minus the mean entropy of the candidates, large where the
    label decides between these; plus a part of the first, for rows of which all are
    uncertain. Probabilities are (n_candidates, n_rows, n_classes), weights sum to one.
    """
    mixture = np.tensordot(weights, probabilities, axes=1)
    own = np.tensordot(weights, entr(probabilities).sum(axis=2), axes=1)
    entropy = entr(mixture).sum(axis=1)
    return np.maximum(entropy - own, 0.0) + _SHARED_ENTROPY * entropy


def choose_rows(value, kernel, X, n_rows):
    """Rows of large value >= 0 that are not alike by a kernel of at most 1."""
    value, chosen = value.astype(np.float64), []
    for _ in range(min(n_rows, len(value))):
        best = int(np.argmax(value))
        chosen.append(best)
        value = value * (1.0 - kernel(X, X[[best]])[:, 0])
        value[chosen] = -1.0
    return np.array(chosen, dtype=int)

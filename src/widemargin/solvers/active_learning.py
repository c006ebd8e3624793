"""Rows whose label would help the most."""

import numpy as np
from scipy.special import entr

_SHARED_ENTROPY = 0.05  # how much the uncertainty counts that all candidates share


def information(probabilities, weights):
    """How much the label of each row would help, in nats.

    The entropy of the mixture minus the mean entropy of the candidates, which is large
    where each is certain and they contradict each other: the label then decides between
    candidates. A twentieth of the mixture's entropy is added, for rows of which all
    candidates are uncertain. Probabilities are (n_candidates, n_rows, n_classes); the
    weights of the candidates add up to one.
    """
    mixture = np.tensordot(weights, probabilities, axes=1)
    own = np.tensordot(weights, entr(probabilities).sum(axis=2), axes=1)
    entropy = entr(mixture).sum(axis=1)
    return np.maximum(entropy - own, 0.0) + _SHARED_ENTROPY * entropy


def choose_rows(value, kernel, X, n_rows):
    """Rows of large value that are not alike, the best first.

    Each choice lowers the non-negative value of the other rows in proportion to their
    similarity, a kernel from 0 to 1.
    """
    value, chosen = value.astype(np.float64), []
    for _ in range(min(n_rows, len(value))):
        best = int(np.argmax(value))
        chosen.append(best)
        value = value * (1.0 - kernel(X, X[[best]])[:, 0])
        value[chosen] = -1.0
    return np.array(chosen, dtype=int)

"""The labels that all generators share."""

import numpy as np


def balanced_labels(n_samples, n_classes, rng):
    """Labels 0, ..., n_classes - 1 in random order, as often as each other.

    Where `n_samples` is no multiple of `n_classes`, the first classes have one more.
    """
    return rng.permutation(np.arange(n_samples) % n_classes)

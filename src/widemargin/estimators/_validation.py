"""Labels held out for early stopping."""

import numpy as np


def hold_out_labels(codes, fraction, rng):
    """A random share of the labels of each class, never the last one of a class.

    Parameters
    ----------
    codes : ndarray of shape (n_labels,)
        Class codes.
    fraction : float
        Share to hold out.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of bool, shape (n_labels,)

    Raises
    ------
    ValueError
        If no label can be spared.
    """
    held_out = np.zeros(len(codes), dtype=bool)
    for code in np.unique(codes):
        members = rng.permutation(np.flatnonzero(codes == code))
        n_held = min(int(np.ceil(fraction * len(members))), len(members) - 1)
        held_out[members[:n_held]] = True
    if not held_out.any():
        raise ValueError(
            "early_stopping with a validation check holds out labels, but every class "
            "has one label only; use early_stopping='stability'."
        )
    return held_out

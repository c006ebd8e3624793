"""What the user says about the clusters of single samples."""

from dataclasses import dataclass

import numpy as np

from widemargin.estimators._checks import plain
from widemargin.labels import labeled_mask


@dataclass(frozen=True)
class Wishes:
    """Clusters that samples start from, and samples that must keep theirs.

    Attributes
    ----------
    codes : ndarray of int32, shape (n,)
        Cluster of each sample; means nothing where none is wished.
    wished : ndarray of bool, shape (n,)
        Samples for which the user named a cluster.
    fixed : ndarray of bool, shape (n,)
        Those among them that keep it.
    """

    codes: np.ndarray
    wished: np.ndarray
    fixed: np.ndarray

    @property
    def is_complete(self):
        """Whether every sample has a cluster to start from."""
        return bool(self.wished.all())

    def part(self, rows):
        """The wishes for some of the samples."""
        return Wishes(self.codes[rows], self.wished[rows], self.fixed[rows])

    def dropped(self):
        """No wishes for the same samples."""
        nobody = np.zeros_like(self.fixed)
        return Wishes(self.codes, nobody, nobody)


def read_wishes(init, fixed, n_samples, n_clusters, method):
    """The wishes in `init` and `fixed`, checked.

    Parameters
    ----------
    init : array-like of shape (n_samples,) or None
        Cluster of each sample; -1 or a missing value for no opinion.
    fixed : array-like of bool or int, or None
        Samples that keep their cluster in `init`, as a mask or as positions.
    method : str
        Whose arguments they are, for messages.
    """
    codes, wished = np.zeros(n_samples, dtype=np.int32), np.zeros(n_samples, dtype=bool)
    is_fixed = wished.copy()
    if init is not None:
        codes, wished = _read_init(init, n_samples, n_clusters, method)
    if fixed is not None:
        is_fixed = _read_fixed(fixed, n_samples, method)
    if (is_fixed & ~wished).any():
        raise ValueError(
            f"fixed of {method} names sample {np.flatnonzero(is_fixed & ~wished)[0]}, "
            "for which init has no cluster; pass init with the cluster of every fixed "
            "sample."
        )
    return Wishes(codes, wished, is_fixed)


def _read_init(init, n_samples, n_clusters, method):
    """The clusters in `init`, and which samples have one."""
    values = np.asarray(init)
    if values.dtype.kind == "f" and np.array_equal(values, np.rint(values)):
        values = values.astype(np.int64)  # whole numbers, -1 among them
    if values.shape != (n_samples,) or values.dtype.kind not in "iufO":
        raise ValueError(
            f"init of {method} must have one cluster for each of the {n_samples} "
            "samples, whole numbers or -1 for no opinion, got shape "
            f"{values.shape} of type {values.dtype}."
        )
    wished = labeled_mask(values)
    wished[wished] = [value != -1 for value in values[wished]]  # beside missing values
    codes = np.zeros(n_samples)
    try:
        codes[wished] = values[wished]
    except (TypeError, ValueError):
        codes[wished] = -1
    is_cluster = (codes == np.rint(codes)) & (codes >= 0) & (codes < n_clusters)
    if not is_cluster.all():
        raise ValueError(
            f"init of {method} must hold whole numbers from 0 to {n_clusters - 1}, or "
            f"-1 for no opinion, got {plain(values[~is_cluster][0])!r}."
        )
    return codes.astype(np.int32), wished


def _read_fixed(fixed, n_samples, method):
    """The samples in `fixed`, as a mask."""
    given, mask = np.asarray(fixed), np.zeros(n_samples, dtype=bool)
    is_mask = given.dtype == bool and given.shape == (n_samples,)
    if is_mask or _are_positions(given, n_samples):
        mask[given] = True
    elif given.shape != (0,):  # an empty list has no type
        shown = np.array2string(given, separator=", ", threshold=20)
        raise ValueError(
            f"fixed of {method} must be a mask of {n_samples} samples or positions "
            f"from 0 to {n_samples - 1}, got {shown}."
        )
    return mask


def _are_positions(values, n_samples):
    """Whether these are positions of samples, and no mask of zeros and ones."""
    if values.dtype.kind not in "iu" or values.ndim != 1 or not len(values):
        return False
    if len(values) == n_samples > 2 and set(values.tolist()) <= {0, 1}:
        return False
    return values.min() >= 0 and values.max() < n_samples

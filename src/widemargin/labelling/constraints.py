"""What the user says about the clusters of single rows."""

from dataclasses import dataclass

import numpy as np

from widemargin.checks import plain
from widemargin.labels import labeled_mask


@dataclass(frozen=True)
class Constraints:
    """Clusters that rows start from, and rows that must keep theirs."""

    codes: np.ndarray  # (n,)
    named: np.ndarray  # where the user named a cluster; other codes mean nothing
    fixed: np.ndarray  # rows that keep theirs

    @property
    def is_complete(self):
        """Whether every row has a cluster to start from."""
        return bool(self.named.all())

    def part(self, idx):
        """The constraints of some of the rows."""
        return Constraints(self.codes[idx], self.named[idx], self.fixed[idx])

    def dropped(self):
        """No constraints for the same rows."""
        none = np.zeros_like(self.fixed)
        return Constraints(self.codes, none, none)


def read_constraints(init, fixed, n_samples, n_clusters, method):
    """The constraints in `init` and `fixed`, checked; `method` is for messages.

    `init` has the cluster of each row, -1 or a missing value for none; `fixed` is a
    mask or positions of rows that keep theirs.
    """
    codes, named = np.zeros(n_samples, dtype=np.int32), np.zeros(n_samples, dtype=bool)
    is_fixed = named.copy()
    if init is not None:
        codes, named = _read_init(init, n_samples, n_clusters, method)
    if fixed is not None:
        is_fixed = _read_fixed(fixed, n_samples, method)
    if (is_fixed & ~named).any():
        raise ValueError(
            f"fixed of {method} names sample {np.flatnonzero(is_fixed & ~named)[0]}, "
            "for which init has no cluster; pass init with the cluster of every fixed "
            "sample."
        )
    return Constraints(codes, named, is_fixed)


def _read_init(init, n_samples, n_clusters, method):
    """The clusters in `init`, and which samples have one."""
    values = np.asarray(init)
    if values.dtype.kind == "f" and np.array_equal(values, np.rint(values)):
        values = values.astype(np.int64)  # whole numbers, -1 among them
    if values.shape != (n_samples,) or values.dtype.kind not in "iufO":
        raise ValueError(
            f"init of {method} must have one cluster for each of the {n_samples} "
            "samples, whole numbers or -1 for none, got shape "
            f"{values.shape} of type {values.dtype}."
        )
    named = labeled_mask(values)
    named[named] = [value != -1 for value in values[named]]  # beside missing values
    codes = np.zeros(n_samples)
    try:
        codes[named] = values[named]
    except (TypeError, ValueError):
        codes[named] = -1
    is_cluster = (codes == np.rint(codes)) & (codes >= 0) & (codes < n_clusters)
    if not is_cluster.all():
        raise ValueError(
            f"init of {method} must hold whole numbers from 0 to {n_clusters - 1}, or "
            f"-1 for none, got {plain(values[~is_cluster][0])!r}."
        )
    return codes.astype(np.int32), named


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

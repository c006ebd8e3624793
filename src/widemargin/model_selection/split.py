"""Cross-validation for partly labeled targets."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, check_cv

from widemargin.labels import has_label, read_labels


@dataclass(eq=False)
class SemiSupervisedSplit:
    """Cross-validate over the labeled rows; train with every unlabeled one.

    Each training fold holds all unlabeled rows and the labeled rows that are not in the
    test fold; test folds hold labeled rows only, so that every score compares with a
    known label. Use it with scikit-learn's `GridSearchCV` and the like.

    Parameters
    ----------
    cv : int or cross-validation splitter, default=5
        How to split the labeled rows: a number of stratified folds, or any splitter.
    shuffle, random_state : bool, default=True; int, RandomState or None, default=0
        Whether to shuffle the labeled rows of each class before they are split into a
        number of folds, and the seed.
    irrelevant_label : label or None, default=None
        The value in y that marks rows known to be irrelevant (as in `TriClassSVC` and
        `UniversumSVC`): they stay in training and are never scored.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from widemargin import LaplacianSVC
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> from widemargin.model_selection import SemiSupervisedSplit
    >>> X, y = make_two_moons(random_state=0)
    >>> y_partial, cv = hide_labels(y, 30, rng=0), SemiSupervisedSplit(5)
    >>> bool(cross_val_score(LaplacianSVC(), X, y_partial, cv=cv).mean() > 0.8)
    True
    """

    cv: object = 5
    _: KW_ONLY
    shuffle: bool = True
    random_state: object = 0
    irrelevant_label: object = None

    def split(
        self, X: Any, y: Any, groups: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Generate training and test positions, `groups` being those of all rows."""
        labeled, labels, groups = self._read(y, groups)
        others = np.ones(len(y), dtype=bool)
        others[labeled] = False
        unlabeled = np.flatnonzero(others)
        splits = self._splitter(labels).split(labeled, labels.codes, groups)
        for train, test in splits:
            yield np.sort(np.concatenate([labeled[train], unlabeled])), labeled[test]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of folds."""
        if isinstance(self.cv, Integral):
            return self.cv
        if y is None:
            return check_cv(self.cv).get_n_splits(X, y, groups)
        labeled, labels, groups = self._read(y, groups)
        return self._splitter(labels).get_n_splits(labeled, labels.codes, groups)

    def _read(self, y, groups):
        """Positions of the labeled rows, their labels and their groups."""
        relevant = np.flatnonzero(~has_label(y, self.irrelevant_label))
        labels = read_labels(y, relevant)
        labeled = relevant[labels.labeled]
        return labeled, labels, None if groups is None else np.asarray(groups)[labeled]

    def _splitter(self, labels):
        if not isinstance(self.cv, Integral):
            return check_cv(self.cv)
        if not 2 <= self.cv <= labels.n_labeled:
            raise ValueError(
                f"cv of SemiSupervisedSplit must be from 2 to the number of labeled "
                f"rows ({labels.n_labeled}), got {self.cv}."
            )
        largest = int(np.bincount(labels.codes).max())
        if self.cv > largest:
            raise ValueError(
                f"cv={self.cv} of SemiSupervisedSplit exceeds the number of labels of "
                f"the largest class ({largest}); use at most "
                f"SemiSupervisedSplit({max(2, largest)}), or label more rows."
            )
        seed = self.random_state if self.shuffle else None
        return StratifiedKFold(self.cv, shuffle=self.shuffle, random_state=seed)

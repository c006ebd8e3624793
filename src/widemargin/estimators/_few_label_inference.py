"""What the candidates say of the unlabeled rows."""

from dataclasses import dataclass

import numpy as np

from widemargin.estimators._candidates import class_probabilities
from widemargin.kernels import Rbf
from widemargin.kernels.blocks import row_blocks
from widemargin.solvers.label_next import choose_rows, information

_COMPARED_ROWS = 20_000  # on which candidates without weight are looked at, too
_N_NEXT = 10  # rows that are proposed for labelling
_NEXT_ROWS = 2000  # of the largest value, among which they are chosen


@dataclass(frozen=True)
class Inference:
    """Classes of the unlabeled rows and what they differ in.

    Attributes
    ----------
    codes : ndarray of shape (n_rows,)
        Classes by the mixture.
    n_changed : int
        Rows in another class than the first candidate says.
    changed : ndarray of shape (n_candidates,)
        Share of rows that each candidate puts into another class than the first one.
    label_next : ndarray of int
        Rows of X whose label would tell the most, the best first.
    """

    codes: np.ndarray
    n_changed: int
    changed: np.ndarray
    label_next: np.ndarray


def infer(models, shares, X, rows, n_classes, gamma):
    """Ask the candidates about rows of X, in pieces.

    Parameters
    ----------
    models : list of classifiers
        Fitted; their classes are codes.
    shares : ndarray of shape (n_candidates,)
        How far each counts; those of weight zero are asked about 20,000 rows only.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    rows : ndarray of int
        In random order.
    n_classes : int
    gamma : float
        Width of the kernel that says which rows are alike.

    Returns
    -------
    Inference
    """
    codes, value = np.empty(len(rows), dtype=np.intp), np.empty(len(rows))
    differ, n_compared = np.zeros(len(models)), np.zeros(len(models))
    n_changed, is_used = 0, shares > 0
    is_used[0] = True
    for block in row_blocks(len(rows), len(models) * n_classes, 8):
        points = X[rows[block]]
        asked = np.flatnonzero(is_used | (block.start < _COMPARED_ROWS))
        probabilities = np.array(
            [class_probabilities(models[c], points, n_classes) for c in asked]
        )
        mixture = np.tensordot(shares[asked], probabilities, axes=1)
        codes[block] = mixture.argmax(axis=1)
        value[block] = information(probabilities, shares[asked])
        own = probabilities.argmax(axis=2)
        differ[asked] += (own != own[0]).sum(axis=1)
        n_compared[asked] += len(mixture)
        n_changed += int((codes[block] != own[0]).sum())
    changed = differ / np.maximum(n_compared, 1)
    return Inference(codes, n_changed, changed, _next(X, rows, value, gamma))


def _next(X, rows, value, gamma):
    """Rows whose label would tell the most, unlike each other."""
    best = np.argsort(-value, kind="stable")[:_NEXT_ROWS]
    points, kernel = X[rows[best]], Rbf(gamma)
    chosen = choose_rows(
        value[best], lambda i: kernel(points, points[[i]])[:, 0], _N_NEXT
    )
    return rows[best[chosen]]

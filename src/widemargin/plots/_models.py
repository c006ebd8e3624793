"""What displays ask of a fitted model: its kind, and what it made of the rows."""

from dataclasses import dataclass

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from widemargin.labels import decide, labeled_mask


@dataclass(frozen=True)
class InferredRows:
    """The class of each row, given or inferred.

    Attributes
    ----------
    codes : ndarray of int, shape (n_samples,)
        Position in `classes`; -1 for rows that belong to none of them.
    labeled : ndarray of bool, shape (n_samples,)
        Whether y has a label.
    classes : ndarray of shape (n_classes,)
    """

    codes: np.ndarray
    labeled: np.ndarray
    classes: np.ndarray


def check_model(estimator, who, *, needs=(), advice=""):
    """Raise unless the estimator is fitted and has what is needed."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(
            f"estimator of {who} must be a fitted estimator, got {estimator!r}."
        )
    check_is_fitted(estimator)
    missing = [name for name in needs if not hasattr(estimator, name)]
    if missing:
        raise TypeError(
            f"estimator of {who} must have {missing[0]}, which "
            f"{type(last_step(estimator)).__name__} does not; {advice}."
        )


def last_step(estimator):
    """The model itself, out of a search over parameters or a pipeline."""
    estimator = getattr(estimator, "best_estimator_", estimator)
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def see_through(estimator, X):
    """The model out of its pipeline, and the rows as it sees them.

    Rows of two features stay as they are, with their pipeline: they can be drawn in the
    units that they have.
    """
    estimator = getattr(estimator, "best_estimator_", estimator)
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    is_plane = len(shape) == 2 and shape[1] == 2
    if is_plane or not isinstance(estimator, Pipeline) or len(estimator) < 2:
        return estimator, X
    return estimator[-1], estimator[:-1].transform(X)


def is_pairwise(estimator):
    """Whether the model takes Gram matrices."""
    return getattr(last_step(estimator), "kernel", None) == "precomputed"


def score_matrix(estimator, X, n_classes, who):
    """One-vs-rest scores, (n_samples, n_classes); one column for two classes."""
    scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
    scores = scores[:, None] if scores.ndim == 1 else scores
    n_columns = 1 if n_classes == 2 else n_classes
    if scores.shape[1] != n_columns:
        raise ValueError(
            f"decision_function of the estimator of {who} must return {n_columns} "
            f"column(s) for {n_classes} classes, got {scores.shape[1]}; use "
            "one-vs-rest scores."
        )
    return scores


def infer_rows(estimator, X, y, who):
    """The class of each row: as labeled, as inferred in `fit`, or as predicted.

    Labels in y that are no class of the model (those of irrelevant rows), and rows that
    the model found irrelevant in `fit`, have the code -1.
    """
    classes, model = estimator.classes_, last_step(estimator)
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    labeled = np.zeros(n_samples, dtype=bool) if y is None else labeled_mask(y)
    if len(labeled) != n_samples:
        raise ValueError(
            f"y of {who} must have one entry for each of the {n_samples} rows of X, "
            f"got {len(labeled)}."
        )
    given = np.full(n_samples, -1)
    if labeled.any():
        given[labeled] = find_codes(np.asarray(y, dtype=object)[labeled], classes)
    codes = _fitted_codes(model, classes, given)
    if codes is None or y is None:
        scores = score_matrix(estimator, X, len(classes), who)
        codes = decide(scores)
    else:
        relevant = getattr(model, "relevance_", None)
        if relevant is not None:
            codes[~relevant] = -1
    codes[labeled] = given[labeled]
    return InferredRows(codes, labeled, classes)


def _fitted_codes(model, classes, given):
    """Codes of ``transduction_`` if it speaks of these rows, else None."""
    transduction = getattr(model, "transduction_", None)
    if transduction is None or len(transduction) != len(given):
        return None
    codes, known = find_codes(transduction, classes), given >= 0
    return codes if np.array_equal(codes[known], given[known]) else None


def find_codes(values, classes):
    """Position of each value in the classes; -1 if it is none of them."""
    codes = {name: code for code, name in enumerate(classes.tolist())}
    return np.array([codes.get(value, -1) for value in values], dtype=int)

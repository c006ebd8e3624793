"""What displays read of a fitted model and of rows: classes, scores, and a plane."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, get_tags
from sklearn.utils.validation import check_is_fitted

from widemargin.estimators._estimator import last_step
from widemargin.labels import decide, labeled_mask
from widemargin.plots._style import short_name


@dataclass(frozen=True)
class InferredRows:
    """The class of each row, given or inferred; code -1 for rows of no class."""

    codes: np.ndarray
    labeled: np.ndarray
    classes: np.ndarray


def check_model(estimator, who, *, needs=(), advice=""):
    """Raise unless the estimator is fitted and has all attributes in `needs`."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(
            f"estimator of {who} must be a fitted estimator, got {estimator!r}."
        )
    check_is_fitted(estimator)
    missing = [name for name in needs if not hasattr(estimator, name)]
    if missing:
        raise TypeError(
            f"estimator of {who} must have {missing[0]}, which "
            f"{model_name(estimator)} does not; {advice}."
        )


def check_classifier(estimator, who):
    """Raise unless the estimator is a fitted classifier with scores."""
    advice = "pass a classifier, or use ClusterDisplay for clusters"
    check_model(estimator, who, needs=("classes_", "decision_function"), advice=advice)


def model_name(estimator):
    """What the model is called in messages and titles."""
    return type(last_step(estimator)).__name__


def see_through(estimator, X):
    """The last step of a pipeline and its rows, except for rows of two features."""
    estimator = getattr(estimator, "best_estimator_", estimator)
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    is_plane = len(shape) == 2 and shape[1] == 2
    if is_plane or not isinstance(estimator, Pipeline) or len(estimator) < 2:
        return estimator, X
    return estimator[-1], estimator[:-1].transform(X)


def is_pairwise(estimator):
    """Whether the model takes Gram matrices."""
    return get_tags(last_step(estimator)).input_tags.pairwise


def count_rows(X):
    """Number of rows of an array, a sparse matrix, a data frame or a list."""
    return X.shape[0] if hasattr(X, "shape") else len(X)


def check_length(values, n_rows, name, who):
    """Raise ValueError unless there is one value for each row of X."""
    if len(values) != n_rows:
        raise ValueError(
            f"{name} of {who} must have one entry for each of the {n_rows} rows of X, "
            f"got {len(values)}."
        )


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
    """Class of each row: as labeled, inferred in `fit`, or predicted; -1 for none."""
    classes, model = estimator.classes_, last_step(estimator)
    n_samples = count_rows(X)
    labeled = np.zeros(n_samples, dtype=bool) if y is None else labeled_mask(y)
    check_length(labeled, n_samples, "y", who)
    given = np.full(n_samples, -1)
    if labeled.any():
        given[labeled] = find_codes(np.asarray(y, dtype=object)[labeled], classes)
    codes = None if y is None else _fitted_codes(model, classes, given)
    if codes is None:
        codes = decide(score_matrix(estimator, X, len(classes), who))
    elif getattr(model, "relevance_", None) is not None:
        codes[~model.relevance_] = -1
    codes[labeled] = given[labeled]
    return InferredRows(codes, labeled, classes)


def _fitted_codes(model, classes, given):
    """Codes of ``transduction_`` if it is that of these rows, else None."""
    transduction = getattr(model, "transduction_", None)
    if transduction is None or len(transduction) != len(given):
        return None
    codes, known = find_codes(transduction, classes), given >= 0
    return codes if np.array_equal(codes[known], given[known]) else None


def find_codes(values, classes):
    """Position of each value in the classes; -1 for other values."""
    codes = {name: code for code, name in enumerate(classes.tolist())}
    return np.array([codes.get(value, -1) for value in values], dtype=int)


@dataclass(frozen=True)
class Plane:
    """Where rows are drawn; `lift` maps points back to rows, if that is possible."""

    points: np.ndarray  # (n_samples, 2)
    axis_names: tuple
    is_projection: bool
    lift: Callable | None


def make_plane(X, projection, who, estimator=None):
    """The plane in which to draw the rows of X, which the estimator takes."""
    if not (projection is None or isinstance(projection, str)):
        points, wanted = np.asarray(projection, dtype=np.float64), (count_rows(X), 2)
        if points.shape != wanted:
            raise ValueError(
                f"projection of {who} must have shape {wanted}, one point for each row "
                f"of X, got {points.shape}."
            )
        return Plane(points, ("coordinate 1", "coordinate 2"), True, None)
    if projection not in ("pca", None):
        raise ValueError(
            f"projection of {who} must be 'pca', None or an array of shape "
            f"(n_samples, 2), got {projection!r}."
        )
    if estimator is not None and is_pairwise(estimator):
        raise ValueError(
            f"X of {who} is a precomputed Gram matrix, which has no features to draw; "
            "pass points as projection, an array of shape (n_samples, 2)."
        )
    rows = check_array(X, accept_sparse="csr", dtype=np.float64, input_name="X")
    n_features = rows.shape[1]
    if n_features < 2:
        raise ValueError(
            f"X of {who} must have at least 2 features, got 1; pass points as "
            "projection, an array of shape (n_samples, 2)."
        )
    if n_features == 2:
        points = rows.toarray() if sparse.issparse(rows) else rows
        names = getattr(X, "columns", ("feature 1", "feature 2"))
        names = tuple(short_name(name) for name in names)
        return Plane(points, names, False, lambda new: _like(X, new))
    if projection is None:
        raise ValueError(
            f"X of {who} must have 2 features with projection=None, got {n_features}; "
            "use projection='pca', or pass an array of shape (n_samples, 2)."
        )
    solver = "arpack" if sparse.issparse(rows) else "auto"
    pca = PCA(n_components=2, svd_solver=solver, random_state=0)
    points = pca.fit_transform(rows)
    names = tuple(
        f"component {number} ({100 * share:.0f} % of the variance)"
        for number, share in enumerate(np.nan_to_num(pca.explained_variance_ratio_), 1)
    )
    return Plane(points, names, True, lambda new: _like(X, pca.inverse_transform(new)))


def _like(X, rows):
    """The rows as a table of the kind and with the columns of X."""
    if not hasattr(X, "columns"):
        return rows
    if hasattr(X, "iloc"):  # pandas
        return type(X)(rows, columns=X.columns)
    return type(X)(rows, schema=list(X.columns))

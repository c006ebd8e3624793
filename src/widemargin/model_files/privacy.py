"""Whether a model holds rows of the data that it was trained on."""

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from widemargin.kernels import Linear, Precomputed
from widemargin.linalg.rows import distinct_rows


def describe_privacy(model):
    """A sentence on the training rows that a fitted model, or pipeline, holds."""
    if isinstance(model, Pipeline):
        sentence = describe_privacy(model[-1])
        return (
            f"{sentence} Steps before it hold statistics of columns, and categories "
            "and words that were in them."
        )
    if not hasattr(model, "points_") and not hasattr(model, "models_"):
        return "No training rows are inside."
    if isinstance(getattr(model, "kernel_", None), Precomputed):
        return "No training rows are inside, only the positions of those that it uses."
    if _has_weights_only(model):
        return "No training rows are inside, only a weight for each feature."
    n_rows = _count_rows(model)
    rows = "1 training row is" if n_rows == 1 else f"{n_rows:,} training rows are"
    return f"{rows} inside: whoever has the file can read all features of these rows."


def _has_weights_only(model):
    """Whether the points of a linear machine are the axes."""
    if not isinstance(getattr(model, "kernel_", None), Linear):
        return False
    coefficients = model.dual_coef_
    is_square = coefficients.shape[0] == coefficients.shape[1]
    return is_square and np.array_equal(coefficients, np.eye(len(coefficients)))


def _count_rows(model):
    """Rows inside; those that several machines of a mixture have count once."""
    if not hasattr(model, "models_"):
        return model.points_.shape[0]
    rows = [
        machine.points_
        for machine in model.models_
        if machine.points_.ndim == 2 and not _has_weights_only(machine)
    ]
    if any(sparse.issparse(points) for points in rows):
        stacked = sparse.vstack([sparse.csr_matrix(points) for points in rows]).tocsr()
    else:
        stacked = np.vstack(rows)
    return len(distinct_rows(stacked)[0])

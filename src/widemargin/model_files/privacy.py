"""Whether a model holds rows of the data that it was trained on."""

import numpy as np
from sklearn.pipeline import Pipeline

from widemargin.kernels import Linear, Precomputed


def describe_privacy(model):
    """A sentence on the training rows that a fitted model, or pipeline, holds."""
    if isinstance(model, Pipeline):
        sentence = describe_privacy(model[-1])
        return (
            f"{sentence} Steps before it hold statistics of columns, and categories "
            "and words that were in them."
        )
    if not hasattr(model, "points_"):
        return "No training rows are inside."
    if isinstance(model.kernel_, Precomputed):
        return "No training rows are inside, only the positions of those that it uses."
    coefficients = model.dual_coef_
    is_square = coefficients.shape[0] == coefficients.shape[1]
    if (
        isinstance(model.kernel_, Linear)
        and is_square
        and np.array_equal(coefficients, np.eye(len(coefficients)))
    ):
        return "No training rows are inside, only a weight for each feature."
    n_rows = model.points_.shape[0]
    rows = "1 training row is" if n_rows == 1 else f"{n_rows:,} training rows are"
    return f"{rows} inside: whoever has the file can read all features of these rows."

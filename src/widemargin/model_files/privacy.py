"""Whether a model holds rows of the data that it was trained on."""

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from widemargin.estimators._estimator import Estimator
from widemargin.linalg.rows import distinct_rows
from widemargin.stored import Stored, parts_in


def describe_privacy(model):
    """A sentence on the training rows that a fitted model, or pipeline, holds."""
    if isinstance(model, Pipeline):
        sentence = describe_privacy(model[-1])
        return (
            f"{sentence} Steps before it hold statistics of columns, and categories "
            "and words that were in them."
        )
    n_rows = _count_rows([part.training_rows for part in _parts_of(model)])
    if n_rows == 0:
        return "No training rows are inside."
    rows = "1 training row is" if n_rows == 1 else f"{n_rows:,} training rows are"
    return f"{rows} inside: whoever has the file can read all features of these rows."


def _parts_of(model):
    """The stored parts of an estimator, and of estimators inside of it."""
    state = [getattr(model, name, None) for name in model.saved_state]
    for part in parts_in(state, (Stored, Estimator)):
        yield from [part] if isinstance(part, Stored) else _parts_of(part)


def _count_rows(tables):
    """Number of different rows in several tables."""
    tables = [rows for rows in tables if rows is not None and rows.shape[0]]
    if not tables:
        return 0
    if any(sparse.issparse(rows) for rows in tables):
        stacked = sparse.vstack([sparse.csr_matrix(rows) for rows in tables]).tocsr()
    else:
        stacked = np.vstack(tables)
    return len(distinct_rows(stacked)[0])

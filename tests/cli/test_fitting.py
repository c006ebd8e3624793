import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.pipeline import Pipeline

from widemargin.cli.fitting import cross_validate, limit_folds
from widemargin.labels import labeled_mask


class Known(ClassifierMixin, BaseEstimator):
    """Predicts the label that a row holds; checks what it is given."""

    def fit(self, X, y):
        assert (~labeled_mask(y)).sum() == 10
        return self

    def predict(self, X):
        return np.where(X[:, 0] > 0, "up", "down")


class Same(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        return X.to_numpy()


def test_each_labeled_row_is_left_out_once():
    value = np.where(np.arange(30) % 2, 1.0, -1.0)
    y = np.where(value > 0, "up", "down").astype(object)
    y[0], y[20:] = "up", None  # one label is wrong
    counted = []
    measured = cross_validate(
        Pipeline([("same", Same()), ("known", Known())]),
        pd.DataFrame({"value": value}),
        y,
        n_folds=4,
        seed=0,
        advance=lambda: counted.append(1),
    )
    assert (measured.n_rows, measured.n_right) == (20, 19)
    assert measured.n_right_baseline == 19
    assert len(counted) == 4
    assert measured.as_json()["accuracy"] == 0.95


@pytest.mark.parametrize(
    ("n_folds", "counts", "expected"),
    [(5, [9, 8], 5), (5, [3, 2], 3), (5, [9, 1], 0), (5, [9], 0), (0, [9, 9], 0)],
)
def test_folds_that_labels_allow(n_folds, counts, expected):
    assert limit_folds(n_folds, counts) == expected

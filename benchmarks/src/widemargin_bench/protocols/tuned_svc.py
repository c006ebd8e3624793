"""What one would do with the labels alone: a support vector machine, tuned."""

import warnings

import numpy as np
from scipy import sparse
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

N_FOLDS = 5
C = (10.0, 1.0, 100.0, 0.1)  # of equals the first is taken: the usual ones come first
WIDTHS = (1.0, 0.3, 3.0, 0.1)  # times one over the number of features times variance


def tuned_svc(draw, _):
    """C and width by cross-validation; the usual ones if no class has two labels."""
    X, y = draw.labeled_part
    folds = label_folds(y, draw.seed)
    model = SVC(C=10)
    if folds:
        grid = {"C": C, "gamma": [width / spread(X) for width in WIDTHS]}
        model = GridSearchCV(model, grid, cv=folds, error_score="raise")
    return draw.measure(model, supervised=True)


def spread(X):
    """Number of features times variance, as in SVC's width "scale"."""
    if sparse.issparse(X):
        return X.shape[1] * (X.multiply(X).mean() - X.mean() ** 2)
    return X.shape[1] * X.var()


def label_folds(y, seed):
    """Pairs of labels to fit on and to ask for, as in scikit-learn's splitters.

    The only label of a class is never asked for, so that each part to fit on has all
    classes. There are no pairs if no class has two labels.
    """
    counts = np.bincount(y)
    n_folds = min(N_FOLDS, counts.max())
    if n_folds < 2:
        return []
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        asked = [rows[counts[y[rows]] > 1] for _, rows in splitter.split(y, y)]
    every = np.arange(len(y))
    return [(np.setdiff1d(every, rows), rows) for rows in asked if len(rows)]

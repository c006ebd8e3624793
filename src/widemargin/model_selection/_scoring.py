"""What a scoring parameter means."""

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names, log_loss, recall_score


def read_scoring(scoring, whose):
    """The callable ``scorer(estimator, X, y)`` of a name; callables stay.

    Parameters
    ----------
    scoring : str or callable
    whose : str
        Name of the function with this parameter, for the message.
    """
    if callable(scoring):
        return scoring
    if isinstance(scoring, str) and scoring in _OWN:
        return _OWN[scoring]
    if isinstance(scoring, str) and scoring in get_scorer_names():
        return get_scorer(scoring)
    wanted = "a name of sklearn.metrics.get_scorer_names() or a callable"
    if isinstance(scoring, str) and scoring == "log_loss":
        wanted = "larger for better estimators: 'neg_log_loss'"
    raise ValueError(f"scoring of {whose} must be {wanted}, got {scoring!r}.")


def _negative_log_loss(estimator, X, y, sample_weight=None):
    """Also where a class is missing in y, which scikit-learn's scorer refuses."""
    return -log_loss(
        y,
        estimator.predict_proba(X),
        labels=estimator.classes_,
        sample_weight=sample_weight,
    )


def _balanced_accuracy(estimator, X, y, sample_weight=None):
    """Without the warning if a class is predicted that is missing in y."""
    return recall_score(
        y,
        estimator.predict(X),
        labels=np.unique(y),
        average="macro",
        sample_weight=sample_weight,
    )


_OWN = {"balanced_accuracy": _balanced_accuracy, "neg_log_loss": _negative_log_loss}

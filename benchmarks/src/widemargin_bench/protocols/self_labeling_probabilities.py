"""Probabilities of self-labeling Gaussian processes, and of machines for the labels."""

import numpy as np
from scipy.special import ndtr
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from widemargin.estimators import SelfLabelingGPC
from widemargin_bench.benchmark import Method
from widemargin_bench.peers import make_process

TRUE_SHARES = "true class shares"


def own_probability(model, X):
    """Of class 1, as the model says."""
    return model.predict_proba(X)[:, 1]


def paper_probability(model, X):
    """Phi(f / sqrt(1 + v)), as if the noise were 1."""
    _, deviation = model.predict(X, return_std=True)
    return ndtr(model.decision_function(X) / np.sqrt(1.0 + deviation**2))


def steep_probability(model, X):
    """Phi(2 f), which needs no variance."""
    return ndtr(2.0 * model.decision_function(X))


def score_probabilities(draw, model, read=own_probability, *, supervised=False):
    """Fit and score: log-loss and seconds."""
    seconds = draw.fit(model, supervised=supervised)
    loss = log_loss(draw.y_test, read(model, draw.X_test), labels=[0, 1])
    return {"log_loss": float(loss), "fit_seconds": seconds}


def probability(name, kind, read=own_probability, *, knows=TRUE_SHARES, **options):
    """A way to probabilities of `SelfLabelingGPC` on all rows."""

    def measure(draw, _):
        known = draw.known if knows else {}
        model = SelfLabelingGPC(n_landmarks=None, random_state=0, **known, **options)
        return score_probabilities(draw, model, read)

    return Method(name, measure, kind, knows=knows)


class SigmoidSVC:
    """Labels alone, with a sigmoid of the scores that up to five folds leave out.

    Where a class has a single label there are no folds, and scores are those of the
    fit.
    """

    def __init__(self, gamma):
        self.gamma = gamma

    def fit(self, X, y):
        """Fit the machine and the sigmoid."""
        machine, n_folds = SVC(C=10.0, gamma=self.gamma), min(5, np.bincount(y).min())
        if n_folds < 2:
            model = CalibratedClassifierCV(FrozenEstimator(machine.fit(X, y)))
        else:
            folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
            model = CalibratedClassifierCV(machine, cv=folds, ensemble=False)
        self.model_ = model.fit(X, y)
        return self

    def predict_proba(self, X):
        """Probabilities of both classes."""
        return self.model_.predict_proba(X)


def sigmoid_svc(draw, _):
    """The SVC with probabilities."""
    return score_probabilities(draw, SigmoidSVC(draw.gamma), supervised=True)


def process_classifier(draw, _):
    """scikit-learn's Gaussian process on the labels alone."""
    return score_probabilities(draw, make_process(draw.X), supervised=True)


RAW = {"probabilities": "calibrated"}  # scores are not divided by their spread
PROBABILITY_METHODS = (
    probability("paper's formula", "paper", paper_probability, **RAW),
    probability("probit", "ours"),
    probability("calibrated", "ours", probabilities="calibrated"),
    probability("Phi(2f)", "ours", steep_probability, **RAW),
    probability("probit, balance of labels", "ours", knows=""),
    Method("sigmoid SVC", sigmoid_svc, "peer"),
    Method("GaussianProcess", process_classifier, "peer"),
)

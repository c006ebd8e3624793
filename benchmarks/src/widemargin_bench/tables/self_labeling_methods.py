"""Draws and methods of the self-labeling paper's experiments."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import ndtr
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from widemargin import SelfLabelingGPC
from widemargin.kernels import NystromMap, Rbf, choose_landmarks, select_gamma
from widemargin.parameters import Balance
from widemargin_bench.benchmark import Method
from widemargin_bench.draws import PartlyLabeled, percent_wrong
from widemargin_bench.methods import make_process
from widemargin_bench.stored_sets import load_set

DIGITS = tuple(range(10))
N_LANDMARKS = 500
TRUE_SHARES = "true class shares"
_TINY = 1e-10  # variances and precisions of cavities are no smaller


@dataclass(frozen=True)
class SelfLabelingDraw(PartlyLabeled):
    """Rows, and what is known of their classes.

    Attributes
    ----------
    known : Balance or None
        What is known of the sizes of the classes.
    n_landmarks : int or None
        For sparse models.
    """

    known: Balance | None = None
    n_landmarks: int | None = None

    @property
    def gamma(self):
        """One over the mean squared distance of two rows, labeled or not."""
        return 1.0 / (2.0 * self.X.var(axis=0).sum())


@dataclass(frozen=True)
class DigitDraw(SelfLabelingDraw):
    """One digit (class 1) against the rest.

    Attributes
    ----------
    digit : int
    digits : ndarray of int, shape (n_samples,)
        All ten classes.
    """

    digit: int = 0
    digits: np.ndarray | None = None

    def all_digits(self):
        """The same rows and labels, in ten classes."""
        return replace(self, y=self.digits)

    def score_digit(self, model):
        """Errors in % of a model for ten classes, as one for this digit."""
        free = ~self.labeled
        found, guess = model.transduction_[free], model.predict(self.X_test)
        return {
            "unlabeled_error": percent_wrong(found == self.digit, self.y[free]),
            "error": percent_wrong(guess == self.digit, self.y_test),
        }


def two_classes(row, run):
    """The sizes of Table 1; the share of positive rows is 1/2 up to kappa."""
    X, y = _two_class_set(row["set"])
    sizes = row["labeled"], row["unlabeled"], row["test"]
    order = _order_with_every_class(y, row["labeled"], run)
    labeled, unlabeled, test = np.split(order[: sum(sizes)], np.cumsum(sizes)[:2])
    if row["standardized"]:
        X = _standardized(X, np.concatenate([labeled, unlabeled]))
    return replace(
        SelfLabelingDraw.cut(X, y, labeled, unlabeled, test),
        known=Balance({0: 0.5, 1: 0.5}, tolerance=row["kappa"]),
        n_landmarks=round(0.2 * (row["labeled"] + row["unlabeled"])),
    )


def digit_against_rest(row, run):
    """Official parts of USPS; a share of the training rows is labeled."""
    X, y, X_test, y_test = _usps_parts()
    n_labels = round(row["share"] * len(y))
    is_digit = (y == row["digit"]).astype(int)
    share = float(is_digit.mean())
    return DigitDraw(
        X,
        is_digit,
        _mask(y, _order_with_every_class(y, n_labels, run)[:n_labels]),
        X_test,
        (y_test == row["digit"]).astype(int),
        known=Balance({0: 1.0 - share, 1: share}, tolerance=0.1 * share),
        n_landmarks=N_LANDMARKS,
        seed=run,
        digit=row["digit"],
        digits=y,
    )


def ten_classes(row, run):
    """Published labels of uspst, or random ones of the official parts of USPS."""
    if row["set"] == "uspst":
        data = load_set("uspst")
        X, y, test = data.data, data.target, (None, None)
        labeled = data.splits_labeled[run]
    else:
        X, y, *test = _usps_parts()
        labeled = _order_with_every_class(y, row["labels"], run)[: row["labels"]]
    return SelfLabelingDraw(
        X,
        y,
        _mask(y, labeled),
        *test,
        known=Balance({d: float(np.mean(y == d)) for d in DIGITS}),
        n_landmarks=row["landmarks"],
        seed=run,
    )


@lru_cache
def _two_class_set(name):
    """Features and classes 0 and 1 of the rows that the paper uses."""
    data = load_set(name)
    X, y = data.data, data.target
    if name == "splice":
        return X[: data.train_size, 27:34], y[: data.train_size]
    if name == "letter":
        return X[y < 2], y[y < 2]  # A and B
    if name == "usps":
        X, y = X[: data.train_size], y[: data.train_size]
        is_three_or_five = np.isin(y, (3, 5))
        return X[is_three_or_five], (y[is_three_or_five] == 5).astype(int)
    return X, y


@lru_cache
def _usps_parts():
    """Training rows and their digits, test rows and theirs."""
    data = load_set("usps")
    n = data.train_size
    return data.data[:n], data.target[:n], data.data[n:], data.target[n:]


def _order_with_every_class(y, n_labels, run):
    """A random order of all rows, each class among the first `n_labels`."""
    rng, n_classes = np.random.default_rng(run), len(np.unique(y))
    while True:
        order = rng.permutation(len(y))
        if len(np.unique(y[order[:n_labels]])) == n_classes:
            return order


def _standardized(X, rows):
    """Features with the mean and spread of some rows taken off."""
    spread = X[rows].std(axis=0)
    return (X - X[rows].mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def _mask(y, rows):
    labeled = np.zeros(len(y), dtype=bool)
    labeled[rows] = True
    return labeled


def own_probability(model, X):
    """Probability of class 1, from `predict_proba`."""
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


def probability(
    name, kind, read=own_probability, *, extra_input=TRUE_SHARES, **options
):
    """A way to probabilities of `SelfLabelingGPC` on all rows."""

    def measure(draw, _):
        balance = draw.known if extra_input else "labeled"
        given = {"balance": balance, "landmarks": None, "random_state": 0}
        model = SelfLabelingGPC(**given, **options)
        return score_probabilities(draw, model, read)

    return Method(name, measure, kind, extra_input=extra_input)


class SigmoidSVC:
    """Labels alone, with a sigmoid of the scores that up to five folds leave out.

    Where a class has a single label there are no folds, and scores are those of the
    fit.
    """

    def __init__(self, gamma):
        self.gamma = gamma

    def fit(self, X, y):
        """Fit the model and the sigmoid."""
        model, n_folds = SVC(C=10.0, gamma=self.gamma), min(5, np.bincount(y).min())
        if n_folds < 2:
            model = CalibratedClassifierCV(FrozenEstimator(model.fit(X, y)))
        else:
            folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
            model = CalibratedClassifierCV(model, cv=folds, ensemble=False)
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
    probability("probit, balance of labels", "ours", extra_input=""),
    Method("sigmoid SVC", sigmoid_svc, "peer"),
    Method("GaussianProcess", process_classifier, "peer"),
)


class NullCategoryClassifier:
    r"""Two classes with a gap between them, by expectation propagation.

    Parameters
    ----------
    scale : float
        Variance of the process, whose kernel is Gaussian with the mean squared distance
        of two samples as its width.
    gap : float
        Width of the gap; the noise has variance 1.
    n_landmarks : int or None
        Rows that carry a sparse process; None is exact.
    max_iter : int
        Rounds, each of which updates all factors at once.
    damping : float
        Share of an update that is made.
    tol : float
        Rounds end when no mean moves by more than this.
    random_state : int
        For landmarks.

    Notes
    -----
    The likelihood of an unlabeled sample is not log-concave: factors with a negative
    precision are left out, as the authors do.
    """

    def __init__(
        self,
        *,
        scale=10.0,
        gap=1.0,
        n_landmarks=None,
        max_iter=60,
        damping=0.5,
        tol=1e-3,
        random_state=0,
    ):
        self.scale = scale
        self.gap = gap
        self.n_landmarks = n_landmarks
        self.max_iter = max_iter
        self.damping = damping
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y):
        """Fit to rows of classes 0 and 1, those of unlabeled rows being -1."""
        signs = np.where(y < 0, 0.0, 2.0 * y - 1.0)
        self.map_ = self._features_from(X)
        F = self._features(X)  # (n, rank), kernel = F F'
        precision, shift = np.zeros(len(F)), np.zeros(len(F))
        mean, variance = np.zeros(len(F)), np.einsum("ij,ij->i", F, F)
        for _ in range(self.max_iter):
            factors = self._factors(mean, variance, precision, shift, signs)
            precision += self.damping * (factors[0] - precision)
            shift += self.damping * (factors[1] - shift)
            before = mean
            self.coef_, variance = _posterior(F, precision, shift)
            mean = F @ self.coef_
            if np.abs(mean - before).max() <= self.tol:
                break
        return self

    def predict(self, X):
        """Class of each row, 0 or 1."""
        return (self._features(X) @ self.coef_ > 0).astype(int)

    def _features_from(self, X):
        """The map to features whose products are kernel values."""
        rng = np.random.default_rng(self.random_state)
        kernel = Rbf(select_gamma("mean", X, rng))
        rows = choose_landmarks(kernel, X, self.n_landmarks or len(X), rng)
        return NystromMap.fit(kernel, X, rows)

    def _features(self, X):
        return np.sqrt(self.scale) * self.map_(X)

    def _factors(self, mean, variance, precision, shift, signs):
        """Precisions and shifts that match moments; no factor where they cannot."""
        cavity_variance = 1.0 / np.maximum(1.0 / variance - precision, _TINY)
        cavity_mean = cavity_variance * (mean / variance - shift)
        slope, bend = self._slopes(cavity_mean, cavity_variance, signs)
        rest = np.maximum(1.0 - cavity_variance * bend, _TINY)
        shifts = (slope + cavity_mean * bend) / rest
        return np.where(bend > 0, [bend / rest, shifts], 0.0)

    def _slopes(self, mean, variance, signs):
        """First and minus second derivative of log E[p(y | f)] by the cavity's mean."""
        spread = np.sqrt(1.0 + variance)
        total = np.zeros((3, len(mean)))
        for sign in (-1.0, 1.0):
            z = (sign * mean - self.gap / 2) / spread
            density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
            part = [ndtr(z), sign * density / spread, -z * density / spread**2]
            total += np.where(signs == -sign, 0.0, part)
        total /= np.maximum(total[0], 1e-300)
        return total[1], total[1] ** 2 - total[2]


def _posterior(F, precision, shift):
    """Mean of the feature weights, and the variance of each value."""
    active = precision > 0
    weighted = np.sqrt(precision[active])[:, None] * F[active]
    inner = weighted.T @ weighted
    inner.flat[:: len(inner) + 1] += 1.0
    root = cholesky(inner, lower=True, overwrite_a=True, check_finite=False)
    solved = solve_triangular(root, F.T, lower=True, check_finite=False)
    coef = cho_solve((root, True), F.T @ shift, check_finite=False)
    return coef, np.maximum(np.einsum("ij,ij->j", solved, solved), _TINY)

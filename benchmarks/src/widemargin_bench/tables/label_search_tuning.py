"""How label searches are tuned and compared (Gieseke et al., 2012)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import cycle

import numpy as np
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

from widemargin import LabelSearchClassifier, TransductiveSVC
from widemargin.datasets import make_two_moons
from widemargin.parameters import Balance, Evolution, Nystrom, Rbf, Starts
from widemargin_bench import methods
from widemargin_bench.draws import PartlyLabeled, percent_wrong
from widemargin_bench.generators import make_gaussian2c, make_gaussian4c
from widemargin_bench.independent_flips import IndependentFlips
from widemargin_bench.stored_sets import load_set

GENERATORS = {
    "gaussian2c": make_gaussian2c,
    "gaussian4c": make_gaussian4c,
    "moons": make_two_moons,
}
LAMBDAS = 2.0 ** np.arange(-10, 11, 2)  # and C of the support vector model
UNLABELED_WEIGHTS = (0.1, 1.0)  # lambda'
TRANSDUCTIVE_COSTS = (0.01, 1.0, 100.0)  # C* times the number of unlabeled rows
NEIGHBORS = (3, 5, 7, 10, 15, 20)


def share_labels(y):
    """Shares of the labels, each class with one more, up to 0.2."""
    counts = np.bincount(y[y >= 0], minlength=2) + 1
    return Balance(dict(enumerate((counts / counts.sum()).tolist())), 0.2)


@dataclass(frozen=True)
class Partition(PartlyLabeled):
    """Labeled, unlabeled and test rows, and settings that the tables need.

    Attributes
    ----------
    shares : mapping
        Of the classes in the whole set.
    n_landmarks : int or None
    kernel : Kernel or str
    """

    shares: Mapping = field(default_factory=dict)
    n_landmarks: int | None = None
    kernel: object = "linear"

    @property
    def true_balance(self):
        """Shares of the whole set, up to 0.1."""
        return Balance(self.shares, 0.1)

    def scale(self, X):
        """Mean diagonal of the kernel; our weight of the norm is relative to it."""
        return mean_square(X) if self.kernel == "linear" else 1.0

    def error(self, model):
        """Error on the test rows in %."""
        return percent_wrong(model.predict(self.X_test), self.y_test)

    def measure(self, model, *, supervised=False):
        """Fit and score on the test rows, as the paper does."""
        seconds = self.fit(model, supervised=supervised)
        return {"error": self.error(model), "fit_seconds": seconds}


@lru_cache(maxsize=2)
def load_pair(name, pair):
    """Rows of two classes, pixels from 0 to 1, and whether each is of the second."""
    data = load_set("coil20_400" if name == "coil" else name)
    rows = np.isin(data.target, pair)
    X = (data.data[rows] + 1) / 2 if name == "usps" else data.data[rows]
    return X, (data.target[rows] == pair[1]).astype(int)


def load(name, pair, n_rows):
    """Features and classes: a draw of Gaussians, or the first rows of a pair."""
    if name in GENERATORS:
        return GENERATORS[name](n_rows, random_state=0)
    X, y = load_pair(name, pair)
    return X[:n_rows], y[:n_rows]


def partition(row, run):
    """Random labeled, unlabeled and test rows, a label of each class at least."""
    X, y = load(row["set"], row["pair"], row["rows"])
    rng, n_labels, n_train = np.random.default_rng(run), row["labels"], row["train"]
    while True:
        order = rng.permutation(len(y))
        if len(np.unique(y[order[:n_labels]])) == 2:
            break
    n_seen = n_labels + row.options.get("unlabeled", n_train - n_labels)
    drawn = Partition.cut(
        X, y, order[:n_labels], order[n_labels:n_seen], order[n_train:]
    )
    shares = {c: float(np.mean(y == c)) for c in (0, 1)}
    n_landmarks, kernel = row.options.get("landmarks"), "linear"
    if "width" in row.options:
        kernel = Rbf(1.0 / (2.0 * (row["width"] * largest_distance(X)) ** 2))
    return replace(
        drawn, shares=shares, seed=run, n_landmarks=n_landmarks, kernel=kernel
    )


def largest_distance(X):
    """The paper's s: the diagonal of the box around all rows."""
    return float(np.linalg.norm(np.ptp(X, axis=0)))


@dataclass(frozen=True)
class LabelSearch:
    """How labels are searched.

    Attributes
    ----------
    search : Search or str
        Of the estimator.
    start : str
        Kind of the labels to start from.
    n_trials, n_final : int
        Random starts while weights are picked, and of the final model.
    """

    search: object
    start: str
    n_trials: int = 1
    n_final: int = 1

    def model(self, balance, n_starts, *, landmarks=None, kernel="linear", **weights):
        """The paper's model: no constant."""
        return LabelSearchClassifier(
            kernel=kernel,
            fit_intercept=False,
            search=self.search,
            start=Starts(self.start, n_starts),
            balance=balance,
            landmarks=landmarks,
            random_state=0,
            **weights,
        )


EVOLUTION = LabelSearch(Evolution(population=1, offspring=1), "random", 10, 50)
POPULATION = LabelSearch(Evolution(population=5, offspring=25), "random", 10, 50)
MUTATION = LabelSearch(IndependentFlips(), "random", 10, 50)
TABU = LabelSearch("tabu", "random", 3, 10)
SMOOTHED = LabelSearch("tabu", "smoothed")


def mean_square(X):
    """Mean diagonal of the linear kernel."""
    return float(np.einsum("ij,ij->i", X, X).mean())


class SearchGrid:
    """Models that search for labels, for each lambda' all lambdas."""

    supervised = False
    n_curves = len(UNLABELED_WEIGHTS)

    def __init__(self, search):
        self.search = search

    def fit_all(self, draw, y, balance):
        """A fitted model for each cell of the grid."""
        model = self.search.model(balance, self.search.n_trials, kernel=draw.kernel)
        return model.fit_path(
            draw.X,
            y,
            ambient_reg=LAMBDAS / draw.scale(draw.X),
            unlabeled_weight=UNLABELED_WEIGHTS,
        )

    def final(self, draw, balance, cell):
        """The model of a cell, not fitted yet."""
        i_weight, i_lambda = divmod(cell, len(LAMBDAS))
        return self.search.model(
            balance,
            self.search.n_final,
            kernel=draw.kernel,
            ambient_reg=LAMBDAS[i_lambda] / draw.scale(draw.X),
            unlabeled_weight=UNLABELED_WEIGHTS[i_weight],
        )


class TransductiveGrid:
    """`TransductiveSVC` in the place of UniverSVM, for each C* all C."""

    supervised = False
    n_curves = len(TRANSDUCTIVE_COSTS)

    def fit_all(self, draw, y, balance):
        """A fitted model for each cell of the grid."""
        n_labeled = int(np.sum(y >= 0))
        return [
            self._make(draw, n_labeled, balance, cell).fit(draw.X, y)
            for cell in range(self.n_curves * len(LAMBDAS))
        ]

    def final(self, draw, balance, cell):
        """The model of a cell, not fitted yet."""
        return self._make(draw, int(draw.labeled.sum()), balance, cell)

    def _make(self, draw, n_labeled, balance, cell):
        i_cost, i_lambda = divmod(cell, len(LAMBDAS))
        cost = LAMBDAS[i_lambda]
        return TransductiveSVC(
            C=cost,
            # ours is relative to the cost of all labels together
            unlabeled_weight=TRANSDUCTIVE_COSTS[i_cost] / (cost * n_labeled),
            kernel=draw.kernel,
            balance=balance,
            random_state=0,
        )


class SupervisedGrid:
    """Models of the labels alone, ``make(draw, weight)`` for each weight.

    Folds hide labels from `y`, and `make` gets the draw with what is left of them.
    """

    supervised = True
    n_curves = 1

    def __init__(self, make):
        self.make = make

    def fit_all(self, draw, y, balance):
        """A fitted model for each weight."""
        draw = replace(draw, labeled=y >= 0)
        return [self.make(draw, weight).fit(*draw.labeled_part) for weight in LAMBDAS]

    def final(self, draw, balance, cell):
        """The model of a weight, not fitted yet."""
        return self.make(draw, LAMBDAS[cell])


def _make_rlsc(draw, weight):
    return LabelSearchClassifier(
        kernel=draw.kernel,
        fit_intercept=False,
        unlabeled_weight=1.0,
        ambient_reg=weight / draw.scale(draw.labeled_part[0]),
    )


def _make_svm(draw, weight):
    return SVC(kernel=draw.kernel, C=weight)


class NeighborGrid:
    """scikit-learn's label spreading, for several numbers of neighbors."""

    supervised = False
    n_curves = 1

    def fit_all(self, draw, y, balance):
        """A fitted model for each number."""
        models = (self.final(draw, balance, i) for i in range(len(NEIGHBORS)))
        return [model.fit(draw.X, y) for model in models]

    def final(self, draw, balance, cell):
        """The model of a number, not fitted yet."""
        return LabelSpreading(kernel="knn", n_neighbors=NEIGHBORS[cell])


RLSC = SupervisedGrid(_make_rlsc)
LIBSVM = SupervisedGrid(_make_svm)
SPREADING = NeighborGrid()
UNIVER_SVM = TransductiveGrid()


def tuned_on_test(grid):
    """The test rows pick the cell, the first of equals; then it is fitted once more."""

    def measure(draw, _):
        models = grid.fit_all(draw, draw.y_partial, draw.true_balance)
        cell = int(np.argmin([draw.error(model) for model in models]))
        return _finish(draw, grid, draw.true_balance, cell)

    return measure


def tuned_on_labels(grid):
    """Folds of the labels pick the cell; then it is fitted to all of them."""

    def measure(draw, _):
        margins = [
            held_out_margins(draw, hidden, grid.fit_all(draw, y, share_labels(y)))
            for hidden, y in label_folds(draw)
        ]
        cell = pick(np.hstack(margins), grid.n_curves)
        return _finish(draw, grid, share_labels(draw.y_partial), cell)

    return measure


def _finish(draw, grid, balance, cell):
    return draw.measure(grid.final(draw, balance, cell), supervised=grid.supervised)


def label_folds(draw):
    """Positions of labels that are hidden together, and all labels without them.

    The only label of a class is never hidden.
    """
    rows = np.arange(len(draw.y))
    return [  # the labeled rows come first
        (hidden, np.where(np.isin(rows, hidden), -1, draw.y_partial))
        for _, hidden in methods.label_folds(draw.labeled_part[1], draw.seed)
    ]


def held_out_margins(draw, hidden, models):
    """Signed scores of the hidden labels, a row for each model."""
    signs, X = 2 * draw.y[hidden] - 1, draw.X[hidden]
    return np.array([signs * model.decision_function(X) for model in models])


def pick(margins, n_curves=1):
    """The cell with fewest errors around it; the squared loss decides if equal.

    Parameters
    ----------
    margins : ndarray of shape (n_cells, n_held_out)
        Cells of one curve are neighbors.
    n_curves : int
    """
    errors = np.mean(margins <= 0, axis=1).reshape(n_curves, -1)
    padded = np.pad(errors, ((0, 0), (1, 1)), mode="edge")
    errors = (padded[:, :-2] + 2 * errors + padded[:, 2:]).ravel() / 4
    loss = np.mean((1 - np.clip(margins, -1, 1)) ** 2, axis=1)
    return int(np.lexsort((loss, errors.round(9)))[0])


def fixed_weights(search, *, balance_of):
    """All rows span the functions; lambda and lambda' are one."""

    def measure(draw, _):
        model = search.model(balance_of(draw), search.n_final)
        model.set_params(ambient_reg=1 / mean_square(draw.X), unlabeled_weight=1.0)
        return draw.measure(model)

    return measure


def few_landmarks(search, *, balance_of):
    """Uniform landmarks span the functions; lambda and lambda' are one."""

    def measure(draw, _):
        landmarks = Nystrom(draw.n_landmarks, choice="uniform")
        options = {"landmarks": landmarks, "unlabeled_weight": 1.0}
        model = search.model(balance_of(draw), 1, **options)
        trial = model.fit(draw.X, draw.y_partial)
        basis, _ = np.linalg.qr(trial.function_.points.T)
        scale = mean_square(draw.X @ basis)  # the kernel as the landmarks leave it
        model.set_params(ambient_reg=1 / scale, start__n_starts=search.n_final)
        return draw.measure(model)

    return measure


def true_balance(draw):
    """Shares of the whole set."""
    return draw.true_balance


def balance_of_labels(draw):
    """Shares of the labels."""
    return share_labels(draw.y_partial)


def direct_evaluation(draw, _):
    """The paper's search without its shortcut; lambda and lambda' are one."""
    return draw.measure(DirectSearch(draw.true_balance, EVOLUTION.n_final))


class DirectSearch:
    """(1 + 1)-EA that evaluates the whole fitness of each flip, in O(n^2).

    Parameters
    ----------
    balance : Balance
    n_restarts : int
        Random starts; the labels of least fitness count.

    Attributes
    ----------
    fitness_ : float
        The least one found.
    signs_ : ndarray of shape (n_samples,)
        Its labels, -1 and 1.
    """

    def __init__(self, balance, n_restarts):
        self.balance = balance
        self.n_restarts = n_restarts

    def fit(self, X, y):
        """Search from all starts."""
        weights = np.where(y >= 0, 1 / np.sum(y >= 0), 1 / max(np.sum(y < 0), 1))
        resolvent = np.linalg.inv(X @ X.T + np.diag(1 / weights))  # lambda is 1
        rng = np.random.default_rng(0)
        found = [
            self._improve(resolvent, self._start(y, rng), np.flatnonzero(y < 0))
            for _ in range(self.n_restarts)
        ]
        self.fitness_, self.signs_ = min(found, key=lambda result: result[0])
        self.weights_ = X.T @ (resolvent @ self.signs_)
        return self

    def predict(self, X):
        """Classes, 0 and 1."""
        return (X @ self.weights_ > 0).astype(int)

    def _start(self, y, rng):
        """Random labels of the unlabeled rows, in the given shares."""
        codes, free = y.copy(), np.flatnonzero(y < 0)
        n_ones = round(self.balance.shares[1] * len(free))
        codes[free] = rng.permutation(len(free)) < n_ones
        return 2.0 * codes - 1

    def _improve(self, resolvent, signs, free):
        """Flip one label after the other until a whole round has not helped."""
        fitness, n_idle = signs @ resolvent @ signs, 0
        slack = self.balance.tolerance * len(free)
        n_ones = self.balance.shares[1] * len(free)
        for i in cycle(free):
            signs[i] *= -1
            value = signs @ resolvent @ signs
            is_valid = abs(np.sum(signs[free] > 0) - n_ones) < slack
            if is_valid and value < fitness - 1e-12:
                fitness, n_idle = value, 0
            else:
                signs[i] *= -1
                n_idle += 1
            if n_idle >= len(free):
                break
        return fitness, signs

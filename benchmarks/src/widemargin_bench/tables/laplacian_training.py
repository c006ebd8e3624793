"""Splits and training of Melacci and Belkin's paper: class by class, stopped early.

The estimators solve all classes together and hold out labels of their own for the
validation check. The paper stops each class separately and looks at rows that it does
not train on. Here such rows have no edge in the graph: their coefficients stay zero,
and their scores come with those of the others.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, pairwise

import numpy as np
from scipy import sparse
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold

from widemargin.datasets import make_two_moons
from widemargin.graphs import graph_laplacian
from widemargin.kernels import scores_in_blocks
from widemargin.labels import decide, sign_coding
from widemargin.objectives.laplacian import ManifoldObjective
from widemargin.objectives.losses import Hinge, SquaredHinge
from widemargin.solvers.box_dual import box_dual
from widemargin.solvers.newton import reduced_newton
from widemargin.solvers.pcg import (
    MixedCheck,
    StabilityCheck,
    ValidationCheck,
    check_interval,
    pcg,
)
from widemargin.spaces import GramSpace
from widemargin_bench.benchmark import Row
from widemargin_bench.draws import (
    PartlyLabeled,
    draw_labels,
    inferred_classes,
    percent_wrong,
    timed,
)
from widemargin_bench.published_newton import newton
from widemargin_bench.stored_sets import load_set

N_FOLDS, N_REPEATS = 4, 3


@dataclass(frozen=True)
class Geometry:
    """What the paper takes as given when it measures time.

    Attributes
    ----------
    kernel : callable
    rows : array or CSR matrix
        Labeled and unlabeled rows, then those that are watched while training.
    gram : ndarray
        Kernel matrix of these rows.
    adjacency : CSR matrix
        Graph of the labeled and unlabeled rows.
    seconds : float
        Processor time to compute it.
    """

    kernel: object
    rows: np.ndarray
    gram: np.ndarray
    adjacency: sparse.csr_matrix
    seconds: float


@dataclass(frozen=True)
class Split(PartlyLabeled):
    """A split of a set; the labeled rows come first.

    Attributes
    ----------
    X_valid, y_valid : arrays
        The validation rows V; the test rows are T.
    row : Row
        With the settings of the set.
    watches_test : bool
        Whether errors on T, and not only those on V, are recorded while training.
    """

    X_valid: np.ndarray | None = None
    y_valid: np.ndarray | None = None
    row: Row | None = None
    watches_test: bool = False

    @property
    def n_labeled(self):
        """Number of labels."""
        return int(self.labeled.sum())

    @property
    def n_classes(self):
        """Number of classes."""
        return len(np.unique(self.y))

    def error(self, guess, y):
        """Error in %; where classes are far from balanced, the mean over classes."""
        if not self.row["macro"]:
            return percent_wrong(guess, y)
        return float(np.mean([percent_wrong(guess[y == c], c) for c in np.unique(y)]))

    def fit(self, model, *, supervised=False):
        """Fit and return the seconds; frees the geometry, estimators have their own."""
        vars(self).pop("geometry", None)
        return super().fit(model, supervised=supervised)

    def score(self, model):
        """Errors on U, V and T."""
        free = ~self.labeled
        guess = inferred_classes(model, self.X, free)
        return {
            "unlabeled_error": self.error(guess, self.y[free]),
            "validation_error": self.error(model.predict(self.X_valid), self.y_valid),
            "error": self.error(model.predict(self.X_test), self.y_test),
        }

    @cached_property
    def geometry(self):
        """Kernel matrix and graph, for all methods that are no estimators."""
        found = {}
        seconds = timed(lambda: found.update(self._compute_geometry()))
        return Geometry(**found, seconds=seconds)

    def _compute_geometry(self):
        watched = [self.X_valid, self.X_test] if self.watches_test else [self.X_valid]
        rows = _stack([self.X, *watched])
        kernel, adjacency = self.row["kernel"], self.row["graph"].adjacency(self.X)
        gram = kernel(rows)
        return {"kernel": kernel, "rows": rows, "gram": gram, "adjacency": adjacency}


def draw_split(row, run, *, watches_test=False):
    """The split of that number; the first ones are one pass of the paper's protocol."""
    X, y, test = load(row, run)
    labeled, unlabeled, validation, out = _split_rows(row, y, test, run)
    rows = np.concatenate([labeled, unlabeled])
    return Split(
        X[rows],
        y[rows],
        np.arange(len(rows)) < len(labeled),
        X_test=X[out],
        y_test=y[out],
        X_valid=X[validation],
        y_valid=y[validation],
        row=row,
        watches_test=watches_test,
    )


def draw_watched_split(row, run):
    """The same split, with errors on T recorded while training."""
    return draw_split(row, run, watches_test=True)


def load(row, run):
    """Features, classes from 0 and, where the data come split, the test rows."""
    name = row["set"]
    if name == "two moons":
        return _draw_moons(row, run)
    if name in ("mnist", "facemit"):
        X, *rest = _load_large(name)
        return _subset(equalize(X) if row["equalized"] else X, *rest, row, run)
    data = load_set(name)
    y = np.unique(data.target, return_inverse=True)[1]
    if row["alternate"]:  # objects 1, 3, 5, ... against 2, 4, 6, ...
        y %= 2
    elif row["halved"]:
        y = (y >= (y.max() + 1) // 2).astype(int)
    return data.data, y, None


def _draw_moons(row, run):
    """A new sample: `size` rows to train on, V, and as many again for the test."""
    n_train = row["size"] + row["validation"]
    X, y = make_two_moons(n_train + row["size"], random_state=run)
    return X, y, np.arange(len(y)) >= n_train


def _subset(X, y, test, row, run):
    """All test rows and, where there is a `size`, so many training rows and V."""
    if row["size"] is None:
        return X, y, test
    n_train = row["size"] + row["validation"]
    train = np.random.default_rng(run).permutation(np.flatnonzero(~test))[:n_train]
    kept = np.concatenate([train, np.flatnonzero(test)])
    return X[kept], y[kept], test[kept]


def _load_large(name):
    """MNIST's 3 and 8 at unit length; the faces, training and test rows exchanged.

    The graph of the faces weighs so little that single precision does not see it.
    """
    if name == "facemit":
        data = load_set(name)
        return data.data, data.target, np.arange(len(data.target)) < data.train_size
    data = load_set(name, dtype=np.float32)
    kept = np.isin(data.target, [3, 8])
    X = data.data[kept]
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    test = np.flatnonzero(kept) >= data.train_size
    return X, (data.target[kept] == 8).astype(int), test


def equalize(X):
    """Pixels by their rank within their own image, from 0 to 1."""
    ranks = rankdata(X, axis=1)
    return (ranks - 1.0) / (X.shape[1] - 1.0)


def _split_rows(row, y, test, run):
    """Positions of L, U, V and T; one generator draws all splits of a pass in turn."""
    n_splits = N_REPEATS * (N_FOLDS if test is None else 1)
    number, index = divmod(run, n_splits)
    rng = np.random.default_rng(number)
    for train, out in islice(_folds(y, test, number), index + 1):
        labeled = draw_labels(y, train, row["labels"], rng)
        rest = np.setdiff1d(train, labeled)
        validation = draw_labels(y, rest, row["validation"], rng)
    return labeled, np.setdiff1d(rest, validation), validation, out


def _folds(y, test, number):
    """Training and test rows of a pass: four folds three times, or the given ones."""
    for repeat in range(N_REPEATS):
        if test is not None:
            yield np.flatnonzero(~test), np.flatnonzero(test)
            continue
        seed = N_REPEATS * number + repeat
        yield from StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed).split(y, y)


def _stack(parts):
    if sparse.issparse(parts[0]):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)


@dataclass(frozen=True)
class Trained:
    """A function over the rows of a split's geometry."""

    split: object
    coefficients: np.ndarray

    @property
    def transduction_(self):
        """Classes of the training rows."""
        n_train, n_rows = len(self.split.y), len(self.coefficients)
        gram = self.split.geometry.gram[:n_train, :n_rows]
        return decide(gram @ self.coefficients)

    def predict(self, X):
        """Classes of new rows."""
        geometry = self.split.geometry
        points = geometry.rows[: len(self.coefficients)]
        return decide(scores_in_blocks(geometry.kernel, X, points, self.coefficients))


def build_objective(split, gammas, *, watched=False, loss=SquaredHinge):
    """Eq. (7) without the bias, on the paper's own scale of the two weights.

    With `watched`, the rows that are looked at while training are also among those
    that get scores.
    """
    geometry, n_train = split.geometry, len(split.y)
    n_rows = len(geometry.gram) if watched else n_train
    adjacency = sparse.csr_matrix(geometry.adjacency, copy=True)
    adjacency.resize(n_rows, n_rows)
    labeled = np.flatnonzero(split.labeled)
    ambient, intrinsic = gammas
    return ManifoldObjective(
        GramSpace(np.ascontiguousarray(geometry.gram[:n_rows, :n_rows])),
        graph_laplacian(adjacency, power=split.row["graph"].power),
        labeled,
        sign_coding(split.y[labeled], split.n_classes),
        np.ones(len(labeled)),
        loss(),
        ambient=ambient,
        intrinsic=intrinsic,
    )


def train(split, objective, solve):
    """Errors, seconds and the means of counts; `solve` gives both, counts by name."""
    found = []
    seconds = timed(lambda: found.extend(solve(objective)))
    coefficients, counts = found
    means = {name: float(np.mean(of)) for name, of in counts.items()}
    return (
        split.score(Trained(split, coefficients))
        | means
        | {
            "train_seconds": seconds,
            "fit_seconds": split.geometry.seconds + seconds,
        }
    )


def solve_by_newton(objective):
    """Eq. (11): a linear system for each step and class."""
    result = newton(objective)
    return result.solution, {"iterations": result.history["steps"]}


def solve_by_reduction(objective):
    """The same minimum with one factorization for all steps and classes."""
    problem = objective.reduced()
    result = reduced_newton(problem)
    counts = {"iterations": result.history["steps"]}
    return problem.coordinates(result.solution), counts


def solve_by_dual(objective):
    """Eqs. (5) and (6): the hinge loss, for which `objective` must have been built."""
    problem = objective.reduced()
    result = box_dual(problem)
    counts = {"iterations": result.history["steps"]}
    return problem.coordinates(result.solution), counts


def solve_by_pcg(split, make_check):
    """Algorithm 1 for one class after the other, each stopped by its own check."""

    def solve(objective):
        solutions, counts = [], {"iterations": [], "line_search": []}
        for column in range(objective.targets.shape[1]):
            alone = replace(objective, targets=objective.targets[:, [column]])
            result = pcg(alone, check=make_check(split, column))
            solutions.append(result.solution)
            counts["iterations"].append(result.n_iter)
            counts["line_search"] += result.history["line_search"]
        return np.hstack(solutions), counts

    return solve


def stability_check(split, _):
    """Algorithm 2: decisions on U."""
    n_train = len(split.y)
    unlabeled = np.flatnonzero(~split.labeled)
    # as printed, however much the objective still falls
    return StabilityCheck(unlabeled, check_interval(n_train), most_fall=np.inf)


def validation_check(split, column):
    """Algorithm 3: the error on V of one class against the others."""
    n_train = len(split.y)
    rows = n_train + np.arange(len(split.y_valid))
    signs = sign_coding(split.y_valid, split.n_classes)[:, column]
    codes = (signs > 0).astype(np.intp)
    return ValidationCheck(rows, codes, check_interval(n_train))


def mixed_check(split, column):
    """Both at the same look."""
    return MixedCheck(stability_check(split, column), validation_check(split, column))


def dual_objective(split, gammas):
    """The problem with the hinge loss instead of its square."""
    return build_objective(split, gammas, loss=Hinge)


ERROR_COURSES = (
    "unlabeled_course",
    "test_course",
    "validation_course",
    "labeled_course",
)
NORM_COURSES = ("objective", "gradient", "preconditioned_gradient", "mixed_product")


class ErrorWatch:
    """Stands where a check would, looks at every iteration, and never stops."""

    interval = 1

    def __init__(self, split):
        parts = {
            "labeled_course": split.y[split.labeled],
            "unlabeled_course": split.y[~split.labeled],
            "validation_course": split.y_valid,
        }
        if split.watches_test:
            parts["test_course"] = split.y_test
        self.split, self.y = split, np.concatenate(list(parts.values()))
        ends = np.cumsum([0, *map(len, parts.values())])
        slices = [slice(start, stop) for start, stop in pairwise(ends)]
        self.parts = dict(zip(parts, slices, strict=True))
        self.errors = {name: [] for name in self.parts}
        self._note(np.zeros(len(self.y), dtype=int))  # at zero the first class wins

    def look(self, scores):
        """Note the errors; nothing is returned that could be compared."""
        self._note(decide(scores))

    def _note(self, guess):
        for name, part in self.parts.items():
            error = self.split.error(guess[part], self.y[part])
            self.errors[name].append(error)


@dataclass(frozen=True)
class WatchedObjective(ManifoldObjective):
    """An objective that notes how large its gradients are."""

    norms: list = field(default_factory=list)

    def gradient(self, c, scores, smoothing, columns=slice(None)):
        """The preconditioned gradient g; noted are |K g|, |g| and the root of g'K g."""
        g = super().gradient(c, scores, smoothing, columns)
        Kg = self.space.scores(g)
        mixed = np.sqrt(max(np.vdot(g, Kg), 0.0))
        self.norms.append((np.linalg.norm(Kg), np.linalg.norm(g), mixed))
        return g


def course_of_errors(split, gammas, n_iter):
    """Errors on U, V, L and perhaps T after 0, 1, ... `n_iter` iterations."""
    watch = ErrorWatch(split)
    objective = build_objective(split, gammas, watched=True)
    seconds = timed(lambda: pcg(objective, max_iter=n_iter, tol=0.0, check=watch))
    courses = {name: _until(errors, n_iter) for name, errors in watch.errors.items()}
    return courses | {"fit_seconds": split.geometry.seconds + seconds}


def course_of_norms(split, gammas, n_iter, *, watched=False):
    """Objective and norms of the gradient, each relative to its value at zero."""
    plain = build_objective(split, gammas, watched=watched)
    objective = WatchedObjective(**vars(plain))
    found = []
    seconds = timed(lambda: found.append(pcg(objective, max_iter=n_iter, tol=0.0)))
    norms = np.array(objective.norms[1:])  # the first one is for the tolerance
    columns = (found[0].history["objective"], *norms.T)
    courses = {
        name: _until(np.divide(column, column[0]), n_iter)
        for name, column in zip(NORM_COURSES, columns, strict=True)
    }
    return courses | {"fit_seconds": split.geometry.seconds + seconds}


def level_of_newton(split, gammas, n_iter):
    """Errors at the optimum, as courses that do not move."""
    objective = build_objective(split, gammas)
    found = []
    seconds = timed(lambda: found.extend(solve_by_reduction(objective)))
    model = Trained(split, found[0])
    errors = split.score(model)
    on_labels = model.transduction_[split.labeled]
    levels = (
        errors["unlabeled_error"],
        errors["error"],
        errors["validation_error"],
        split.error(on_labels, split.y[split.labeled]),
    )
    courses = {
        name: _until([level], n_iter)
        for name, level in zip(ERROR_COURSES, levels, strict=True)
    }
    return courses | {"fit_seconds": split.geometry.seconds + seconds}


def _until(values, n_iter):
    """Four digits of each value, the last one repeated where a run ended before."""
    kept = [float(f"{value:.4g}") for value in values[: n_iter + 1]]
    return kept + kept[-1:] * (n_iter + 1 - len(kept))

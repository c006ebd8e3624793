"""Fit every estimator to hostile inputs, and say which fits go wrong.

    python tools/hostile.py [--jobs 2] [--only PATTERN] [--every N]

The grid is every input of `inputs()` with every model of `models()`: large offsets,
tiny and huge scales, constant columns, timestamps beside one-hot columns, float32 and
float64, dense and sparse, extreme weights, few and copied rows, 50 classes, Gram
matrices that are none. A fit passes if it ends within `CPU_LIMIT` seconds of CPU time

- with a ValueError that widemargin raised, or scikit-learn's check of X, or
- with finite probabilities and, on separable classes, an accuracy that is at most ten
  points below that of an `SVC` on the same rows, centered and scaled by one number.
  Clusters of more than two classes need not be the classes.

A warning of NumPy or SciPy is a failure, and so are two warnings of a kind in one fit.
`tests/test_hostile.py` runs a part of the grid.
"""

import argparse
import fnmatch
import os
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.metrics import confusion_matrix
from sklearn.svm import SVC

from widemargin import (
    FewLabelClassifier,
    InSample,
    LabelSearchClassifier,
    LaplacianRLSC,
    LaplacianSVC,
    LowDensityClassifier,
    MarginalLikelihood,
    MaxMarginClustering,
    SelfLabelingGPC,
    SelfLabelingSVC,
    SpectralClassifier,
    TransductiveSVC,
    TriClassSVC,
    UniversumSVC,
)

CPU_LIMIT = 60.0
SLACK = 0.1  # by which the accuracy may be below that of the SVC
# The absolute loss of one class in fifty is least for a constant: "none of them".
KNOWN = {("classes-50", "SelfLabelingSVC-linear")}
IRRELEVANT = 99  # marks rows of no class, for models with an irrelevant_label
OFFSETS = [float(f"1e{power}") for power in range(3, 13)]
SCALES = [10.0**power for power in (-300, -200, -160, -150, -145, -100, -50, -25, -15)]
SCALES += [10.0**power for power in (-10, -5, 5, 10, 25, 50, 100, 145, 150, 200, 300)]
SCALES_32 = [10.0**power for power in (-43, -35, -25, -19, -15, -10, -5, 5, 10, 15)]
SCALES_32 += [10.0**power for power in (18, 19, 25, 37)]
CONSTANTS = [1.0, 1e3, 1e5, 1e7, 1.7e9, 1e12, 1e200, 1e300]
WEIGHTS = [10.0**power for power in (-320, -300, -200, -100, -10, 10, 100, 200, 300)]


# --- models ---------------------------------------------------------------------------


def models():
    """Every estimator in several configurations, by name."""
    return {
        "FewLabelClassifier": FewLabelClassifier(),
        "LabelSearchClassifier": LabelSearchClassifier(),
        "LabelSearchClassifier-tabu": LabelSearchClassifier(
            unlabeled_weight=1.0, search="tabu", balance=None
        ),
        "LabelSearchClassifier-landmarks": LabelSearchClassifier(
            unlabeled_weight=1.0, landmarks=100, search="steepest"
        ),
        "LabelSearchClassifier-linear": LabelSearchClassifier(kernel="linear"),
        "LaplacianRLSC": LaplacianRLSC(),
        "LaplacianRLSC-intercept": LaplacianRLSC(
            fit_intercept=True, intrinsic_reg=0.01
        ),
        "LaplacianSVC": LaplacianSVC(),
        "LaplacianSVC-pcg": LaplacianSVC(solver="pcg", intrinsic_reg=0.01),
        "LaplacianSVC-dual": LaplacianSVC(solver="dual", intrinsic_reg=0.01),
        "LaplacianSVC-landmarks": LaplacianSVC(landmarks=20),
        "LaplacianSVC-laplacian": LaplacianSVC(kernel="laplacian"),
        "LaplacianSVC-linear": LaplacianSVC(kernel="linear"),
        "LaplacianSVC-poly": LaplacianSVC(kernel="poly"),
        "LowDensityClassifier": LowDensityClassifier(),
        "MaxMarginClustering": MaxMarginClustering(n_restarts=1),
        "MaxMarginClustering-linear": MaxMarginClustering(
            kernel="linear", ambient_reg=0.01, n_restarts=1
        ),
        "SelfLabelingGPC": SelfLabelingGPC(),
        "SelfLabelingGPC-learned": SelfLabelingGPC(
            hyperparameters=MarginalLikelihood(n_rounds=1, max_iter=10)
        ),
        "SelfLabelingSVC": SelfLabelingSVC(),
        "SelfLabelingSVC-linear": SelfLabelingSVC(kernel="linear", relabel=InSample()),
        "SpectralClassifier": SpectralClassifier(),
        "SpectralClassifier-linear": SpectralClassifier(kernel="linear"),
        "TransductiveSVC": TransductiveSVC(),
        "TransductiveSVC-linear": TransductiveSVC(kernel="linear"),
        "TransductiveSVC-landmarks": TransductiveSVC(landmarks=20),
        "TriClassSVC": TriClassSVC(),
        "TriClassSVC-linear": TriClassSVC(kernel="linear", solver="newton"),
        "UniversumSVC": UniversumSVC(),
        "UniversumSVC-irrelevant": UniversumSVC(irrelevant_label=IRRELEVANT),
    }


def is_clustering(model):
    """Whether a model learns without labels."""
    return isinstance(model, MaxMarginClustering)


# --- inputs ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Input:
    """Rows to learn from and rows to predict, of which the classes are known."""

    X: object
    codes: np.ndarray  # classes of all rows
    labeled: np.ndarray  # which of them are shown, a mask
    X_new: object
    new_codes: np.ndarray
    weights: np.ndarray | None = None
    is_separable: bool = True

    @property
    def y(self):
        """The codes, -1 where no label is shown."""
        return np.where(self.labeled, self.codes, -1)


@cache
def blobs(n_classes=2, n_rows=48, n_features=3, n_labels=6, seed=0):
    """Well separated classes; the first `n_labels` rows of each are labeled."""
    rng = np.random.default_rng(seed)
    centers = np.multiply.outer(8.0 * np.arange(n_classes) - 4.0, np.ones(n_features))
    if n_classes > 2:
        centers = 5.0 * rng.normal(size=(n_classes, n_features))
    codes = np.arange(n_rows) % n_classes
    X, X_new = (centers[codes] + rng.normal(size=(n_rows, n_features)) for _ in "ab")
    return Input(X, codes, np.arange(n_rows) < n_labels * n_classes, X_new, codes)


def changed(change, base=None, dtype=np.float64, *, is_sparse=False):
    """An input whose rows, those to predict as well, go through a function.

    None if they are out of the range of the type.
    """
    base = blobs() if base is None else base
    with np.errstate(all="ignore"):
        X, X_new = (change(x).astype(dtype) for x in (base.X, base.X_new))
    if not (np.isfinite(X).all() and np.isfinite(X_new).all()):
        return None
    if is_sparse:
        X, X_new = sparse.csr_matrix(X), sparse.csr_matrix(X_new)
    return replace(base, X=X, X_new=X_new)


def shifted(X, offset):
    """The rows plus a constant."""
    return X + offset


def scaled(X, scale):
    """The rows times a constant."""
    return X * scale


def beside_one(X, scale):
    """The rows times a constant, beside a column of ones."""
    return with_column(X * scale, 1.0)


def with_column(X, column):
    """The rows with one more column."""
    return np.column_stack([X, np.broadcast_to(column, len(X))])


def dates(X):
    """Timestamps of two weeks, in seconds, beside the classes as one-hot columns."""
    is_late = X[:, 0] > X[:, 0].mean()
    days = 1.7e9 + 86_400 * (7 * is_late + X[:, 1])
    return np.column_stack([days, is_late, ~is_late])


def in_order(X):
    """Timestamps that say nothing, a second apart, beside standardized features."""
    return np.column_stack([1.7e9 + 1e-3 * np.arange(len(X)), X])


def ill_weighted(ratio, where):
    """Weights of one, and `ratio` where a function of an input is true."""
    base = blobs()
    return replace(base, weights=np.where(where(base), ratio, 1.0))


def changes(scales):
    """Functions of rows that leave classes separable, by name."""
    found = {"plain": np.asarray, "one-hot-and-dates": dates, "milliseconds": in_order}
    for offset in OFFSETS:
        found[f"offset-{offset:.0e}"] = partial(shifted, offset=offset)
    for value in CONSTANTS:
        found[f"constant-{value:.1e}"] = partial(with_column, column=value)
    for scale in scales:
        found[f"scale-{scale:.0e}"] = partial(scaled, scale=scale)
        if scale < 1:
            found[f"tiny-{scale:.0e}-beside-one"] = partial(beside_one, scale=scale)
    return found


def rows_inputs():
    """Inputs with rows, by name."""
    found = {}
    types = (np.float64, SCALES), (np.float32, SCALES_32)
    for (dtype, scales), is_sparse in product(types, (False, True)):
        form = dtype.__name__ + ("-sparse" if is_sparse else "")
        for name, change in changes(scales).items():
            one = changed(change, None, dtype, is_sparse=is_sparse)
            found[f"{name}-{form}"] = one
    wide = blobs(n_features=40, seed=1)  # neighbors are found by brute force
    for offset, dtype in product((1e5, 1e9), (np.float64, np.float32)):
        name = f"offset-{offset:.0e}-wide-{dtype.__name__}"
        found[name] = changed(partial(shifted, offset=offset), wide, dtype)
    found |= weighted_inputs() | small_inputs()
    return {name: one for name, one in found.items() if one is not None}


def weighted_inputs():
    """Inputs with extreme weights, by name."""
    found, base = {}, blobs()
    for weight in WEIGHTS:
        weights = np.full(len(base.codes), weight)
        found[f"weights-{weight:.0e}"] = replace(base, weights=weights)
    for ratio in (1e-300, 1e-100, 1e-20, 1e-3, 1e3, 1e20, 1e100, 1e300):
        name = f"weights-ratio-{ratio:.0e}"
        labels = ill_weighted(ratio, lambda one: one.labeled)
        found[f"{name}-labels"] = replace(labels, is_separable=ratio > 1)
        found[f"{name}-one"] = ill_weighted(ratio, lambda one: one.codes.cumsum() == 1)
        found[f"{name}-class"] = ill_weighted(ratio, lambda one: one.codes == 1)
    found["weights-zero-labels"] = ill_weighted(0.0, lambda one: one.labeled)
    found["weights-zero"] = replace(base, weights=np.zeros(len(base.codes)))
    return found


def small_inputs():
    """Few rows, copies, and many classes, by name."""
    base, found = blobs(), {}
    for n_rows in (2, 3, 4, 6):
        few = slice(n_rows)
        found[f"rows-{n_rows}"] = replace(
            base, X=base.X[few], codes=base.codes[few], labeled=base.labeled[few],
            is_separable=False,
        )  # fmt: skip
    again = np.tile(np.arange(len(base.codes)), 5)
    found["copies-5"] = replace(
        base, X=base.X[again], codes=base.codes[again], labeled=base.labeled[again]
    )
    found["copies-of-two-rows"] = changed(lambda X: X[np.arange(len(X)) % 2])
    same = changed(np.ones_like)
    found["all-equal"] = replace(same, is_separable=False)
    found["all-zero"] = replace(changed(np.zeros_like), is_separable=False)
    found["one-feature"] = changed(lambda X: X[:, :1])
    found["classes-50"] = blobs(n_classes=50, n_rows=200, n_features=60, n_labels=3)
    shift = partial(shifted, offset=1e7)
    found["classes-50-offset"] = changed(shift, found["classes-50"])
    return found


def gram_inputs():
    """Gram matrices, right and wrong, by name; rows to predict are training rows."""
    base, rng = blobs(), np.random.default_rng(0)
    squared = ((base.X[:, None] - base.X) ** 2).sum(axis=2)
    rbf, noise = np.exp(-squared / 50.0), rng.normal(size=squared.shape)
    grams = {
        "plain": rbf,
        "rounded": rbf.astype(np.float32),
        "scale-1e-300": rbf * 1e-300,
        "scale-1e-100": rbf * 1e-100,
        "scale-1e100": rbf * 1e100,
        "scale-1e300": rbf * 1e300,
        "offset-1e6": rbf + 1e6,
        "offset-1e12": rbf + 1e12,
        "indefinite": rbf + 0.2 * (noise + noise.T),
        "negative": -rbf,
        "minus-distances": -squared,
        "asymmetric": rbf + 0.1 * noise,
        "slightly-asymmetric": rbf + 1e-7 * noise,
        "zero": np.zeros_like(rbf),
        "ones": np.ones_like(rbf),
        "hollow": rbf - np.eye(len(rbf)),
        "not-square": rbf[:, :-1],
    }
    plain = ("plain", "rounded", "slightly-asymmetric", "scale-1e-100", "scale-1e100")
    found = {}
    for name, gram in grams.items():
        is_plain = name in plain
        found[f"gram-{name}"] = replace(
            base, X=gram, X_new=gram, new_codes=base.codes, is_separable=is_plain
        )
    return found


def cases(only="*", every=1):
    """Names of an input and of a model, for each fit of the grid."""
    named = models()
    rows = [(one, model) for one in rows_inputs() for model in named]
    takes_gram = [name for name, one in named.items() if can_take_gram(one)]
    grams = [(one, model) for one in gram_inputs() for model in takes_gram]
    found = [c for c in rows + grams if fnmatch.fnmatch(" ".join(c), only)]
    return found[::every]


def can_take_gram(model):
    """Whether a configuration takes a Gram matrix: one without a kernel of its own."""
    params = model.get_params(deep=False)
    is_learned = params.get("hyperparameters", None) is not None
    return params.get("kernel") == "rbf" and not is_learned


# --- fits -----------------------------------------------------------------------------


class CpuLimitError(BaseException):
    """A fit took too long."""


@dataclass(frozen=True)
class Outcome:
    """How a fit ended: "right", "refused", "known", or what was wrong, with details."""

    kind: str
    detail: str = ""
    seconds: float = 0.0

    @property
    def is_good(self):
        """Whether the fit passes."""
        return self.kind in ("right", "refused", "known")


@cache
def all_inputs():
    """Every input by its name."""
    return rows_inputs() | gram_inputs()


@cache
def reference(name):
    """Accuracy of an SVC on the rows of an input, centered and scaled."""
    one = all_inputs()[name]
    if not one.is_separable:
        return 0.0
    if name.startswith("gram"):
        return 1.0
    X, X_new = (
        (x.toarray() if sparse.issparse(x) else x).astype(np.longdouble)
        for x in (one.X, one.X_new)
    )
    weights = np.ones(len(one.codes)) if one.weights is None else one.weights
    center = X.mean(axis=0)
    scale = np.abs(X - center).max() or 1.0
    X, X_new = (((x - center) / scale).astype(np.float64) for x in (X, X_new))
    used = one.labeled & (weights > 0)
    if len(set(one.codes[used])) < 2:
        return 0.0
    own = weights[used] / weights[used].max()
    kept = own > 1e-12  # or libsvm stops
    if len(set(one.codes[used][kept])) < 2:
        return 0.0
    gamma = 1.0 / X.var(axis=0).sum() if X.var() > 0 else 1.0
    svc = SVC(C=10.0, gamma=gamma)
    svc.fit(X[used][kept], one.codes[used][kept], own[kept] / own[kept].mean())
    return svc.score(X_new, one.new_codes)


def run(case):
    """The outcome of one fit and its predictions."""
    input_name, model_name = case
    one, model = all_inputs()[input_name], clone(models()[model_name])
    if input_name.startswith("gram"):
        model.set_params(kernel="precomputed")
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    target = reference(input_name)
    begin, before = time.process_time(), signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, CPU_LIMIT)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            outcome = judge(model, one, target)
    except CpuLimitError:
        outcome, caught = Outcome("too long", f"over {CPU_LIMIT:g} s"), []
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    if case in KNOWN and outcome.kind == "inaccurate":
        outcome = replace(outcome, kind="known")
    if outcome.is_good:
        outcome = judge_warnings(caught) or outcome
    return replace(outcome, seconds=time.process_time() - begin)


def _stop(number, frame):
    raise CpuLimitError


def judge(model, one, target):
    """Fit and predict: how it ended, whatever was warned of."""
    try:
        accuracy = fit_and_score(model, one)
    except ValueError as error:
        frames = traceback.extract_tb(error.__traceback__)
        place = frames[-1].filename
        is_ours = "widemargin" in place or place.endswith("utils/validation.py")
        kind = "refused" if is_ours else "foreign error"
        return Outcome(kind, f"{place.split('/')[-1]}: {error}")
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{last.filename.split('/')[-1]}:{last.lineno}"
        return Outcome("other error", f"{where} {type(error).__name__}: {error}")
    if accuracy is None:
        return Outcome("not finite")
    # Rounding of X may have made classes overlap: those that the SVC cannot separate.
    is_found = is_clustering(model) and len(np.unique(one.codes)) > 2  # without labels
    is_easy = one.is_separable and target > 0.98 and not is_found
    if is_easy and accuracy < target - SLACK:
        return Outcome("inaccurate", f"{accuracy:.2f} instead of {target:.2f}")
    return Outcome("right", f"{accuracy:.2f}")


def fit_and_score(model, one):
    """Accuracy on new rows, or None if probabilities are not finite."""
    if is_clustering(model):
        n_clusters = min(len(np.unique(one.codes)), one.X.shape[0])
        model.set_params(n_clusters=n_clusters).fit(one.X)
        table = confusion_matrix(one.new_codes, model.predict(one.X_new))
        rows, columns = linear_sum_assignment(-table)
        scores = np.asarray(model.decision_function(one.X_new))
        share = table[rows, columns].sum() / len(one.new_codes)
        return float(share) if np.isfinite(scores).all() else None
    y = one.y
    if model.get_params().get("irrelevant_label") is not None:
        y[np.flatnonzero(~one.labeled)[:3]] = IRRELEVANT
    model.fit(one.X, y, sample_weight=one.weights)
    proba = model.predict_proba(one.X_new)
    if not np.isfinite(proba).all() or abs(proba.sum(axis=1) - 1.0).max() > 1e-4:
        return None
    return float((model.predict(one.X_new) == one.new_codes).mean())


def judge_warnings(caught):
    """The outcome of a fit whose warnings are wrong, or None."""
    kinds = Counter()
    for one in caught:
        text = str(one.message)
        if (
            issubclass(one.category, RuntimeWarning)
            or "LinAlg" in one.category.__name__
        ):
            return Outcome("foreign warning", f"{one.filename}:{one.lineno} {text}")
        kinds[one.category.__name__, " ".join(text.split()[:5])] += 1
    repeated = [kind for kind, n_times in kinds.items() if n_times > 1]
    return Outcome("repeated warning", f"{repeated} of {kinds}") if repeated else None


# --- command --------------------------------------------------------------------------


def main(arguments=None):
    """Run the grid; the exit code is 1 if a fit goes wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--only", default="*", help="'INPUT MODEL' with * and ?")
    parser.add_argument("--every", type=int, default=1, help="each N-th fit only")
    options = parser.parse_args(arguments)
    listed, begin = cases(options.only, options.every), time.time()
    outcomes = {}
    for case, outcome in zip(listed, run_all(listed, options.jobs), strict=True):
        outcomes[case] = outcome
        if not outcome.is_good:
            line = f"{outcome.kind:16} {case[1]:32} {case[0]:36} {outcome.detail[:200]}"
            print(line, flush=True)
    counts = Counter(outcome.kind for outcome in outcomes.values())
    seconds = [outcome.seconds for outcome in outcomes.values()]
    print(
        f"{len(outcomes):,} fits, {sum(seconds):.0f} s of CPU time, the longest "
        f"{max(seconds, default=0.0):.1f} s, {time.time() - begin:.0f} s in all"
    )
    for kind, count in counts.most_common():
        print(f"{count:6,} {kind}")
    return int(any(not outcome.is_good for outcome in outcomes.values()))


def run_all(listed, n_jobs):
    """Yield the outcomes of fits, in order."""
    if n_jobs == 1:
        yield from map(run, listed)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Threads of linear algebra would only wait for each other.
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with ProcessPoolExecutor(n_jobs, get_context("spawn")) as pool:
        yield from pool.map(run, listed, chunksize=20)


if __name__ == "__main__":
    sys.exit(main())

"""Compare constants of self-labeling with other values.

    python benchmarks/evidence/self_labeling.py [--draws 5] [--loops | --label-evidence]

Prints the mean error in percent on the unlabeled rows, over data sets and draws of the
labels. The data are sets of the folder that the environment variable WIDEMARGIN_DATA
names, two moons, and pairs of scikit-learn's digits.

With --loops it compares, for 50 labels and each set of two classes, the default with
the paper's loop, in which all rows have the same weight, and with averages of both by
`average_scores`: labels held out in five folds, or left out in closed form.

With --label-evidence it prints, for each row of the paper's Tables 2 and 3 and draws
from 10 on, the error on the test rows with hyperparameters as they are, and what
learning them from the given labels changes, for priors of other centers and spreads;
then the time of a fit over that without learning.
"""

import argparse
import time
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_digits, make_moons
from sklearn.preprocessing import StandardScaler

from widemargin import SelfLabelingGPC
from widemargin.averaging import average_scores
from widemargin.datasets import hide_labels
from widemargin.defaults import LABELED_WEIGHT, MAX_UNLABELED_RATIO
from widemargin.objectives.gp_evidence import LogNormalPrior
from widemargin.rows import Rows
from widemargin.sample import N_FOLDS, deal_folds
from widemargin.solvers.evidence import LabelEvidence
from widemargin.solvers.relabeling import InSample
from widemargin.solvers.self_labeling import Annealing, GaussianProcess
from widemargin.spaces import GramSpace
from widemargin_bench.stored_sets import load_set
from widemargin_bench.tables.self_labeling import TABLE2_ROWS, TABLE3_ROWS
from widemargin_bench.tables.self_labeling_methods import two_classes

NAMES = ("iris", "thyroid", "pima", "ionosphere", "g50c")
PAIRS = ((3, 5), (1, 7), (4, 9))
N_LABELED = (6, 10, 20, 50)


def load_sets():
    """Rows and classes of each set."""
    digits, of_digit = load_digits(return_X_y=True)
    yield make_moons(300, noise=0.15, random_state=0)
    for pair in PAIRS:
        rows = np.isin(of_digit, pair)
        yield digits[rows], of_digit[rows]
    for name in NAMES:
        data = load_set(name)
        yield StandardScaler().fit_transform(data.data), data.target


def mean_error(predict, sets, n_draws):
    """Mean error of ``predict(X, y_partial)``, in percent."""
    errors = []
    for X, y in sets:
        for n_labeled in N_LABELED:
            for draw in range(n_draws):
                y_partial = hide_labels(y, n_labeled, rng=1000 * draw + n_labeled)
                hidden = y_partial == -1
                errors.append(np.mean(predict(X, y_partial)[hidden] != y[hidden]))
    return 100.0 * float(np.mean(errors))


def self_labeling(sets, n_draws):
    """Parameters of `SelfLabelingGPC`."""
    for options in (
        {},
        {"labeled_weight": 1.0},
        {"labeled_weight": 100.0},
        {"annealing": (1.0,)},
        {"annealing": Annealing(max_unlabeled_ratio=None)},
        {"annealing": Annealing(max_unlabeled_ratio=1.0)},
        {"n_components": 0},
        {"noise": 0.1},
        {"noise": 2.0},
    ):
        fixed = {"hyperparameters": "heuristic", "random_state": 0}  # as when chosen
        model = SelfLabelingGPC(**fixed, **options)
        error = mean_error(lambda X, y, m=model: m.fit(X, y).predict(X), sets, n_draws)
        print(f"{error:6.2f}  {options}", flush=True)


PAPER_LOOP = {
    "labeled_weight": 1.0,
    "annealing": Annealing((1.0,), max_unlabeled_ratio=None),
    "relabel": InSample(tol=0.0),
    "n_components": 0,
}


def compare_loops(sets, n_draws, n_labeled=50):
    """The default, the paper's loop, and averages of both, set by set."""
    print("default   paper   folds  closed form")
    for X, y in sets:
        classes, y = np.unique(y, return_inverse=True)
        if len(classes) > 2:
            continue
        errors = []
        for draw in range(n_draws):
            y_partial = hide_labels(y, n_labeled, rng=1000 * draw + n_labeled)
            errors.append(_loop_errors(X, y, y_partial, draw))
        print(" ".join(f"{error:7.2f}" for error in np.mean(errors, axis=0)))


def _loop_errors(X, y, y_partial, seed):
    """Errors on the unlabeled rows in percent."""
    hidden, codes = y_partial == -1, y[y_partial != -1]
    folds = deal_folds(codes, N_FOLDS, np.random.default_rng(seed))
    found, in_folds, left_out = [], [], []
    for options in ({}, PAPER_LOOP):
        fixed = {"hyperparameters": "heuristic", "random_state": 0}
        model = SelfLabelingGPC(**fixed, **options)
        found.append(_scores(model.fit(X, y_partial), X[hidden]))
        left_out.append(_left_out(model, X, y_partial))
        own = np.full((len(codes), 1), np.nan)
        for fold in np.unique(folds[folds >= 0]):
            partial = y_partial.copy()
            held_out = np.flatnonzero(~hidden)[folds == fold]
            partial[held_out] = -1
            own[folds == fold] = _scores(model.fit(X, partial), X[held_out])
        in_folds.append(own)
    prior, scores = np.array([0.5, 0.5]), list(found)
    for held_out in (in_folds, left_out):
        average, _ = average_scores(np.array(held_out), codes, prior)
        scores.append(average.combine(found))
    return [100.0 * np.mean((own[:, 0] > 0) != y[hidden]) for own in scores]


def _left_out(model, X, y_partial):
    """Scores of the labeled rows without their labels, given all others as inferred."""
    labeled = y_partial != -1
    # The annealing ends at the weight 1 of unlabeled rows, or at the largest ratio.
    most = MAX_UNLABELED_RATIO * LABELED_WEIGHT * labeled.sum() / (~labeled).sum()
    last = 1.0 if model.labeled_weight == 1.0 else min(1.0, most)
    weights = np.where(labeled, model.labeled_weight, last)
    kernel = model.function_.kernel
    process = GaussianProcess(GramSpace(kernel(X), kernel, Rows(X)), 1.0, model.noise_)
    signs = 2.0 * model.transduction_[:, None] - 1.0
    return process.regressor(weights).held_out(signs)[labeled]


def _scores(model, X):
    """Values of the fitted function, (n, 1)."""
    _, deviation = model.predict(X, return_std=True)
    return (model.decision_function(X) * np.sqrt(model.noise_ + deviation**2))[:, None]


@dataclass(frozen=True)
class OtherPrior(LabelEvidence, shorthand="other-prior"):
    """Label evidence with a prior of another center and spread."""

    width: float = 1.0
    width_sd: float = 0.3
    noise_sd: float = 1.0

    def prior_around(self, center):
        """The prior of theta."""
        sd = {"width_sd": self.width_sd, "noise_sd": self.noise_sd}
        return LogNormalPrior(center + np.array([0, np.log(self.width), 0]), **sd)


def compare_priors(n_draws):
    """Errors without learning, and what priors change, row by row."""
    priors = [
        OtherPrior(width=g, width_sd=sd) for g in (1, 1.5, 2) for sd in (0.3, 0.5)
    ]
    choices = ["heuristic", "labels", *priors, OtherPrior(width=1.5, noise_sd=0.5)]
    print(*choices, sep="\n")
    for row in TABLE2_ROWS + TABLE3_ROWS:
        errors = []
        for run in range(10, 10 + n_draws):
            draw = two_classes(row, run)
            given = {"landmarks": None, "balance": draw.known, "random_state": 0}
            models = [SelfLabelingGPC(hyperparameters=c, **given) for c in choices]
            errors.append([draw.measure(model)["error"] for model in models])
        errors = np.array(errors)
        changes = errors[:, 1:] - errors[:, :1]
        spread = changes.std(axis=0, ddof=1) / np.sqrt(n_draws)
        means = zip(changes.mean(axis=0), spread, strict=True)
        shown = [f"{mean:+.2f} ({error:.2f})" for mean, error in means]
        print(f"{row.name:12}{errors[:, 0].mean():6.2f}", *shown, flush=True)


def compare_seconds(n_rows=2000):
    """CPU seconds of a fit over those without learning."""
    data = load_set("usps")
    X, y = data.data[:n_rows], data.target[:n_rows]
    for n_labeled in (50, 100, 200, 500):
        y_partial, seconds = hide_labels(y, n_labeled, rng=0), {}
        for name in ("heuristic", "labels") * 3:
            start = time.process_time()
            SelfLabelingGPC(hyperparameters=name, random_state=0).fit(X, y_partial)
            spent = time.process_time() - start
            seconds[name] = min(spent, seconds.get(name, np.inf))
        print(f"{n_labeled} labels: {seconds['labels'] / seconds['heuristic']:.2f}")


def main():
    """Print the mean error of each choice of parameters."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--loops", action="store_true")
    parser.add_argument("--label-evidence", action="store_true")
    options = parser.parse_args()
    if options.label_evidence:
        compare_priors(options.draws)
        compare_seconds()
        return
    compare = compare_loops if options.loops else self_labeling
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(list(load_sets()), options.draws)


if __name__ == "__main__":
    main()

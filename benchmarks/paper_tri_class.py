r"""Figures 6 and 8 and Table 4 of Yang et al. (2015) on 3C-SVM, ours beside.

    WIDEMARGIN_DATA=... python benchmarks/paper_tri_class.py
        [--part synthetic digits sdp] [--runs 10] [--sets usps mnist]

C and C_u are the paper's: the cost of one labeled and of one unlabeled row. Parameters
are chosen on separate validation draws, which have test rows of their own, by the mean
error and the first of equals; then each method runs on --runs other draws, the same for
all. As in the paper the SVM comes first, then costs are searched together and the other
parameters one by one, from kappa .01, epsilon .01 and D 2. Methods:

SVM       the labels alone
S3VM      ramp loss and CCCP as in the paper, without balance, from the SVM or from
          zero, whichever the validation draws prefer
S3VM-b    symmetric hinge, mean score of the unlabeled rows that of the labels, C_u
          raised in three steps (.01, .1, 1 times its value) from the SVM, as in
          TransductiveSVC
U-SVM     all unlabeled rows are irrelevant
LapSVM    LaplacianSVC with its default graph
paper-r   3C-SVM, Algorithm 1 of the paper in reduced form, with its restoring step
paper     the same without it: TriClassSVC(method="paper", restore=False)
min-u     3C-SVM, the min loss itself, from the U-SVM with the same parameters
min       the same from the SVM, C_u raised in three steps: TriClassSVC
min-s     the same from the SVM at once
min-b     as min, with the balance of S3VM-b
auto      TriClassSVC as it comes (unlabeled_weight="auto"), width of the SVM
S3VM-a    TransductiveSVC as it comes, width of the SVM

synthetic (Fig. 6): test errors in % on two sets of 50 features, L labels, 500 unlabeled
rows of which the share tau is relevant, 500 test rows, linear kernel; 3 validation
draws. The figure has no numbers, but a claim: 3C-SVM is significantly better (paired
t-test, 5 %) in 64 of 72 comparisons with SVM, S3VM and U-SVM. Grids are trimmed: C in
.01, .1, 1, 10 for the SVM and 10 for the others but LapSVM (with these features only
its ratio to C_u matters), C_u in .1, 1, 10, both weights of LapSVM in .001, 1,
epsilon in .01, .5, D in 1, 2, 5, kappa of S3VM in .01, .1, .5. (The paper has C up to
1000, C_u up to 100, six values of epsilon and four of D and kappa.)

digits (Table 4): accuracies in %, 5 against 8, five labels of each, all other digits
irrelevant, pixels in [-1, 1], Gaussian kernel, test rows those of the test part; 4
validation draws, tested on up to 1000 of the 5s and 8s of the training part that are
left. Grids: C in 10, 100 for the SVM (ten labels are separable: its C below would only
handicap it) and 10, the paper's choice, for the others; width delta / n_features, delta
in 1/16, 1/8 ... 4 for the SVM and its neighbors for the others but LapSVM; C_u in .001,
.01, .1, 1 (the paper has .1 to 100), both weights of LapSVM in .0001, .01, 1, the rest
as above. The paper does not say whether its ten labels are stratified; its SVM is worse
than ours. Its 3C-SVM stands below paper-r.

sdp (Fig. 8): the semidefinite relaxation (9) with its misprints mended, needs clarabel:
its optimum against the objective of the SVM of the labels alone, and its time.

Seconds are those of the processor, with one thread.
"""

import argparse
import time
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.stats import ttest_rel
from threadpoolctl import threadpool_limits

from widemargin import LaplacianSVC, TransductiveSVC, TriClassSVC
from widemargin.datasets import load_benchmark
from widemargin.objectives.tri_class import (
    EpsilonInsensitive,
    MinLoss,
    Ramp,
    RelaxedMinLoss,
    SymmetricHinge,
    labeled_hinges,
)
from widemargin.solvers.cccp import tri_class_cccp
from widemargin.solvers.hinge_machine import GramMachine, WeightMachine
from widemargin.solvers.majorize import BranchProblem, majorize_minimize

KAPPA = 0.01
RAISE = (0.01, 0.1, 1.0)  # of C_u, one after the other
MIXES = (0.1, 0.5, 0.9)  # tau, the share of relevant rows among the unlabeled ones
TRI_CLASS = ("paper-r", "paper", "min-u", "min", "min-s", "min-b", "auto")


@dataclass
class Task:
    """One draw: the first rows of X are labeled, the others are not."""

    X: np.ndarray
    signs: np.ndarray
    X_test: np.ndarray
    test_signs: np.ndarray
    is_linear: bool
    kept: dict = field(default_factory=dict)  # what several fits share

    def keep(self, key, make):
        """What `make` returns, made once."""
        if key not in self.kept:
            self.kept[key] = make()
        return self.kept[key]

    def kernel(self, Z, delta):
        """Gaussian kernel values of rows of Z with all rows."""
        return np.exp(-delta / self.X.shape[1] * cdist(Z, self.X, "sqeuclidean"))

    def machine(self, p, *, is_balanced=False):
        """What solves the convex problems."""

        def make():
            if is_balanced:
                n_labeled, n = len(self.signs), len(self.X)
                weights = np.repeat([0.0, 1.0 / (n - n_labeled)],
                                    [n_labeled, n - n_labeled])  # fmt: skip
                return self.machine(p).centered(weights)
            if self.is_linear:
                return WeightMachine(self.X, 1e-3)
            return GramMachine(self.kernel(self.X, p["delta"]))

        return self.keep(("machine", p.get("delta"), is_balanced), make)

    def pose(self, p, loss, *, is_balanced=False):
        """The problem with that loss on the unlabeled rows."""
        n_labeled, n = len(self.signs), len(self.X)
        costs = np.full(n_labeled, float(p["C"]))
        return BranchProblem(
            self.machine(p, is_balanced=is_balanced),
            (labeled_hinges(np.arange(n_labeled), self.signs, costs, n),),
            loss,
            np.arange(n_labeled, n),
            np.full(n - n_labeled, p.get("C_u", 0.0)),
            (self.signs.mean(),) if is_balanced else (None,),
        )

    def supervised(self, p, *, is_balanced=False):
        """The SVM of the labels alone, as a solution of that machine."""

        def make():
            problem = self.pose(p, None)
            machine = self.machine(p, is_balanced=is_balanced)
            return machine.solve(problem.given[0]).solution[:, None]

        return self.keep(("svm", p["C"], p.get("delta"), is_balanced), make)

    def error(self, p, solution, *, is_balanced=False):
        """Test error in %."""
        machine = self.machine(p, is_balanced=is_balanced)
        coordinates, intercepts = machine.function(solution)
        if self.is_linear:
            scores = self.X_test @ coordinates + intercepts
        else:
            key = "test", p["delta"]
            values = self.keep(key, lambda: self.kernel(self.X_test, p["delta"]))
            scores = values @ coordinates + intercepts
        return 100 * np.mean(np.where(scores[:, 0] < 0, -1, 1) != self.test_signs)

    def error_of(self, model):
        """Test error in % of an estimator."""
        y = np.full(len(self.X), -1)
        y[: len(self.signs)] = self.signs > 0
        wrong = model.fit(self.X, y).predict(self.X_test) != (self.test_signs > 0)
        return 100 * np.mean(wrong)


def svm(task, p):
    return task.error(p, task.supervised(p))


def s3vm(task, p):
    problem, start = task.pose(p, Ramp(p["kappa"])), task.supervised(p)
    if p["start"] == "zero":
        start = np.zeros_like(start)
    return task.error(p, majorize_minimize(problem, start).solution)


def raised(task, p, loss, *, is_balanced=False):
    """The error with a loss whose weight is raised step by step."""
    problem = task.pose(p, loss, is_balanced=is_balanced)
    solution = task.supervised(p, is_balanced=is_balanced)
    for factor in RAISE:
        weighted = problem.with_costs(factor * problem.costs)
        solution = majorize_minimize(weighted, solution).solution
    return task.error(p, solution, is_balanced=is_balanced)


def s3vm_balanced(task, p):
    return raised(task, p, SymmetricHinge(), is_balanced=True)


def universum(task, p):
    """The U-SVM, a convex problem."""

    def make():
        problem = task.pose(p, EpsilonInsensitive(p["epsilon"]))
        branches = np.zeros(len(problem.rows), dtype=int)
        start = task.supervised(p)[:, 0]
        return problem.solve(0, branches, start).solution[:, None]

    key = "u-svm", p["C"], p["C_u"], p["epsilon"], p.get("delta")
    return task.keep(key, make)


def u_svm(task, p):
    return task.error(p, universum(task, p))


def lap_svm(task, p):
    options = {"kernel": "linear"}
    if not task.is_linear:
        options = {"kernel": "rbf", "gamma": p["delta"] / task.X.shape[1]}
    return task.error_of(
        LaplacianSVC(ambient_reg=p["ambient"], intrinsic_reg=p["intrinsic"], **options)
    )


def paper(task, p, *, restore=False):
    problem = task.pose(p, RelaxedMinLoss(p["epsilon"], p["kappa"], p["D"]))
    result = tri_class_cccp(problem, task.supervised(p), restore=restore)
    return task.error(p, result.solution)


def paper_restored(task, p):
    return paper(task, p, restore=True)


def min_universum(task, p):
    problem = task.pose(p, MinLoss(p["epsilon"]))
    return task.error(p, majorize_minimize(problem, universum(task, p)).solution)


def min_raised(task, p):
    return raised(task, p, MinLoss(p["epsilon"]))


def min_supervised(task, p):
    problem = task.pose(p, MinLoss(p["epsilon"]))
    return task.error(p, majorize_minimize(problem, task.supervised(p)).solution)


def min_balanced(task, p):
    return raised(task, p, MinLoss(p["epsilon"]), is_balanced=True)


def auto(task, p, estimator=TriClassSVC):
    gamma = p["delta"] / task.X.shape[1]
    return task.error_of(estimator(gamma=gamma, random_state=0))


def s3vm_auto(task, p):
    return auto(task, p, TransductiveSVC)


FITS = {
    "SVM": svm,
    "S3VM": s3vm,
    "S3VM-b": s3vm_balanced,
    "S3VM-a": s3vm_auto,
    "U-SVM": u_svm,
    "LapSVM": lap_svm,
    "paper-r": paper_restored,
    "paper": paper,
    "min-u": min_universum,
    "min": min_raised,
    "min-s": min_supervised,
    "min-b": min_balanced,
    "auto": auto,
}


def choose(fit, tasks, first, stages):
    """Parameters with the lowest mean error; stages are searched one by one."""
    best, seen = dict(first), {}
    for grid in stages:
        lowest, found = np.inf, best
        for values in product(*grid.values()):
            p = {**best, **dict(zip(grid, values, strict=True))}
            key = tuple(sorted(p.items()))
            if key not in seen:
                seen[key] = np.mean([fit(task, p) for task in tasks])
            if seen[key] < lowest:
                lowest, found = seen[key], p
        best = found
    return best


def stages_of(method, supervised, shared, widths):
    """First values and grids of a method, with the parameters of the SVM chosen."""
    first = {**supervised, "kappa": KAPPA, "epsilon": 0.01, "D": 2.0}
    if method in ("SVM", "auto", "S3VM-a"):
        return first, []
    if method == "LapSVM":
        return first, [{name: shared["reg"] for name in ("ambient", "intrinsic")}]
    stages = [shared["costs"]]
    if method == "S3VM":
        stages = [{**shared["costs"], "start": ("svm", "zero")}]
    if widths:
        stages.append({"delta": near(supervised["delta"], widths)})
    if method == "S3VM":
        stages.append({"kappa": (0.01, 0.1, 0.5)})
    if method in ("paper", "paper-r"):
        stages.append({"D": (1.0, 2.0, 5.0)})
    if not method.startswith("S3VM"):
        stages.append({"epsilon": (0.01, 0.5)})
    return first, stages


def near(value, grid):
    """A value of a grid and its neighbors."""
    place = grid.index(value)
    return grid[max(place - 1, 0) : place + 2]


def tune(methods, tasks, shared, widths=None):
    """Parameters of all methods, from validation draws."""
    grid = {"C": shared["C"]} | ({"delta": widths} if widths else {})
    supervised = choose(svm, tasks, {}, [grid])
    return {
        m: choose(FITS[m], tasks, *stages_of(m, supervised, shared, widths))
        for m in methods
    }


def is_better(errors, others):
    """Whether errors are significantly lower, paired t-test on the level of 5 %."""
    difference = np.subtract(errors, others)
    if difference.mean() >= 0:
        return False
    return not difference.std() or ttest_rel(errors, others).pvalue < 0.05


def verdict(is_met):
    """How a requirement came out."""
    return "ok" if is_met else "MISSED"


# Figure 6

SIZES = (20, 50, 200, 500)
DEVIATIONS = np.sqrt(np.repeat([0.08, 10.0], [2, 48]))
SYNTHETIC = {
    "C": (0.01, 0.1, 1.0, 10.0),
    "costs": {"C": (10.0,), "C_u": (0.1, 1.0, 10.0)},
    "reg": (0.001, 1.0),
}
SYNTHETIC_METHODS = (
    "SVM", "S3VM", "S3VM-b", "U-SVM", "LapSVM", "paper-r", "paper", "min-u", "min-s",
)  # fmt: skip


def draw_gaussians(kind, n_labeled, tau, seed, n_unlabeled=500, n_test=500):
    """A draw of the synthetic sets, Sec. 5.1; the classes are those of both sets."""
    rng = np.random.default_rng(seed)
    n_relevant = round(tau * n_unlabeled)
    parts, signs = [], []
    for n in (n_labeled, n_relevant, n_test):
        side = np.where(np.arange(n) < n // 2, 1.0, -1.0)
        parts.append(0.3 * side[:, None] + DEVIATIONS * rng.normal(size=(n, 50)))
        signs.append(side)
    noise = rng.normal(size=(n_unlabeled - n_relevant, 50))
    irrelevant = DEVIATIONS * noise + 0.15  # half of the mean of the positive class
    if kind == 1:
        irrelevant = np.sqrt(np.repeat([0.1, 10.0], [2, 48])) * noise
    X = np.vstack([*parts[:2], irrelevant])
    return Task(X, signs[0], parts[2], signs[2], True)


def synthetic(options):
    """Errors of all methods on 24 settings."""
    methods, begin = SYNTHETIC_METHODS, time.process_time()
    print("Test errors in %, mean of the draws; paper: a figure without numbers")
    print("set tau   L  " + " ".join(f"{m:>8s}" for m in methods))
    found = []
    for kind, tau, n_labeled in product((1, 2), MIXES, SIZES):
        start, seed = time.process_time(), [int(10 * tau), n_labeled]
        tasks = [draw_gaussians(kind, n_labeled, tau, [1, *seed, k]) for k in range(3)]
        chosen = tune(methods, tasks, SYNTHETIC)
        errors = []
        for run in range(options.runs):
            task = draw_gaussians(kind, n_labeled, tau, [0, *seed, run])
            errors.append([FITS[m](task, chosen[m]) for m in methods])
        found.append(np.transpose(errors))
        cells = " ".join(f"{e.mean():8.1f}" for e in found[-1])
        print(
            f"{kind:3d} {tau:3.1f} {n_labeled:3d}  {cells}"
            f"  {time.process_time() - start:4.0f} s",
            flush=True,
        )
        if options.verbose:
            print(*(f"      {m}: {p}" for m, p in chosen.items()), sep="\n")
    report_synthetic(methods, np.array(found))
    print(f"{time.process_time() - begin:.0f} s")


def report_synthetic(methods, found):
    """Means, significant wins and verdicts; found is (n_settings, n_methods, runs)."""
    means = dict(zip(methods, found.mean(axis=2).T, strict=True))
    errors = dict(zip(methods, found.transpose(1, 0, 2), strict=True))
    cells = " ".join(f"{m.mean():8.2f}" for m in means.values())
    print(f"mean of {len(found):<5d} {cells}")
    rivals = ("SVM", "S3VM", "U-SVM")
    for method in (m for m in methods if m in TRI_CLASS):
        pairs = {
            r: list(zip(errors[method], errors[r], strict=True)) for r in rivals
        }  # fmt: skip
        wins = {r: sum(is_better(a, b) for a, b in pairs[r]) for r in rivals}
        losses = sum(is_better(b, a) for r in rivals for a, b in pairs[r])
        told = ", ".join(f"{n} against {r}" for r, n in wins.items())
        print(
            f"3C-SVM {method}: significantly better in {sum(wins.values())} of "
            f"{len(rivals) * len(found)} comparisons (paper 64 of 72): {told}; "
            f"significantly worse in {losses}"
        )
    own = [m for m in methods if m in TRI_CLASS]
    best = min(own, key=lambda m: means[m].mean())
    below = int((means[best] < means["SVM"]).sum())
    mean = means[best].mean()
    print(
        f"3C-SVM in its best mode, {best}: mean {mean:.2f} %, required at most 15.5: "
        f"{verdict(mean <= 15.5)}; below the SVM in {below} of {len(found)} settings, "
        f"required all: {verdict(below == len(found))}"
    )


# Table 4

WIDTHS = (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
DIGITS = {
    "C": (10.0, 100.0),
    "costs": {"C": (10.0,), "C_u": (0.001, 0.01, 0.1, 1.0)},
    "reg": (1e-4, 0.01, 1.0),
}
DIGIT_METHODS = (
    "SVM", "S3VM", "S3VM-b", "S3VM-a", "U-SVM", "LapSVM", "paper-r", "paper", "min",
    "min-b", "auto",
)  # fmt: skip
PAPER_METHODS = ("SVM", "S3VM", "U-SVM", "LapSVM", "SS-ELM", "paper-r")
TABLE4 = {
    ("usps", 100, 0.1): (85.6, 87.6, 89.0, 83.7, 87.8, 89.3),
    ("usps", 100, 0.5): (85.6, 87.6, 88.2, 85.1, 88.4, 88.8),
    ("usps", 100, 0.9): (85.6, 87.6, 87.4, 85.6, 88.1, 89.1),
    ("usps", 1000, 0.1): (85.6, 84.0, 86.1, 85.3, 86.6, 88.6),
    ("usps", 1000, 0.5): (85.6, 76.8, 83.4, 85.6, 86.9, 87.6),
    ("usps", 1000, 0.9): (85.6, 76.0, 78.3, 85.5, 86.1, 86.4),
    ("mnist", 100, 0.1): (68.7, 69.4, 68.8, 63.7, 72.2, 73.0),
    ("mnist", 100, 0.5): (68.7, 69.1, 68.8, 65.1, 71.6, 72.9),
    ("mnist", 100, 0.9): (68.7, 68.5, 68.8, 65.9, 71.7, 73.0),
    ("mnist", 1000, 0.1): (68.7, 68.0, 72.0, 65.0, 72.7, 73.5),
    ("mnist", 1000, 0.5): (68.7, 58.2, 72.5, 66.3, 72.8, 73.5),
    ("mnist", 1000, 0.9): (68.7, 56.6, 72.7, 66.9, 72.8, 73.5),
}


@lru_cache
def load_digits(name):
    """Pixels in [-1, 1], digits and the number of training rows."""
    data = load_benchmark(name)
    X = data.data if name == "usps" else 2.0 * data.data - 1.0
    return X, data.target, int(data.train_size)


def draw_digits(name, n_unlabeled, tau, seed, *, is_validation):
    """Ten labels, the same in all cells of a set, and a mixture of unlabeled rows."""
    X, y, n_train = load_digits(name)
    rng = np.random.default_rng([*seed, int(is_validation)])
    train, n_relevant = y[:n_train], round(tau * n_unlabeled)
    of_class = [rng.permutation(np.flatnonzero(train == digit)) for digit in (5, 8)]
    labeled = np.concatenate([rows[:5] for rows in of_class])
    rest = rng.permutation(np.concatenate([rows[5:] for rows in of_class]))
    others = rng.permutation(np.flatnonzero(~np.isin(train, (5, 8))))
    unlabeled = np.append(rest[:n_relevant], others[: n_unlabeled - n_relevant])
    test = n_train + np.flatnonzero(np.isin(y[n_train:], (5, 8)))
    if is_validation:
        test = rest[n_relevant:][:1000]
    signs = np.repeat([1.0, -1.0], 5)
    rows = np.append(labeled, unlabeled)
    return Task(X[rows], signs, X[test], np.where(y[test] == 5, 1.0, -1.0), False)


def digits(options):
    """Accuracies of all methods in 12 cells."""
    methods, begin, found = DIGIT_METHODS, time.process_time(), {}
    print("Accuracies in %, mean and standard deviation of the draws; below: paper")
    print(f"{'':22s}" + "".join(f"{m:>10s}" for m in methods))
    for cell in (c for c in TABLE4 if c[0] in options.sets):
        start, (name, n_unlabeled, tau) = time.process_time(), cell

        def draw(run, *, is_validation, cell=cell):
            return draw_digits(*cell, [run], is_validation=is_validation)

        tasks = [draw(run, is_validation=True) for run in range(4)]
        chosen = tune(methods, tasks, DIGITS, WIDTHS)
        errors = []
        for run in range(options.runs):
            task = draw(run, is_validation=False)
            errors.append([FITS[m](task, chosen[m]) for m in methods])
        found[cell] = dict(zip(methods, 100 - np.transpose(errors), strict=True))
        cells = (f"{a.mean():5.1f} {a.std():4.1f}" for a in found[cell].values())
        theirs = dict(zip(PAPER_METHODS, TABLE4[cell], strict=True))
        below = (f"{theirs[m]:5.1f}     " if m in theirs else 10 * " " for m in methods)
        print(
            f"{name:5s} {n_unlabeled:4d} {tau:3.1f}  ours  {''.join(cells)}"
            f"  {time.process_time() - start:4.0f} s\n"
            f"{'':14s}  paper {''.join(below)}  (SS-ELM {theirs['SS-ELM']:.1f})",
            flush=True,
        )
        if options.verbose:
            print(*(f"      {m}: {p}" for m, p in chosen.items()), sep="\n")
    report_digits(found)
    print(f"{time.process_time() - begin:.0f} s")


def report_digits(found):
    """The table again, as differences to the SVM, and verdicts."""
    methods = list(next(iter(found.values())))[1:]
    print("Difference to the SVM in points; * significant (paired t-test, 5 %)")
    print(f"{'':18s} {'SVM':>6s} " + " ".join(f"{m:>8s}" for m in methods) +
          "   paper: SVM  3C-SVM")  # fmt: skip
    gains = {m: [] for m in methods}
    for (name, n_unlabeled, tau), accuracy in found.items():
        cells = []
        for m in methods:
            ours, svms = accuracy[m], accuracy["SVM"]
            gains[m].append(ours.mean() - svms.mean())
            star = "*" if is_better(-ours, -svms) or is_better(-svms, -ours) else " "
            cells.append(f"{gains[m][-1]:+7.1f}{star}")
        theirs = TABLE4[name, n_unlabeled, tau]
        print(
            f"{name:5s} {n_unlabeled:5d}  {tau:3.1f}  {accuracy['SVM'].mean():6.1f} "
            f"{' '.join(cells)}         {theirs[0]:.1f}  {theirs[-1] - theirs[0]:+6.1f}"
        )
    print(f"{'mean':18s} {'':6s} " +
          " ".join(f"{np.mean(g):+7.1f} " for g in gains.values()))  # fmt: skip
    for m in (m for m in methods if m in TRI_CLASS):
        worst = min(gains[m])
        print(
            f"3C-SVM {m}: worst cell {worst:+.1f} points against the SVM, required at "
            f"least -1.0 in all {len(found)}: {verdict(worst >= -1.0)}"
        )
    cell = "usps", 1000, 0.9
    for m in ("S3VM-b", "S3VM-a"):
        if cell in found:
            ours = found[cell][m].mean()
            print(
                f"{m} on USPS, U = 1000, tau = 0.9: {ours:.1f} %, required 91: "
                f"{verdict(ours >= 91.0)}"
            )


# Figure 8


def triangle(n):
    """Position of each entry of a symmetric matrix in its upper triangle by columns."""
    i, j = np.triu_indices(n)
    places = np.zeros((n, n), dtype=int)
    places[i, j] = places[j, i] = j * (j + 1) // 2 + i
    return places


class Relaxation:
    """The program (9): min t over M, d, nu, delta and t, as clarabel wants it.

    Mended: epsilon in a, multipliers nu and delta >= 0, M positive semidefinite with
    the d of unlabeled rows on its diagonal, and a C of L + 2 U entries. There is no
    intercept; the first label is +1, so that the first row of M stands for y.
    """

    def __init__(self, gram, signs, C, C_u, epsilon, reach):
        n, n_labeled = len(gram), len(signs)
        n_unlabeled = n - n_labeled
        self.n_rows = n + 2 * n_unlabeled
        labeled = np.arange(n) < n_labeled
        self.M = np.full((n, n), -1)  # variables; -1 where labels are known
        i, j = np.nonzero(np.triu(~(labeled[:, None] & labeled)))
        self.M[i, j] = self.M[j, i] = np.arange(len(i))
        self.d = self.M[np.arange(n), np.arange(n)][n_labeled:]  # diag(M) = d
        self.nu = len(i) + np.arange(self.n_rows)
        self.delta = self.nu[-1] + 1 + np.arange(n + n_unlabeled)
        self.t = self.delta[-1] + 1
        self.known = np.outer(signs, signs)
        self.blocks = [self._dual(gram, C, C_u, epsilon, reach, n_labeled), self._psd()]

    def _entry(self, i, j, factor):
        """(variable or -1, factor) of an entry of M times a factor."""
        variable = self.M[i, j]
        return variable, factor * (self.known[i, j] if variable < 0 else 1.0)

    def _dual(self, gram, C, C_u, epsilon, reach, n_labeled):
        """Entries (i, j, variable, coefficient) of the large matrix."""
        n, size = len(gram), self.n_rows
        n_unlabeled, entries = n - n_labeled, []
        for i in range(n):
            entries += [(i, j, *self._entry(i, j, gram[i, j])) for j in range(i, n)]
            for k, s in product(range(n_unlabeled), (0, 1)):
                value = (1 - 2 * s) * gram[i, n_labeled + k]
                place = n + s * n_unlabeled + k
                entries.append((i, place, *self._entry(0, i, value)))
        inner = np.kron([[1, -1], [-1, 1]], gram[n_labeled:, n_labeled:])
        for i, j in zip(*np.triu_indices(2 * n_unlabeled), strict=True):
            entries.append((n + i, n + j, -1, inner[i, j]))
        for i in range(size):  # a + nu - B' delta
            k = (i - n) % n_unlabeled
            bound = i if i < n else n + k
            entries += [(i, size, self.nu[i], 1.0), (i, size, self.delta[bound], -1.0)]
            if i < n_labeled:
                entries.append((i, size, -1, 1.0))
            elif i < n:
                entries.append((i, size, -1, 1.0 - reach))
                entries.append((i, size, self.d[i - n_labeled], reach))
            else:
                entries.append((i, size, -1, -epsilon))
                entries.append((i, size, self.d[k], -reach))
        costs = np.repeat([C, C_u], [n_labeled, 2 * n_unlabeled])
        entries.append((size, size, self.t, 1.0))
        entries += [(size, size, v, -2.0 * c) for v, c in
                    zip(self.delta, costs, strict=True)]  # fmt: skip
        return size + 1, entries

    def _psd(self):
        n = len(self.M)
        pairs = zip(*np.triu_indices(n), strict=True)
        return n, [(i, j, *self._entry(i, j, 1.0)) for i, j in pairs]

    def solve(self):
        """Status and optimum, half of t: the objective of (8) over lambda."""
        import clarabel

        rows, columns, values, right, cones, begin = [], [], [], [], [], 0
        for n, entries in self.blocks:
            places, b = triangle(n), np.zeros(n * (n + 1) // 2)
            for i, j, variable, value in entries:
                scaled = value * (1.0 if i == j else np.sqrt(2.0))
                if variable < 0:
                    b[places[i, j]] += scaled
                    continue
                rows.append(begin + places[i, j])
                columns.append(variable)
                values.append(-scaled)
            right.append(b)
            begin += len(b)
            cones.append(clarabel.PSDTriangleConeT(n))
        signed = np.concatenate([self.nu, self.delta, self.d])  # >= 0
        for variables, sign, bound in ((signed, -1.0, 0.0), (self.d, 1.0, 1.0)):
            rows += list(begin + np.arange(len(variables)))
            columns += list(variables)
            values += [sign] * len(variables)
            right.append(np.full(len(variables), bound))
            begin += len(variables)
            cones.append(clarabel.NonnegativeConeT(len(variables)))
        shape = begin, self.t + 1
        A = sparse.csc_matrix((values, (rows, columns)), shape=shape)
        q = np.zeros(self.t + 1)
        q[self.t] = 1.0
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        nothing = sparse.csc_matrix((len(q), len(q)))
        solver = clarabel.DefaultSolver(
            nothing, q, A, np.concatenate(right), cones, settings
        )
        found = solver.solve()
        return str(found.status), found.obj_val / 2.0


def sdp(options):
    """Optimum and time of the relaxation."""
    try:
        import clarabel  # noqa: F401
    except ImportError:
        print("skipped: the relaxation needs clarabel (pip install clarabel)")
        return
    n_labeled, C, C_u, epsilon, reach = 20, 10.0, 1.0, 0.01, 2.0
    for n_unlabeled in (10, 20):
        task = draw_gaussians(1, n_labeled, 0.5, [0], n_unlabeled, 2)
        gram = task.X @ task.X.T
        gram /= np.trace(gram) / len(gram)
        problem = BranchProblem(
            GramMachine(gram, 1e-6),
            task.pose({"C": C}, None).given,
            MinLoss(epsilon),
            np.arange(n_labeled, len(gram)),
            np.full(n_unlabeled, C_u),
            (0.0,),
        )
        start = problem.solve_given().solution
        supervised = problem.machine.solve(problem.given[0], 0.0).objective
        majorize_minimize(problem, start)
        begin = time.process_time()
        ours = majorize_minimize(problem, start)
        fast, begin = time.process_time() - begin, time.process_time()
        relaxation = Relaxation(gram, task.signs, C, C_u, epsilon, reach)
        status, optimum = relaxation.solve()
        slow = time.process_time() - begin
        is_vacuous = abs(optimum - supervised) <= 1e-3 * supervised
        told = "equal, it learns nothing from the others" if is_vacuous else "DIFFERENT"
        print(
            f"L = {n_labeled}, U = {n_unlabeled}: optimum of the SDP {optimum:.4f} "
            f"({status}), SVM of the labels alone {supervised:.4f}: {told}; SDP "
            f"{slow:.1f} s, min loss {1e3 * fast:.2f} ms (objective "
            f"{ours.objective:.4f}): {slow / fast:,.0f} times (paper's Fig. 8: "
            "hundreds to a thousand times)",
            flush=True,
        )


PARTS = {"synthetic": synthetic, "digits": digits, "sdp": sdp}


def main():
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument(
        "--sets", nargs="+", choices=("usps", "mnist"), default=("usps", "mnist")
    )
    parser.add_argument("--verbose", action="store_true", help="show parameters")
    options = parser.parse_args()
    with threadpool_limits(1):
        for name in options.part:
            print(f"-- {name}")
            PARTS[name](options)


if __name__ == "__main__":
    main()

"""Speed of the hinge models with unlabeled samples, measured in one run.

    WIDEMARGIN_DATA=... python benchmarks/speed/tri_class.py [--quick]
        [text growth printed linear pcmac]

Seconds are those of the processor, one thread, so that other work on the machine counts
little; the best of a few repetitions (pcmac, text: median, once) after one that
compiles the loops. Trust the ratios more than the seconds.
--quick leaves out what takes a minute or more.

growth   fits with the Gram matrix given: 5 against 8, five labels of each, U unlabeled
         rows of which half are other digits, Gaussian kernel of width 1/4 over the
         number of features, C = 10, C_u = 0.1. USPS has rows for U up to 2,000, MNIST
         for all U. "min" is the min loss by majorize-minimize from the SVM of the
         labels; "paper" is Algorithm 1 of the paper in reduced form (D = 2), with and
         without its restoring step, up to U = 2,000. The exponent is that of U from
         1,000 on, where fits take long enough to be measured.
printed  one quadratic program (21) as printed, with labels added, by clarabel (left out
         if it is not installed), against the same step in reduced form
linear   the min loss with a linear kernel on the pixels of USPS, standardized against
         columns multiplied by 1 to 100, by Newton's method on the weights, and, in
         standard units only, by sequential minimal optimization
pcmac    TransductiveSVC on text, the 10 published splits with 50 labels
text     TransductiveSVC on 100,000 synthetic sparse rows of 50,000 features with 1,000
         labels, 60 words per row; time and memory, each model in a process of its own
"""

import argparse
import subprocess
import sys
import time
from resource import RUSAGE_SELF, getrusage

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from widemargin import TransductiveSVC
from widemargin.objectives.pieces import MinLoss, RelaxedMinLoss, labeled_hinges
from widemargin.parameters import ProximalNewton, Rbf, Smo
from widemargin.solvers.cccp import tri_class_cccp
from widemargin.solvers.hinge import BranchProblem, majorize_minimize
from widemargin.spaces import FeatureSpace, GramSpace
from widemargin_bench.stored_sets import load_set

C, C_U, EPSILON, KAPPA, REACH = 10.0, 0.1, 0.01, 0.01, 2.0
SIGNS = np.repeat([1.0, -1.0], 5)
SIZES = {"usps": (100, 500, 1000, 2000), "mnist": (100, 500, 1000, 2000, 5000, 10000)}
TARGETS = {1000: 0.1, 5000: 1.5}  # seconds
WEIGHTS = {"fixed": 0.3, "auto": "auto"}


def best_of(function, repeats=3):
    """Shortest processor time of a few calls, in s, and what the last one returned."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        result = function()
        times.append(time.process_time() - start)
    return min(times), result


def verdict(is_met):
    """How a target came out."""
    return "ok" if is_met else "MISSED"


def draw(name, n_unlabeled, seed=0):
    """Five labeled rows of each class, then the unlabeled ones, half of them others."""
    data, rng = load_set(name), np.random.default_rng(seed)
    y = data.target
    of_class = [rng.permutation(np.flatnonzero(y == digit)) for digit in (5, 8)]
    rest = rng.permutation(np.concatenate([rows[5:] for rows in of_class]))
    others = rng.permutation(np.flatnonzero(~np.isin(y, (5, 8))))
    half = n_unlabeled // 2
    rows = [of_class[0][:5], of_class[1][:5], rest[:half], others[: n_unlabeled - half]]
    X = data.data[np.concatenate(rows)]
    return X if name == "usps" else 2.0 * X - 1.0


def gaussian(X):
    """Gram matrix."""
    return Rbf(0.25 / X.shape[1])(X)


def make_problem(space, loss, n_labeled=10, tol=1e-3):
    """The problem with that loss on the unlabeled rows."""
    n, labeled = space.n_rows, np.arange(n_labeled)
    given = labeled_hinges(labeled, SIGNS, np.full(n_labeled, C), n)
    costs = np.full(n - n_labeled, C_U)
    solver = ProximalNewton() if space.low_rank else Smo(tol)
    return BranchProblem(
        space, solver, (given,), loss, np.arange(n_labeled, n), costs, (None,)
    )


def fit(space, method="min"):
    """A fit from nothing: the SVM of the labels, then the loss of the others."""
    if method == "min":
        problem = make_problem(space, MinLoss(EPSILON))
        return majorize_minimize(problem, problem.solve_given().solution)
    problem = make_problem(space, RelaxedMinLoss(EPSILON, KAPPA, REACH))
    start = problem.solve_given().solution
    return tri_class_cccp(problem, start, restore=method == "restore")


def min_objective(space, solution):
    """The paper's objective with the min loss itself, Eq. (4)."""
    problem = make_problem(space, MinLoss(EPSILON))
    scores = problem.scores(solution)
    return problem.touch(solution, scores)[2]


def growth(sizes=SIZES):
    """Fits against the number of unlabeled rows."""
    for name, all_sizes in sizes.items():
        seconds = []
        for n_unlabeled in all_sizes:
            space = GramSpace(gaussian(draw(name, n_unlabeled)))
            fit(space)
            repeats = 2 if n_unlabeled >= 5000 else 3
            own, result = best_of(lambda s=space: fit(s), repeats)
            seconds.append(own)
            line = (
                f"{name.upper()}, U = {n_unlabeled}: min {own:.4f} s "
                f"({result.n_iter} convex problems, objective {result.objective:.3f})"
            )
            if n_unlabeled in TARGETS:
                target = TARGETS[n_unlabeled]
                line += f", target {target}: {verdict(own <= target)}"
            for method, title in (
                ("restore", "paper"),
                ("paper", "without restoring"),
            ):
                if n_unlabeled > 2000:
                    continue
                theirs, result = best_of(lambda s=space, a=method: fit(s, a), 1)
                objective = min_objective(space, result.solution)
                line += (
                    f"; {title} {theirs:.4f} s ({result.n_iter} steps, objective "
                    f"{objective:.3f}), {theirs / own:.1f} times"
                )
            print(line, flush=True)
        large = [k for k, n in enumerate(all_sizes) if n >= 1000]
        if len(large) < 3:
            continue
        logs = np.log(all_sizes)[large], np.log(seconds)[large]
        exponent = np.polyfit(*logs, 1)[0]
        print(
            f"{name.upper()}: min grows as U^{exponent:.2f} from U = 1,000 to "
            f"{all_sizes[-1]:,}, target 2.3: {verdict(exponent <= 2.3)}",
            flush=True,
        )


def printed(n_unlabeled=100):
    """One program (21) with L + 4 U multipliers."""
    try:
        import clarabel
    except ImportError:
        print("printed program (21): skipped, needs clarabel (pip install clarabel)")
        return
    space = GramSpace(gaussian(draw("usps", n_unlabeled)))
    loss = RelaxedMinLoss(EPSILON, KAPPA, 3.0)
    problem = make_problem(space, loss, tol=1e-5)
    start = problem.solve_given().solution
    f, n_labeled = space.dual_scores(start[:, 0])[10:], 10
    sides = np.sign(f) * (np.abs(f) > KAPPA)
    pieces = loss.pieces(sides, problem.rows, problem.costs, space.n_rows)
    pieces = problem.given[0] + pieces

    def reduced():
        return problem.solver.solve(space, pieces, None, start[:, 0]).solution

    reduced()
    fast, solution = best_of(reduced)
    u, n = n_unlabeled, n_labeled + 4 * n_unlabeled
    copies = n_labeled + np.tile(np.arange(u), 4)
    rows = np.append(np.arange(n_labeled), copies)
    y = np.append(SIGNS, np.tile(np.repeat([1.0, -1.0], u), 2))
    mu = C_U * np.append(f < KAPPA, -f < KAPPA)
    begin = time.process_time()
    omega = y[:, None] * y * space.gram[np.ix_(rows, rows)]
    plain = np.repeat([1.0, 1.0 - loss.reach, -EPSILON], [n_labeled, 2 * u, 2 * u])
    rho = omega[:, n_labeled : n_labeled + 2 * u] @ mu + plain
    unit, identity = sparse.identity(n), sparse.identity(u)
    chained = [sparse.csr_matrix((u, n_labeled)), -identity, -identity, identity,
               identity]  # fmt: skip
    A = sparse.vstack([y[None], sparse.hstack(chained), unit, -unit]).tocsc()
    costs = np.repeat([C, C_U], [n_labeled, 4 * u])
    right = np.concatenate([[mu @ y[-2 * u :]], np.zeros(u), costs, np.zeros(n)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(u + 2 * n)]
    P = sparse.triu(sparse.csc_matrix(omega), format="csc")
    found = clarabel.DefaultSolver(P, -rho, A, right, cones, settings).solve()
    slow = time.process_time() - begin
    weights = y * np.array(found.x)
    weights[n_labeled : n_labeled + 2 * u] -= y[-2 * u :] * mu
    scores = space.gram @ np.bincount(rows, weights, space.n_rows)
    ours = space.dual_scores(solution) - solution[-1]
    print(
        f"printed program (21), USPS, U = {u}, {n} multipliers: {slow:.3f} s "
        f"({found.status}); in reduced form {1e3 * fast:.2f} ms: {slow / fast:,.0f} "
        f"times; scores differ by {np.abs(scores - ours).max():.0e} at the most",
        flush=True,
    )


def linear(n_unlabeled=1000):
    """Units of the features."""
    X = draw("usps", n_unlabeled)
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-2)
    factors = 10.0 ** np.random.default_rng(0).uniform(0, 2, X.shape[1])
    found = {}
    for name, rows in (("standard", X), ("mixed", X * factors)):
        space = FeatureSpace(rows)
        fit(space)
        found[name] = best_of(lambda s=space: fit(s))
    space = GramSpace(X @ X.T)
    slow, result = best_of(lambda: fit(space), 1)
    standard, mixed = found["standard"][0], found["mixed"][0]
    ended = result.status.name.lower()
    print(
        f"linear kernel, USPS, U = {n_unlabeled}, min loss by weights: standardized "
        f"{standard:.3f} s ({found['standard'][1].n_iter} convex problems), columns "
        f"times 1 to 100 {mixed:.3f} s ({found['mixed'][1].n_iter}): "
        f"{mixed / standard:.1f} times, target 10: {verdict(mixed <= 10 * standard)}; "
        f"by the Gram matrix, standardized, {slow:.3f} s ({ended})",
        flush=True,
    )


def pcmac():
    """Text, 50 labels."""
    data = load_set("pcmac")
    splits = np.asarray(data.splits_labeled)
    for title, weight in (("0.3", 0.3), ("auto (default)", "auto")):
        errors, seconds = [], []
        for split in splits:
            y = np.full(len(data.target), -1)
            y[split] = data.target[split] > 0
            model = TransductiveSVC(
                kernel="linear", C=10.0, unlabeled_weight=weight, random_state=0
            )
            own, model = best_of(lambda m=model, y=y: m.fit(data.data, y), 1)
            wrong = model.transduction_ != (data.target > 0)
            errors.append(100 * np.mean(wrong[y < 0]))
            seconds.append(own)
        mean, typical = np.mean(errors), np.median(seconds)
        print(
            f"PCMAC, TransductiveSVC, unlabeled_weight {title}: error on unlabeled "
            f"rows {mean:.1f} % (sd {np.std(errors):.1f}, {len(splits)} splits), "
            f"target 11.5: {verdict(mean <= 11.5)}; {typical:.2f} s per fit, target 1: "
            f"{verdict(typical < 1)}",
            flush=True,
        )


def make_text(n_rows=100_000, n_words=50_000, n_each=60, rng=None):
    """Rows of two topics: a third of the words from the topic's own list, or, one in
    five of these, from the list of the other one; the rest is common to both.
    """
    topic, n_own = rng.integers(2, size=n_rows), n_each // 3
    is_other = rng.random((n_rows, n_own)) < 0.2
    side = topic[:, None] ^ is_other
    own = side * 1000 + rng.integers(1000, size=(n_rows, n_own))
    common = 2000 + (n_words - 2000) * rng.random((n_rows, n_each - n_own)) ** 2
    words = np.hstack([own, common.astype(int)])
    values = 1.0 + rng.exponential(size=words.shape)
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    starts = n_each * np.arange(n_rows + 1)
    X = sparse.csr_matrix(
        (values.ravel(), words.ravel(), starts), shape=(n_rows, n_words)
    )
    X.sum_duplicates()
    return X, topic


def text():
    """Each model in a process of its own for the sake of its memory."""
    for name in WEIGHTS:
        subprocess.run([sys.executable, __file__, "--weight", name], check=True)


def fit_text(name, n_labeled=1000):
    """One model on sparse rows."""
    X, topic = make_text(rng=np.random.default_rng(0))
    y = np.full(len(topic), -1)
    y[:n_labeled] = topic[:n_labeled]
    loaded = getrusage(RUSAGE_SELF).ru_maxrss / 2**20
    model = TransductiveSVC(
        kernel="linear", unlabeled_weight=WEIGHTS[name], random_state=0
    )
    supervised = TransductiveSVC(kernel="linear", unlabeled_weight=0.0, random_state=0)
    seconds, _ = best_of(lambda: model.fit(X, y), 1)
    peak = getrusage(RUSAGE_SELF).ru_maxrss / 2**20
    supervised.fit(X[:n_labeled], y[:n_labeled])
    hidden = slice(n_labeled, None)
    error = 100 * np.mean(model.transduction_[hidden] != topic[hidden])
    alone = 100 * np.mean(supervised.predict(X[hidden]) != topic[hidden])
    print(
        f"text, {X.shape[0]:,} x {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} words per "
        f"row, {n_labeled:,} labels, TransductiveSVC, unlabeled_weight "
        f"{WEIGHTS[name]}: fit {seconds:.1f} s with compilation, target 60: "
        f"{verdict(seconds < 60)}; peak memory {peak:.2f} GiB ({loaded:.2f} with the "
        f"data loaded); error on unlabeled rows {error:.1f} %, from the labels alone "
        f"{alone:.1f} %",
        flush=True,
    )


PARTS = {
    "text": text,  # first: a child's peak is at least that of its parent
    "growth": growth,
    "printed": printed,
    "linear": linear,
    "pcmac": pcmac,
}


def main():
    """Run the parts named on the command line, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="without long parts")
    parser.add_argument("--weight", choices=WEIGHTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    with threadpool_limits(1):
        if options.weight:
            fit_text(options.weight)
            return
        for name, part in PARTS.items():
            if name not in (options.parts or PARTS):
                continue
            if options.quick and name == "text":
                continue
            if options.quick and name == "growth":
                part({k: [n for n in v if n <= 2000] for k, v in SIZES.items()})
                continue
            part()


if __name__ == "__main__":
    main()

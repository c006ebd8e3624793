"""What scripts share that compare a constant of `widemargin.defaults` with others."""

import argparse
import sys
import time
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from resource import RUSAGE_SELF, getrusage
from unittest.mock import patch

import numpy as np
from sklearn.datasets import load_digits, make_blobs

from widemargin import LabelSearchClassifier, MaxMarginClustering, TransductiveSVC
from widemargin.averaging import family_prior, label_counts
from widemargin.datasets import hide_labels
from widemargin.defaults import (
    GRAPH_POWERS,
    PATH_DECAY,
    SEARCH_LADDER,
    SEARCH_WIDTH,
    UNLABELED_WEIGHTS,
)
from widemargin.graphs import KnnGraph, graph_laplacian
from widemargin.kernels import Rbf
from widemargin.labelling import Automatic, Starts
from widemargin.labelling.path import PathSettings, follow_path, hold_out
from widemargin.objectives.class_sizes import Balance
from widemargin.objectives.laplacian import Intercept, ManifoldObjective, share_graph
from widemargin.objectives.losses import SquaredHinge
from widemargin.rows import Rows
from widemargin.sample import collect_sample
from widemargin.solvers.laplacian import models_prior
from widemargin.solvers.newton import reduced_newton
from widemargin.spaces import GramSpace, choose_space
from widemargin_bench.draws import PartlyLabeled
from widemargin_bench.stored_sets import load_set
from widemargin_bench.tables.few_labels import SETS, clean, make_rows, rows_of

AMBIENT_REG = 1e-3


@contextmanager
def constant(name, value):
    """Let modules that read a constant whenever they run read another value.

    Defaults of arguments and fields were read before: pass these another value.
    """
    with ExitStack() as stack:
        for key, module in list(sys.modules.items()):
            if key.startswith("widemargin.") and name in vars(module):
                stack.enter_context(patch.object(module, name, value))
        yield


def make_apart_blobs(sizes, n_features, distance, rng, *, axes=None):
    """Gaussian clusters of these sizes, whose centers are at least so far apart.

    They have unit covariance, or standard deviations `axes` in random directions. The
    centers are Gaussian, of the smallest spread in a series that puts them so far.
    """
    n_clusters = len(sizes)
    for spread in distance * np.linspace(0.5, 8.0, 400):
        centers = spread * rng.normal(size=(n_clusters, n_features))
        centers /= np.sqrt(n_features)
        lengths = np.linalg.norm(centers[:, None] - centers, axis=2)
        if lengths[np.triu_indices(n_clusters, 1)].min(initial=np.inf) >= distance:
            break
    y = np.repeat(np.arange(n_clusters), sizes)
    X = rng.normal(size=(len(y), n_features))
    if axes is not None:
        for cluster in range(n_clusters):
            turned = np.linalg.qr(rng.normal(size=(n_features, n_features)))[0]
            X[y == cluster] = (X[y == cluster] * axes) @ turned
    return X + centers[y], y


def draw_labels(y, n_labels, seed, *, wrong=0.0):
    """Hide all but some labels, at least one per class; a share of them is `wrong`.

    A class with a single label keeps it.
    """
    n_classes = y.max() + 1
    y_partial = hide_labels(y, max(n_labels, n_classes), rng=seed)
    labeled, rng = np.flatnonzero(y_partial != -1), np.random.default_rng(seed)
    n_wrong = int(np.ceil(wrong * len(labeled)))
    for row in rng.permutation(labeled):
        if n_wrong and np.sum(y_partial == y[row]) > 1:
            y_partial[row] = (y[row] + rng.integers(1, n_classes)) % n_classes
            n_wrong -= 1
    return y_partial


@dataclass(frozen=True)
class Models:
    """Models that are averaged: what they say of held-out and of unlabeled rows."""

    held_out: np.ndarray  # scores or probabilities, (n_models, n_labels, n_columns)
    codes: np.ndarray  # the labels
    prior: np.ndarray
    counts: np.ndarray
    found: np.ndarray  # as `held_out` for unlabeled rows
    truth: np.ndarray  # their codes


def manifold(X):
    """Space, graph Laplacian and prior weights of its powers of `LaplacianSVC`."""
    kernel = Rbf().fit_width(X, np.random.default_rng(0))
    graph = KnnGraph()
    adjacency = graph.adjacency(X)
    powers = graph.power_prior(adjacency, GRAPH_POWERS.powers)
    return GramSpace(kernel(X)), graph_laplacian(adjacency), powers


def manifold_objective(space, laplacian, sample):
    """That of `LaplacianSVC` without a weight of the graph."""
    return ManifoldObjective(
        space,
        laplacian,
        sample.label_idx,
        sample.signs,
        sample.label_weights / sample.label_weights.sum(),
        SquaredHinge(),
        ambient=AMBIENT_REG,
        intrinsic=0.0,
        intercept=Intercept(penalty=AMBIENT_REG, inside=False),
    )


def laplacian_models(X, y, y_partial):
    """Models of `LaplacianSVC` for each share of the graph."""
    sample = collect_sample(Rows(X), y_partial, merge="none")
    space, laplacian, powers = manifold(X)
    objective = manifold_objective(space, laplacian, sample)
    models, held_out, found = share_graph(objective, powers).models, [], []
    for problem in (model.problem for model in models):
        solution = reduced_newton(problem).solution
        held_out.append(problem.leave_one_out(solution))
        found.append(objective.functions.scores(problem.coordinates(solution)))
    held_out = sample.mask_single(np.array(held_out))
    return _collect(sample, held_out, models_prior(models, sample), found, y)


def label_search_models(X, y, y_partial, seed):
    """Models of `LabelSearchClassifier` for each weight of the unlabeled rows."""
    rng, sample = np.random.default_rng(seed), collect_sample(Rows(X), y_partial)
    kernel = Rbf(SEARCH_WIDTH).fit_width(sample.rows.X, rng)
    space = choose_space(
        kernel, sample.rows, "auto", rng, ladder=SEARCH_LADDER, who="evidence"
    )
    reg = AMBIENT_REG * space.mean_diagonal()
    space = space.with_constant(space.mean_diagonal())
    settings = PathSettings(
        kernel, KnnGraph(), 0.0, Balance(), None, Automatic(), Starts()
    )
    rng = np.random.default_rng(int(rng.integers(2**31)))
    held_out = hold_out(space, sample, reg, UNLABELED_WEIGHTS, settings, rng)
    path = follow_path(space, sample, reg, UNLABELED_WEIGHTS, settings, rng)
    n_models = len(held_out)
    prior = family_prior(np.zeros(n_models), PATH_DECAY ** np.arange(n_models))
    found = [space.scores(coordinates) for coordinates in path.coordinates]
    return _collect(sample, held_out, prior, found, y)


def _collect(sample, held_out, prior, found, y):
    """Models with what they say of the unlabeled rows."""
    free, counts = sample.unlabeled_idx, label_counts(sample.label_weights)
    truth = y[sample.origin_idx[free]]
    found = np.array(found)[:, free]
    return Models(held_out, sample.codes, prior, counts, found, truth)


def compare(title, default, changes, score, sets, n_draws, *, digits=2):
    """Print a line for each value of a constant: score, difference, time, memory.

    `changes` has a context for each value, in which ``score(value, X, y, draw)`` is
    computed in a process of its own. The difference from the `default` has a standard
    error over sets, or over draws of a single one.
    """
    load_loops()
    found = {}
    for value, change in changes.items():
        with change:
            found[value] = np.array(
                [
                    [measure(score, value, *pair, draw) for draw in range(n_draws)]
                    for pair in sets
                ]
            )  # (n_sets, n_draws, 3)
    show(title, default, found, digits=digits)


@cache
def load_loops():
    """Load compiled loops before processes start, so that none of them has to."""
    for n_classes in (2, 3):
        X, y = make_blobs(60, centers=n_classes, random_state=0)
        y_partial = draw_labels(y, 12, 0)
        for estimator in (LabelSearchClassifier, TransductiveSVC):
            for landmarks in (None, 20):
                estimator(landmarks=landmarks, random_state=0).fit(X, y_partial)
        MaxMarginClustering(n_classes, random_state=0).fit(X)


def show(title, default, found, *, digits=2):
    """Print a line for each value, from arrays (n_sets, n_draws, n_figures).

    The figures are the score and, if there are more, seconds and GiB.
    """
    print(f"\n{title}")
    for value, own in found.items():
        gaps = own[..., 0] - found[default][..., 0]
        gaps = gaps[0] if len(gaps) == 1 else gaps.mean(axis=1)
        error = gaps.std(ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else np.nan
        score, *costs = own.mean(axis=(0, 1))
        line = f"{'*' if value == default else ' '} {value!s:45} {score:.{digits}f}  "
        line += f"{gaps.mean():+.{digits}f} +- {error:.{digits}f}"
        if costs:
            ratio = costs[0] / found[default][..., 1].mean()
            line += f"  {costs[0]:6.1f} s, {ratio:.2f} of *; {costs[1]:.2f} GiB"
        print(line, flush=True)


def measure(function, *args):
    """What a function returns, its seconds and GiB, in a process of its own."""
    with get_context("fork").Pool(1, _keep, (function,)) as pool:
        return pool.apply(_measure, args)


def _keep(function):
    global _function  # functions that were patched or made on the spot have no name
    _function = function


def _measure(*args):
    before, start = getrusage(RUSAGE_SELF).ru_maxrss, time.process_time()
    found = _function(*args)
    seconds = time.process_time() - start
    return found, seconds, (getrusage(RUSAGE_SELF).ru_maxrss - before) / 2**20


def compare_few_labels(description, errors):
    """Print the mean error of variants over draws of the benchmark `few-labels`.

    ``errors(draw)`` yields the name and the error in percent of each variant, the first
    one is the default. In the last line each set is classified with the variant that is
    best on all other sets.
    """
    slow = ("mnist", "facemit")  # they take longer than all others together
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("sets", nargs="*", default=[s for s in SETS if s not in slow])
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--labels", default="10,20,50,100")
    parser.add_argument("--thin", type=int, choices=[0, 1], metavar="FIRST")
    given = parser.parse_args()
    wanted = {f"~{n} labels" for n in given.labels.split(",")}
    found = defaultdict(lambda: defaultdict(list))  # by variant, then by set
    for row in make_rows(given.sets, is_mixed=False):
        if row.options["about"] in wanted:
            for run in range(given.runs):
                draw = draw_thinned(row.options, run, given.thin)
                for name, error in errors(draw):
                    found[name][row.options["set"]].append(error)
    show_means(
        {v: {s: np.mean(e) for s, e in sets.items()} for v, sets in found.items()}
    )


def draw_thinned(row, run, first):
    """A draw of `few-labels` in which every second class from `first` on is rare.

    None for `first` stands for the set as it is.
    """
    if first is None:
        return clean(row, run)
    X, y = rows_of(row, run)
    kept = keep_thinned(y, first)
    labeled = hide_labels(y[kept], row["labels"], run, stratify=False) != -1
    return PartlyLabeled(X[kept], y[kept], labeled, seed=run)


def keep_thinned(y, first, *, share=0.18):
    """Rows that are kept if every second class from `first` on has 18 %, a mask.

    Of two equal classes one has 15 % of the rows then, like the rare class of
    few-labels: 0.18 / 1.18.
    """
    kept, rng = np.ones(len(y), dtype=bool), np.random.default_rng(1)
    for code in range(first, y.max() + 1, 2):
        members = rng.permutation(np.flatnonzero(y == code))
        kept[members[int(share * len(members)) :]] = False
    return kept


def show_means(means):
    """Print the mean errors of variants, the default first, by variant and set.

    In the last line each set has the variant that is best on all other sets.
    """
    default = next(iter(means.values()))
    print(f"{'variant':20} error, %   difference from the default, its standard error")
    for name, by_set in means.items():
        gaps = np.array([by_set[s] - default[s] for s in by_set])
        error = gaps.std(ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else np.nan
        mean = np.mean(list(by_set.values()))
        print(f"{name:20} {mean:8.2f}   {gaps.mean():+.2f} +- {error:.2f}")
    if len(default) > 1:
        chosen = []
        for left_out in default:
            mean = {
                v: np.mean([e for s, e in by_set.items() if s != left_out])
                for v, by_set in means.items()
            }
            chosen.append(means[min(mean, key=mean.get)][left_out])
        print(f"{'one set left out':20} {np.mean(chosen):8.2f}")


LABELLED_SETS = (
    "digits",
    "usps",
    "mnist",
    "letter",
    "pcmac",
)  # row by row, by a person
LABELLED_STEPS = (20, 50, 100)  # numbers of labels after which the error is measured


def load_rows(name, rng, n_rows=3000):
    """Some rows of a set and their classes as whole numbers."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        data = load_set(name)
        X, y = data.data, data.target
    idx = rng.permutation(X.shape[0])[:n_rows]
    return X[idx], np.unique(y, return_inverse=True)[1][idx]

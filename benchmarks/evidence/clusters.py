"""Constants of clustering, each against other values.

    WIDEMARGIN_DATA=... python benchmarks/evidence/clusters.py [--seeds 1] [NAME ...]

Prints the mean adjusted Rand index of `MaxMarginClustering` with the classes, the
difference from the default (*) with its standard error over problems, and seconds of
processor time. The problems are those of umc-label-free but coil20, at most 300
random rows of each. Values of "rule", which are the constants that list trials or
choose among them, all have the same trials. For CLUSTER_TOLERANCE all clusters are said
to have the same size, or the sizes of the classes; for CLUSTER_LIMITS and GRAPH_STARTS
there are more rows of some sets.
"""

import argparse
import warnings
from functools import partial
from unittest.mock import patch

import numpy as np
from sklearn.metrics import adjusted_rand_score

from widemargin import MaxMarginClustering, defaults
from widemargin.defaults import (
    AGREEMENT_NEIGHBORS,
    CLUSTER_LIMITS,
    MIXTURE,
    CurveGraph,
)
from widemargin.labelling import choice
from widemargin_bench.evidence import compare, constant, show
from widemargin_bench.tables.clustering import PROBLEMS
from widemargin_bench.tables.defaults import load

RULE = {
    "CLUSTER_WIDTHS": (
        (0.25,), (0.5,), (1.0,), (0.25, 0.5), (0.5, 1.0), (0.25, 0.5, 1.0),
        (0.5, 1.0, 2.0), (0.125, 0.25, 0.5, 1.0, 2.0),
    ),
    "CLUSTER_REGS": (
        (2.0**-12,), (2.0**-9,), (2.0**-6,), (2.0**-12, 2.0**-9), (2.0**-9, 2.0**-6),
        (2.0**-15, 2.0**-12, 2.0**-9, 2.0**-6),
    ),
    "SOUND_CLUSTER": (0.0, 0.1, 0.25, 0.4, 0.6),
    "SPECTRUM_HANDICAP": (-10.0, 0.0, 0.05, 0.1, 0.2, 10.0),
    "AGREEMENT_NEIGHBORS": (3, 5, 7, 10, 20),
}  # fmt: skip
SEARCH = {
    "CLUSTER_GRAPH_WEIGHT": (0.0, 1.0, 3.0, 10.0, 30.0, 100.0),
    "CLUSTER_RESHAKES": (0, 1, 2, 5, 10),
    "SMALLEST_CLUSTER": (0.0, 0.05, 0.1, 0.2, 0.4),
    "CLUSTER_TOLERANCE": (0.0, 0.03, 0.1, 0.3),
    "CLUSTER_CURVES": tuple(
        CurveGraph(*own) for own in ((0.0, 3, 50), (1.5, 3, 50), (1.5, 5, 50))
    ),
    "MIXTURE": (
        MIXTURE._replace(most_dims=0),  # none
        MIXTURE,
        MIXTURE._replace(misfits=1.0),
        MIXTURE._replace(overlap=2.0),
        MIXTURE._replace(most_dims=12),
        MIXTURE._replace(prior_rows=1.0),
    ),
}
CHOICE_SAMPLES, SEARCH_SAMPLES = (400, 700, 1200, 2000), (1000, 2000, 4000, 8000)
STARTS, ALONG_GRAPH = (1, 5, 20), {"usps": None, "mnist": 9000}
LARGE = ("mnist", "usps", "letter", "waveform")


def problems(n_rows=300):
    """Rows and classes of each problem."""
    for name, problem in PROBLEMS.items():
        if name == "coil20":
            continue
        X, y = problem.load()
        kept = np.random.default_rng(0).permutation(len(y))[:n_rows]
        yield X[kept], np.unique(y[kept], return_inverse=True)[1]


def large_sets(n_rows):
    """Rows and classes of sets with many rows."""
    for name in LARGE:
        X, y = load(name, every_class=True, most_rows=n_rows)
        if len(y) == n_rows:
            yield X, y


def cluster(_, X, y, seed, *, balance=None, landmarks="auto"):
    """The adjusted Rand index."""
    if balance == "classes":
        balance = dict(enumerate((np.bincount(y) / len(y)).tolist()))
    options = {"balance": balance, "landmarks": landmarks, "random_state": seed}
    model = MaxMarginClustering(y.max() + 1, **options).fit(X)
    return adjusted_rand_score(y, model.labels_)


def rule(sets, n_seeds):
    """Constants that list trials or choose among them."""
    tried = [[list_trials(*pair, s) for s in range(n_seeds)] for pair in sets]
    for name, values in RULE.items():
        found = {
            value: np.array(
                [[[pick(*own, **{name: value})] for own in of_set] for of_set in tried]
            )
            for value in values
        }
        show(name, getattr(defaults, name), found, digits=3)


def list_trials(X, y, seed):
    """All trials that some value needs, and the classes."""
    wide = RULE["CLUSTER_WIDTHS"][-1], RULE["CLUSTER_REGS"][-1]
    choose = choice.choose_parameters
    with (
        constant("CLUSTER_WIDTHS", wide[0]),
        constant("CLUSTER_REGS", wide[1]),
        constant("AGREEMENT_NEIGHBORS", max(RULE["AGREEMENT_NEIGHBORS"])),
        patch.object(choice, "choose_parameters", wraps=choose) as spy,
    ):
        cluster(None, X, y, seed)
    return y, *spy.call_args.args


def pick(
    y, listed, labelings, neighbors, n_clusters, *,
    CLUSTER_WIDTHS=defaults.CLUSTER_WIDTHS, CLUSTER_REGS=defaults.CLUSTER_REGS,
    AGREEMENT_NEIGHBORS=AGREEMENT_NEIGHBORS, **others,
):  # fmt: skip
    """The index of the trial that is chosen."""
    gammas = sorted({own.kernel.gamma for own in listed}, reverse=True)
    own_gammas = [
        gamma
        for gamma, width in zip(gammas, RULE["CLUSTER_WIDTHS"][-1], strict=True)
        if width in CLUSTER_WIDTHS
    ]
    kept = [
        place
        for place, own in enumerate(listed)
        if own.kernel.gamma in own_gammas and own.ambient_reg in CLUSTER_REGS
    ]
    name, value = next(iter(others.items()), ("SOUND_CLUSTER", defaults.SOUND_CLUSTER))
    with constant(name, value):
        found = choice.choose_parameters(
            [listed[place] for place in kept],
            [labelings[place] for place in kept],
            neighbors[:, :AGREEMENT_NEIGHBORS],
            n_clusters,
        )
    return adjusted_rand_score(y, labelings[kept[found.best]])


def limits(n_seeds):
    """Parts of more rows on which parameters are chosen and clusters searched."""
    change = partial(patch.object, MaxMarginClustering, "limits")
    default = CLUSTER_LIMITS.choice_sample
    changes = {
        n: change(CLUSTER_LIMITS._replace(choice_sample=n)) for n in CHOICE_SAMPLES
    }
    title, sets = "CLUSTER_LIMITS.choice_sample, 2,000 rows", list(large_sets(2000))
    compare(title, default, changes, cluster, sets, n_seeds, digits=3)
    default = CLUSTER_LIMITS.search_sample
    changes = {
        n: change(CLUSTER_LIMITS._replace(search_sample=n)) for n in SEARCH_SAMPLES
    }
    title = "CLUSTER_LIMITS.search_sample, 9,000 rows, 500 landmarks"
    sets, score = list(large_sets(9000)), partial(cluster, landmarks=500)
    compare(title, default, changes, score, sets, n_seeds, digits=3)


def starts(n_seeds):
    """Starts of k-means, on sets that are clustered along the graph of all rows."""
    for name, n_rows in ALONG_GRAPH.items():
        sets = [load(name, every_class=True, most_rows=n_rows)]
        changes = {n: constant("GRAPH_STARTS", n) for n in STARTS}
        given = defaults.GRAPH_STARTS, changes, cluster, sets, n_seeds
        compare(f"GRAPH_STARTS, {len(sets[0][1]):,} rows of {name}", *given, digits=3)


def main():
    """Print a table for each constant."""
    names = ["rule", *SEARCH, "CLUSTER_LIMITS", "GRAPH_STARTS"]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=names)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sets, n_seeds = list(problems()), options.seeds
    for name in options.names:
        if name == "rule":
            rule(sets, n_seeds)
        elif name == "CLUSTER_LIMITS":
            limits(n_seeds)
        elif name == "GRAPH_STARTS":
            starts(n_seeds)
        else:
            is_sized = name == "CLUSTER_TOLERANCE"
            for balance in ("equal", "classes") if is_sized else (None,):
                changes = {value: constant(name, value) for value in SEARCH[name]}
                title = f"{name}, sizes {balance}" if is_sized else name
                score = partial(cluster, balance=balance)
                given = changes, score, sets, n_seeds
                compare(title, getattr(defaults, name), *given, digits=3)


if __name__ == "__main__":
    main()

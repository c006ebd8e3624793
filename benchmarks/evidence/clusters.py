"""Constants of clustering, each against other values.

    WIDEMARGIN_DATA=... python benchmarks/evidence/clusters.py [--seeds 1]
        [--out FILE] [NAME ...]

Prints the mean adjusted Rand index of `MaxMarginClustering` with the classes, the
difference from the default (*) with its standard error over problems, and seconds of
processor time. The problems are those of umc-label-free but coil20, at most 300
random rows of each. Values of "rule", which are the constants that list trials or
choose among them, all have the same trials. For CLUSTER_TOLERANCE all clusters are said
to have the same size, or the sizes of the classes; for CLUSTER_LIMITS and GRAPH_STARTS
there are more rows of some sets.

For "left-out" the data are the sets of defaults-clustering and the problems of
umc-label-free, at most 1,000 rows of each. It prints the mean index of both collections
for constants that are chosen by their mean on other data, with several constants and
without the rules that they belong to. Nothing is chosen on the same source of data: for
a part of usps, all parts of usps are left out. --out stores these figures, which the
guide is compared with.
"""

import argparse
import json
import re
import warnings
from copy import copy, deepcopy
from functools import partial
from itertools import product
from pathlib import Path
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
from widemargin.estimators import margin_clustering
from widemargin.labelling import choice, clusters
from widemargin.labelling.mixtures import MixtureTrial
from widemargin_bench.evidence import compare, constant, show
from widemargin_bench.tables.clustering import PROBLEMS
from widemargin_bench.tables.defaults import ROWS, load

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
NEVER = 10.0  # an index that no clusters reach, a handicap that none make up for
LEFT_OUT = {  # constants, and the values among which they are chosen
    "SPECTRUM_HANDICAP": (0.0, 0.05, 0.1, 0.2, NEVER),
    "misfits": (0.5, 1.0, 2.0, 3.0, 5.0),
    "overlap": (0.6, 0.7, 0.8, 0.9, NEVER),
    "dimension": (0.0, 1.2, 1.5, 1.7, 2.0),
}
DEFAULTS = (
    defaults.SPECTRUM_HANDICAP,
    MIXTURE.misfits,
    MIXTURE.overlap,
    defaults.CLUSTER_CURVES.dimension,
)
RULES = {
    "all rules": {},
    "without mixtures": {"misfits": (np.inf,), "overlap": (NEVER,)},
    "without curves": {"dimension": (0.0,)},
}


def problems(n_rows=300):
    """Names, rows and classes of the problems."""
    for name, problem in PROBLEMS.items():
        X, y = problem.load()
        kept = np.random.default_rng(0).permutation(len(y))[:n_rows]
        yield name, (X[kept], np.unique(y[kept], return_inverse=True)[1])


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


def collections(n_rows=1000):
    """Rows and classes by name, of both collections."""
    sets = {
        row.name: load(row.name, every_class=True, most_rows=n_rows) for row in ROWS
    }
    return {"sets": sets, "problems": dict(problems(n_rows))}


def source(name):
    """What a set or a problem is a part of: several parts are left out together."""
    word = re.match("[a-z]+", name)[0]
    return "usps" if word == "uspst" else word


def fit_all(X, y, seed):
    """Outcomes by graph and handicap, and the dimension of the graph.

    An outcome is the index without a mixture, and each mixture with its index. Trials
    are computed once per graph, and mixtures once for clusters that are the same.
    """
    tried, given, mixed, outcomes, dimensions = {}, {}, {}, {}, [np.inf]
    try_parameters, choose = choice.try_parameters, choice.choose_parameters
    try_mixtures = margin_clustering._try_mixtures
    dimension_of = clusters.spectral_dimension

    def keep_trials(listed, task, search, graph, rng, *others):
        key = graph.graph.n_neighbors
        if key not in tried:
            found = try_parameters(listed, task, search, graph, rng, *others)
            tried[key] = *found, rng.bit_generator.state
        *found, rng.bit_generator.state = tried[key]
        return found

    def keep_mixtures(estimator, task, smoother, search, result, rng):
        key = result.solution.tobytes()
        if key not in mixed:
            mixed[key] = []
            for is_shared in (False, True):
                own = copy(estimator)
                is_wanted = property(lambda trial, s=is_shared: trial.is_shared == s)
                with patch.object(MixtureTrial, "is_better", is_wanted):
                    options = task, smoother, search, result, deepcopy(rng)
                    try_mixtures(own, *options)
                if trials := own.choice_.mixtures:
                    index = adjusted_rand_score(y, own.labels_)
                    mixed[key].append((trials[is_shared], index))
        estimator.outcome = mixed[key]

    def keep_dimension(adjacency):
        dimensions[0] = dimension_of(adjacency)
        return dimensions[0]

    most, known = max(LEFT_OUT["dimension"]), {}
    for dimension, handicap in product((0.0, most), LEFT_OUT["SPECTRUM_HANDICAP"]):
        if dimension > 0 and dimensions[0] >= most:
            break  # these outcomes are never read
        curves = defaults.CLUSTER_CURVES._replace(dimension=dimension)
        with (
            constant("CLUSTER_CURVES", curves),
            constant("SPECTRUM_HANDICAP", handicap),
            patch.object(choice, "try_parameters", keep_trials),
            patch.object(choice, "choose_parameters", wraps=choose) as spy,
            patch.object(margin_clustering, "_try_mixtures", keep_mixtures),
            patch.object(clusters, "spectral_dimension", keep_dimension),
        ):
            compared = given.get(dimension)
            best = None if compared is None else choose(*compared).best
            if best is None or (dimension, best) not in known:
                model = MaxMarginClustering(int(y.max() + 1), random_state=seed).fit(X)
                given[dimension] = spy.call_args.args
                index = adjusted_rand_score(y, model.labels_)
                best = model.choice_.best
                known[dimension, best] = index, getattr(model, "outcome", [])
        outcomes[dimension > 0, handicap] = known[dimension, best]
    return outcomes, dimensions[0]


def index_with(fits, handicap, misfits, overlap, dimension):
    """The adjusted Rand index with these constants."""
    outcomes, own_dimension = fits
    index, mixtures = outcomes[bool(own_dimension < dimension), handicap]
    better = [
        (trial.gain, of_mixture)
        for trial, of_mixture in mixtures
        if trial.gain > 0
        and (trial.gain > misfits * trial.misfit or trial.overlap >= overlap)
    ]
    return max(better)[1] if better else index


def choose_elsewhere(indices):
    """Each name's index with the constants that are best on other sources.

    `indices` has, by collection and name, an index for each combination of constants.
    Of combinations that are equally good, the mean is taken.
    """
    names = [name for of_part in indices.values() for name in of_part]
    chosen = {}
    for left_out in {source(name) for name in names}:
        means = [
            np.mean([v for n, v in own.items() if source(n) != left_out], axis=0)
            for own in indices.values()
        ]
        score = np.mean(means, axis=0)
        chosen[left_out] = score >= score.max() - 1e-9
    return {
        part: {name: own[chosen[source(name)]].mean() for name, own in of_part.items()}
        for part, of_part in indices.items()
    }


def left_out(n_seeds, out):
    """Indices with constants of the library, and with constants chosen elsewhere."""
    fits = {
        part: {
            name: [fit_all(*own, s) for s in range(n_seeds)] for name, own in of_part
        }
        for part, of_part in ((p, sets.items()) for p, sets in collections().items())
    }
    default = dict(zip(LEFT_OUT, [(value,) for value in DEFAULTS], strict=True))
    means, indices = {}, {}
    for rules, fewer in RULES.items():
        for way, constants in (("of the library", default), ("elsewhere", LEFT_OUT)):
            grid = list(product(*(constants | fewer).values()))
            found = {
                part: {
                    name: np.mean([[index_with(f, *g) for g in grid] for f in own], 0)
                    for name, own in of_part.items()
                }
                for part, of_part in fits.items()
            }
            own = choose_elsewhere(found)
            indices[f"{rules}, {way}"] = own
            mean = {part: np.mean(list(of.values())) for part, of in own.items()}
            means[f"{rules}, {way}"] = mean
            shown = "  ".join(f"{value:.4f}" for value in mean.values())
            print(f"{rules}, constants {way}: {shown}", flush=True)
    for place, (name, values) in enumerate(LEFT_OUT.items()):
        for value in values:
            own = (*DEFAULTS[:place], value, *DEFAULTS[place + 1 :])
            shown = "  ".join(
                f"{np.mean([index_with(f, *own) for of in sets for f in of]):.4f}"
                for sets in (of_part.values() for of_part in fits.values())
            )
            print(f"{name} {value}, others of the library: {shown}", flush=True)
    if out:
        kept = {"seeds": n_seeds, "means": means, "indices": indices}
        lines = json.dumps(kept, indent=1)
        out.write_text(re.sub(r"\d\.\d{5,}", _round, lines) + "\n")


def _round(found):
    return f"{float(found[0]):.4f}"


def main():
    """Print a table for each constant."""
    names = ["rule", *SEARCH, "CLUSTER_LIMITS", "GRAPH_STARTS", "left-out"]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=names)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sets = [own for name, own in problems() if name != "coil20"]
    n_seeds = options.seeds
    for name in options.names:
        if name == "rule":
            rule(sets, n_seeds)
        elif name == "CLUSTER_LIMITS":
            limits(n_seeds)
        elif name == "GRAPH_STARTS":
            starts(n_seeds)
        elif name == "left-out":
            left_out(n_seeds, options.out)
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

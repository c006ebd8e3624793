"""The number of clusters that ``n_clusters="auto"`` finds, beside the true one.

    WIDEMARGIN_DATA=... python benchmarks/evidence/cluster_numbers.py [--own]
        [--seeds 3] [--out FILE] [NAME ...]

Prints both, the number by agreement and stability alone, the number of Gaussians with
the agreement of halves, and the adjusted Rand index, each for all seeds. --out stores
these figures, which the guide is compared with. With --own the sets are computed: blobs
of 3 to 8 clusters at several distances, clusters of different sizes and shapes, rings,
moons and single clusters. The blobs are no independent test: they were among the sets
that show where the limit for the agreement of halves can be (NUMBER_RULE).
"""

import argparse
import json
import warnings
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from widemargin import MaxMarginClustering
from widemargin_bench.evidence import make_apart_blobs
from widemargin_bench.generators import make_gaussian4c
from widemargin_bench.tables.clustering import PROBLEMS, Problem, bundled, stored

SETS = {
    "iris": bundled("iris", standard=True),
    "wine": PROBLEMS["wine"],
    "digits": bundled("digits"),
    "coil1-5": stored("coil20", range(1, 6)),
    "usps2,7": PROBLEMS["usps2,7"],
    "moons": PROBLEMS["moons"],
    "gaussian4c": Problem(lambda: make_gaussian4c(random_state=0)),
    "g50c": PROBLEMS["g50c"],
    "coil11-15": stored("coil20", range(11, 16)),
    "usps3,8": PROBLEMS["usps3,8"],
    "usps2,3": stored("usps", (2, 3), 400),
}
N_CLUSTERS = {"gaussian4c": 4}  # its two classes have two clusters each
SINGLE = {
    "gaussian": lambda rng, size: rng.normal(size=size),
    "uniform": lambda rng, size: rng.uniform(size=size),
    "student": lambda rng, size: rng.standard_t(4, size=size),
    "exponential": lambda rng, size: rng.exponential(size=size),
}


def blobs(sizes, n_features, distance, **options):
    """Blobs, always the same."""
    rng = np.random.default_rng([len(sizes), n_features, int(10 * distance)])
    return make_apart_blobs(sizes, n_features, distance, rng, **options)


def rings(n_rings):
    """Rings around each other."""
    rng, y = np.random.default_rng(n_rings), np.repeat(np.arange(n_rings), 120)
    angles = rng.uniform(0, 2 * np.pi, len(y))
    X = (1 + y)[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return X + 0.06 * rng.normal(size=X.shape), y


def moons(n_pairs):
    """Pairs of moons above each other."""
    pairs = [make_moons(160, noise=0.06, random_state=i) for i in range(n_pairs)]
    X = np.vstack([pair[0] + [0, 3 * i] for i, pair in enumerate(pairs)])
    return X, np.concatenate([pair[1] + 2 * i for i, pair in enumerate(pairs)])


def single(name, n_features):
    """One cluster."""
    rng = np.random.default_rng(n_features)
    return SINGLE[name](rng, (300, n_features)), np.zeros(300, dtype=int)


def own_sets():
    """Computed sets, by name."""
    found = {
        f"{k} blobs, {d}d, {distance} apart": partial(blobs, [50] * k, d, distance)
        for k, d, distance in product((3, 4, 5, 6, 8), (2, 5, 20), (4, 6))
    }
    for k in (3, 5, 7):
        sizes = np.linspace(20, 80, k).astype(int)
        found[f"{k} sizes"] = partial(blobs, sizes, 5, 6)
        shape = {"axes": np.geomspace(0.4, 1.6, 3)}
        found[f"{k} shapes"] = partial(blobs, [50] * k, 3, 6, **shape)
    found["2 blobs, 30d, 5 apart"] = partial(blobs, [120] * 2, 30, 5)
    found |= {f"{k} rings": partial(rings, k) for k in (2, 3)}
    found["4 moons"] = partial(moons, 2)
    single_sets = (*product(SINGLE, (2,)), ("gaussian", 10), ("uniform", 5))
    found |= {
        f"single {name}, {d}d": partial(single, name, d) for name, d in single_sets
    }
    return {name: Problem(make) for name, make in found.items()}


def find_number(X, y, seed):
    """What one fit says about the number of clusters."""
    model = MaxMarginClustering("auto", random_state=seed).fit(X)
    choice, count = model.number_choice_, model.number_choice_.gaussians
    return {
        "chosen": int(choice.chosen),
        "stable": int(choice.numbers[choice.best]),
        "gaussians": count and int(count.chosen),
        "replication": count and round(float(count.replication), 4),
        "index": round(float(adjusted_rand_score(y, model.labels_)), 4),
    }


def main():
    """Print a line for each set, and how often both rules are right."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    sets, found = own_sets() if options.own else SETS, {}
    for name in options.names or sets:
        X, y = sets[name].load()
        n_clusters = int(N_CLUSTERS.get(name, y.max() + 1))
        fits = [find_number(X, y, seed) for seed in range(options.seeds)]
        found[name] = {"true": n_clusters, "fits": fits}
        shown = {key: [fit[key] for fit in fits] for key in fits[0]}
        print(f"{name:24} {n_clusters} true", *shown.items(), flush=True)
    for rule in ("chosen", "stable"):
        n_right = [
            sum(own["fits"][seed][rule] == own["true"] for own in found.values())
            for seed in range(options.seeds)
        ]
        print(f"{rule}: right for {n_right} of {len(found)} sets, by seed")
    if options.out:
        lines = json.dumps({"seeds": options.seeds, "sets": found})
        options.out.write_text(lines.replace('}]}, "', '}]},\n "') + "\n")


if __name__ == "__main__":
    main()

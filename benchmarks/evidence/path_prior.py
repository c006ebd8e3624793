"""Error of the average along the path of unlabeled weights, by its prior.

    WIDEMARGIN_DATA=... python benchmarks/evidence/path_prior.py [SET ...]

Each model of the path has a prior weight `decay` times that of the one before it, see
`PATH_DECAY` in `widemargin.defaults`. The models are fitted and scored on held-out
labels once for each draw of labels; every decay then averages the same models. The
table has the error on unlabeled rows in percent, for 20 and 50 labels (at least one
label per class), with the default parameters of `LabelSearchClassifier`.
"""

import sys

import numpy as np
from sklearn.datasets import load_digits, make_moons

from widemargin.averaging import average_scores, family_prior
from widemargin.datasets import hide_labels
from widemargin.defaults import SEARCH_LADDER, UNLABELED_WEIGHTS
from widemargin.graphs import KnnGraph
from widemargin.kernels import Rbf
from widemargin.labelling import Automatic, Starts
from widemargin.labelling.path import PathSettings, follow_path, hold_out
from widemargin.labels import decide
from widemargin.objectives.class_sizes import Balance
from widemargin.sample import as_rows, collect_sample, label_counts
from widemargin.spaces import choose_space
from widemargin_bench.stored_sets import load_set

SETS = (
    "uspst", "coil20", "g50c", "ionosphere", "iris", "pima", "splice", "thyroid",
    "waveform", "usps", "pcmac", "digits", "moons",
)  # fmt: skip
DECAYS = (0.5, 0.7, 0.85, 1.0)
LABELS = (20, 50)
MAX_ROWS = {"waveform": 2000, "usps": 2000}
AMBIENT_REG = 1e-3


def load(name):
    """Rows and class codes of a set."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
    elif name == "moons":
        X, y = make_moons(500, noise=0.15, random_state=0)
    else:
        loaded = load_set(name)
        X, y = loaded.data, loaded.target
    n_rows = MAX_ROWS.get(name, len(y))
    return X[:n_rows], np.unique(y[:n_rows], return_inverse=True)[1]


def errors(X, y, n_labels, seed):
    """Error of the average for each decay, for one draw of labels."""
    y_partial = hide_labels(y, max(n_labels, y.max() + 1), rng=seed)
    rng, sample = np.random.default_rng(seed), collect_sample(as_rows(X), y_partial)
    kernel = Rbf().fit_width(sample.rows.X, rng)
    space = choose_space(
        kernel, sample.rows, "auto", rng, ladder=SEARCH_LADDER, who="path_prior"
    )
    reg = AMBIENT_REG * space.mean_diagonal()
    space = space.with_constant(space.mean_diagonal())
    settings = PathSettings(
        kernel, KnnGraph(), 0.0, Balance(), None, Automatic(), Starts()
    )
    rng = np.random.default_rng(int(rng.integers(2**31)))
    weights, counts = UNLABELED_WEIGHTS, label_counts(sample.label_weights)
    held_out = hold_out(space, sample, reg, weights, settings, rng)
    path = follow_path(space, sample, reg, weights, settings, rng)
    found, free = [], sample.unlabeled_idx
    for decay in DECAYS:
        prior = family_prior(np.zeros(5), decay ** np.arange(5))
        average, _ = average_scores(held_out, sample.codes, prior, counts)
        codes = decide(space.scores(average.combine(path.coordinates)))
        found.append(100 * np.mean(codes[free] != y[sample.origin_idx[free]]))
    return found


def main(names):
    """Print the table."""
    print(f"{'':18}" + "".join(f"{decay:>8}" for decay in DECAYS))
    rows = []
    for name in names or SETS:
        X, y = load(name)
        n_draws = 5 if len(y) <= 1000 else 3
        for n_labels in LABELS:
            draws = [errors(X, y, n_labels, seed) for seed in range(n_draws)]
            rows.append(np.mean(draws, axis=0))
            shown = "".join(f"{error:8.2f}" for error in rows[-1])
            print(f"{f'{name}, {n_labels} labels':18}{shown}", flush=True)
    print(f"{'mean':18}" + "".join(f"{e:8.2f}" for e in np.mean(rows, axis=0)))


if __name__ == "__main__":
    main(sys.argv[1:])

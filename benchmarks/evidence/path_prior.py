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
from widemargin.labels import decide
from widemargin_bench.evidence import draw_labels, label_search_models
from widemargin_bench.stored_sets import load_set

SETS = (
    "uspst", "coil20", "g50c", "ionosphere", "iris", "pima", "splice", "thyroid",
    "waveform", "usps", "pcmac", "digits", "moons",
)  # fmt: skip
DECAYS = (0.5, 0.7, 0.85, 1.0)
LABELS = (20, 50)
MAX_ROWS = {"waveform": 2000, "usps": 2000}


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
    models = label_search_models(X, y, draw_labels(y, n_labels, seed), seed)
    found = []
    for decay in DECAYS:
        prior = family_prior(np.zeros(5), decay ** np.arange(5))
        given = models.held_out, models.codes, prior, models.counts
        average, _ = average_scores(*given)
        codes = decide(average.combine(models.found))
        found.append(100 * np.mean(codes != models.truth))
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

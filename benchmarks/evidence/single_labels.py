"""Error of SpectralClassifier with one label of each class, against its rules for it.

    python benchmarks/evidence/single_labels.py [--draws 10] [--thin] [SET ...]

Prints the mean error on unlabeled rows, in percent, for the defaults, for each rule
left out, and for none of them; in the last line each set is classified with the variant
that is best on all other sets. With --thin every second class has 18 % of its rows.
"""

import argparse

import numpy as np

from widemargin import SpectralClassifier
from widemargin.datasets import hide_labels
from widemargin.defaults import SPECTRAL_GRID
from widemargin.estimators._estimator import read_sample
from widemargin.estimators._spectral import FAMILIES
from widemargin.labels import decide
from widemargin.solvers.closed_form import fit_covariances
from widemargin.spaces.bases import list_covariances
from widemargin_bench.evidence import keep_thinned, show_means
from widemargin_bench.stored_sets import load_set

SETS = (
    "usps", "uspst", "letter", "waveform", "coil20", "pcmac", "g50c", "ringnorm",
    "ionosphere", "splice", "pima", "thyroid",
)  # fmt: skip
NOT_LOCAL = {"local_powers": (), "single_share": 0.0}
# Changes of the grid, of how fits are averaged, and whether the constant is chosen.
VARIANTS = {
    "default": ({}, {}, True),
    "power 1 as well": ({"local_powers": ()}, {}, True),
    "share 0.5 as well": ({"single_share": 0.0}, {}, True),
    "both as well": (NOT_LOCAL, {}, True),
    "no class shares": ({}, {"share_labels": 0.0}, True),
    "shares as 10 labels": ({}, {"share_labels": 10.0}, True),
    "constant by labels": ({}, {}, False),
    "none of them": (NOT_LOCAL, {"share_labels": 0.0}, False),
}


def load(name, thin):
    """Rows and classes of a set."""
    data = load_set(name)
    codes = np.unique(data.target, return_inverse=True)[1]
    if not thin:
        return data.data, codes
    kept = keep_thinned(codes, 0)
    return data.data[kept], codes[kept]


def errors(X, y, draws):
    """Mean error of each variant, in percent."""
    model, found = SpectralClassifier(), {name: [] for name in VARIANTS}
    geometry = None
    for draw in range(draws):
        partial = hide_labels(y, int(y.max()) + 1, rng=draw)
        if geometry is None:
            sample = read_sample(model, X, partial, None).sorted()
            model._make_geometry(sample, np.random.default_rng(0))
            geometry = model.geometry_
        sample = sample.relabeled(partial, np.ones(len(y)))
        truth, free = y[sample.origin_idx], ~sample.labeled
        row_idx = geometry.draw_unlabeled(sample)
        for name, (changes, options, is_chosen) in VARIANTS.items():
            grid = SPECTRAL_GRID._replace(**changes)
            covariances = list_covariances(geometry.bases, FAMILIES, grid=grid)
            *_, coordinates, constant = fit_covariances(
                covariances, geometry.bases, sample, row_idx=row_idx, **options
            )
            parts = sample, coordinates, constant, sample.signs
            function, scores = geometry.add_up(*parts)
            if not is_chosen:
                scores = scores - function.constant + constant
            found[name].append(np.mean(decide(scores)[free] != truth[free]))
    return {name: 100.0 * float(np.mean(own)) for name, own in found.items()}


def main():
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--thin", action="store_true")
    options = parser.parse_args()
    means = {variant: {} for variant in VARIANTS}
    for name in options.sets:
        found = errors(*load(name, options.thin), options.draws)
        for variant, error in found.items():
            means[variant][name] = error
        line = ", ".join(f"{key} {value:.1f}" for key, value in found.items())
        print(f"{name}: {line}", flush=True)
    show_means(means)


if __name__ == "__main__":
    main()

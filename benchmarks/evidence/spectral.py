"""Error of SpectralClassifier against the constants of its models.

    python benchmarks/evidence/spectral.py [--runs 2] [--labels 10,20,50,100]
        [--thin FIRST] [SET ...]

Prints the mean error on unlabeled rows, in percent, for the default grid of prior
covariances and for others that differ from it in one respect; in the last line each
set is classified with the variant that is best on all other sets. Sets and draws are
those of the benchmark `few-labels`, without mnist and facemit, or those that are named.
With --thin every second class, from 0 or 1 on, has 18 % of its rows.
"""

import numpy as np

from widemargin import SpectralClassifier
from widemargin.defaults import SPECTRAL_GRID
from widemargin.estimators._estimator import read_sample
from widemargin.estimators._spectral import FAMILIES
from widemargin.labels import decide
from widemargin.solvers.closed_form import fit_covariances
from widemargin.spaces.bases import list_covariances
from widemargin_bench.evidence import compare_few_labels

GRIDS = {
    "default": {},
    "noises to 1": {"noises": (1e-2, 1e-1, 1.0)},
    "noises to 0.1": {"noises": (1e-3, 1e-2, 1e-1)},
    "kernel powers to 4": {"kernel_powers": (1, 2, 4)},
    "kernel power 1": {"kernel_powers": (1,)},
    "graph power 1": {"graph_powers": (1,)},
    "graph power 3": {"graph_powers": (3,)},
    "graph share 1": {"graph_shares": (1.0,)},
    "epsilon 0.03": {"epsilon": 0.03},
    "epsilon 0.3": {"epsilon": 0.3},
    "constant always": {"constants": (1.0,)},
    "constant never": {"constants": (0.0,)},
}
RULES = {
    "scarcity 0": {"scarcity": 0.0},
    "scarcity 4": {"scarcity": 4.0},
    "scarcity 16": {"scarcity": 16.0},
    "trust 0.5": {"trust": 0.5},
    "no class shares": {"share_labels": 0.0},
    "shares as 10 labels": {"share_labels": 10.0},
}


def errors(draw):
    """Error of each variant on one draw, in percent."""
    model = SpectralClassifier()
    sample = read_sample(model, draw.X, draw.y_partial, None).sorted()
    truth = draw.y[sample.origin_idx]
    free = ~sample.labeled
    model._make_geometry(sample, np.random.default_rng(0))
    bases, row_idx = model.geometry_.bases, model.geometry_.draw_unlabeled(sample)
    for name in GRIDS | RULES:
        grid = SPECTRAL_GRID._replace(**GRIDS.get(name, {}))
        options = RULES.get(name, {})
        covariances = list_covariances(bases, FAMILIES, grid=grid)
        *_, found, constant = fit_covariances(
            covariances, bases, sample, grid=grid, row_idx=row_idx, **options
        )
        idx = sample.label_idx
        scores = sum(bases[key].scores(idx, c) for key, c in found.items())
        wrong = decide(scores + constant)[free] != truth[free]
        yield name, 100.0 * float(wrong.mean())


def main():
    """Print the table."""
    compare_few_labels(__doc__, errors)


if __name__ == "__main__":
    main()

"""Error of FewLabelClassifier against the constants of LowDensityClassifier.

    python benchmarks/evidence/self_training.py [--runs 2] [--labels 10,20,50,100]
        [SET ...]

Prints the mean error on unlabeled rows, in percent, of the budget "fast" with other
penalties, weights and tolerances, and without the low-density model; in the last line
each set is classified with the variant that is best on all other sets. Sets and draws
are those of the benchmark `few-labels`, without mnist and facemit, or those that are
named.
"""

import numpy as np

from widemargin import FewLabelClassifier
from widemargin_bench.evidence import compare_few_labels, constant

PENALTIES, WEIGHT = "SELF_TRAINING_PENALTIES", "SELF_TRAINING_WEIGHT"
VARIANTS = {
    "penalty 0.01": (PENALTIES, (1e-2,)),
    "penalties to 0.1": (PENALTIES, (1e-3, 1e-2, 1e-1)),
    "penalties from 1e-4": (PENALTIES, (1e-4, 1e-3, 1e-2)),
    "weight 1": (WEIGHT, 1.0),
    "weight 3": (WEIGHT, 3.0),
    "weight 30": (WEIGHT, 30.0),
    "shares to 0.1": ("SHARE_TOLERANCE", 0.1),
}
CLOSED_FORM = "closed forms alone"


def errors(draw):
    """Error of each variant on one draw, in percent."""
    yield "default", _error(draw, ["spectral", "low_density"])
    yield CLOSED_FORM, _error(draw, ["spectral"])
    for name, (key, value) in VARIANTS.items():
        with constant(key, value):
            yield name, _error(draw, ["spectral", "low_density"])


def _error(draw, candidates):
    model = FewLabelClassifier(candidates, random_state=draw.seed)
    model.fit(draw.X, draw.y_partial)
    free = ~draw.labeled
    return 100.0 * float(np.mean(model.transduction_[free] != draw.y[free]))


def main():
    """Print the table."""
    compare_few_labels(__doc__, errors)


if __name__ == "__main__":
    main()

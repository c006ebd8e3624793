"""Which models of the two tri-class methods are averaged.

    WIDEMARGIN_DATA=... python benchmarks/evidence/tri_class.py [--draws 2]

Prints for values of `defaults.TRI_CLASS_WEIGHTS` (weights of the min loss itself, and
of its relaxation) the error in percent on the test rows of tri-synthetic and of
tri-digits and on the unlabeled rows of ordinary sets, the same draws as these tables
have, and seconds of processor time.
"""

import argparse
import time

import numpy as np

from widemargin import TriClassSVC
from widemargin.defaults import TriClassWeights
from widemargin_bench.evidence import constant
from widemargin_bench.tables import defaults, tri_class

VALUES = (
    TriClassWeights((0.1,), (0.1, 1.0)),
    TriClassWeights((0.1, 0.3, 1.0), ()),
    TriClassWeights((), (0.1, 0.3, 1.0)),
    TriClassWeights((0.1, 0.3, 1.0), (0.1, 0.3, 1.0)),
    TriClassWeights((0.1,), (0.1,)),
    TriClassWeights((0.1,), (1.0,)),
)
SETS = ("g50c", "ionosphere", "iris", "wine", "breast_cancer", "digits")


def synthetic(draw):
    """Errors of all settings."""
    for row in tri_class.SYNTHETIC.rows:
        yield _test_error(tri_class.gaussians(row, draw), "linear", 0)


def digits(draw):
    """Errors of all cells."""
    for row in tri_class.DIGITS.rows:
        yield _test_error(tri_class.digits(row, draw), "rbf", 0)


def ordinary(draw):
    """Errors of sets without irrelevant rows."""
    for name in SETS:
        own = defaults.partly_labeled(defaults.BENCHMARKS[0].row(name), draw)
        model = TriClassSVC(random_state=draw).fit(own.X, own.y_partial)
        hidden = ~own.labeled
        yield 100 * np.mean(model.transduction_[hidden] != own.y[hidden])


def _test_error(own, kernel, seed):
    model = TriClassSVC(kernel=kernel, random_state=seed).fit(own.X, own.y_partial)
    return 100 * np.mean(model.predict(own.X_test) != own.y_test)


def main():
    """Print a line for each value."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=2)
    options = parser.parse_args()
    print("min loss         relaxed           synthetic  digits  ordinary  seconds")
    for value in VALUES:
        start, means = time.process_time(), []
        with constant("TRI_CLASS_WEIGHTS", value):
            for errors in (synthetic, digits, ordinary):
                found = [list(errors(draw)) for draw in range(options.draws)]
                means.append(np.mean(found))
        seconds = time.process_time() - start
        print(
            f"{value.direct!s:17}{value.relaxed!s:17}"
            f"{means[0]:10.2f}{means[1]:8.2f}{means[2]:10.2f}{seconds:9.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""Which models of which losses `TriClassSVC` averages, and with which width.

    WIDEMARGIN_DATA=... python benchmarks/evidence/tri_class.py [--draws 2]
        [--width mean|scale]

Prints for values of `defaults.TRI_CLASS_WEIGHTS` (weights of the min loss itself, of
the transductive loss, and of the relaxation of the min loss) the error in percent on
the test rows of tri-synthetic and of tri-digits and on the unlabeled rows of ordinary
sets, the same draws as these tables have, and seconds of processor time. The width is
that of the Gaussian kernel; tri-synthetic has a linear one.
"""

import argparse
import time

import numpy as np

from widemargin import TriClassSVC
from widemargin.defaults import TriClassWeights
from widemargin.parameters import Rbf
from widemargin_bench.evidence import constant
from widemargin_bench.tables import defaults, tri_class

VALUES = (
    TriClassWeights(transductive=(0.1,), relaxed=(0.1, 1.0)),
    TriClassWeights(direct=(0.1,), relaxed=(0.1, 1.0)),
    TriClassWeights(direct=(0.1,), transductive=(0.1,), relaxed=(0.1, 1.0)),
    TriClassWeights(transductive=(1.0,), relaxed=(0.1, 1.0)),
    TriClassWeights(transductive=(0.1, 1.0), relaxed=(0.1, 1.0)),
    TriClassWeights(transductive=(0.1, 0.3, 1.0)),
    TriClassWeights(direct=(0.1, 0.3, 1.0)),
    TriClassWeights(relaxed=(0.1, 0.3, 1.0)),
)
SETS = ("g50c", "ionosphere", "iris", "wine", "breast_cancer", "digits")


def synthetic(draw, kernel):
    """Errors of all settings."""
    for row in tri_class.SYNTHETIC.rows:
        yield _test_error(tri_class.gaussians(row, draw), "linear")


def digits(draw, kernel):
    """Errors of all cells."""
    for row in tri_class.DIGITS.rows:
        yield _test_error(tri_class.digits(row, draw), kernel)


def ordinary(draw, kernel):
    """Errors of sets without irrelevant rows."""
    for name in SETS:
        own = defaults.partly_labeled(defaults.BENCHMARKS[0].row(name), draw)
        model = TriClassSVC(kernel=kernel, random_state=draw).fit(own.X, own.y_partial)
        hidden = ~own.labeled
        yield 100 * np.mean(model.transduction_[hidden] != own.y[hidden])


def _test_error(own, kernel):
    model = TriClassSVC(kernel=kernel, random_state=0).fit(own.X, own.y_partial)
    return 100 * np.mean(model.predict(own.X_test) != own.y_test)


def main():
    """Print a line for each value."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--width", choices=("mean", "scale"), default="mean")
    options = parser.parse_args()
    kernel = Rbf(gamma=options.width)
    print(
        "min loss         transductive     relaxed          "
        " synthetic  digits  ordinary  seconds"
    )
    for value in VALUES:
        start, means = time.process_time(), []
        with constant("TRI_CLASS_WEIGHTS", value):
            for errors in (synthetic, digits, ordinary):
                found = [list(errors(draw, kernel)) for draw in range(options.draws)]
                means.append(np.mean(found))
        seconds = time.process_time() - start
        print(
            f"{value.direct!s:17}{value.transductive!s:17}{value.relaxed!s:17}"
            f"{means[0]:10.2f}{means[1]:8.2f}{means[2]:10.2f}{seconds:9.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()

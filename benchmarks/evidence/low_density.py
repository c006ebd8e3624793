"""Error of LowDensityClassifier against that of the spectral model it starts from.

    python benchmarks/evidence/low_density.py [--runs 5] [--labels 20,50] [SET ...]

Prints the mean error of both on the unlabeled rows, in percent, and the difference with
its standard error over the draws. Rows and draws are those of the benchmark
`few-labels`.
"""

import argparse

import numpy as np

from widemargin import LowDensityClassifier, SpectralClassifier
from widemargin_bench.tables.few_labels import clean, make_rows

SETS = ("splice", "waveform", "ionosphere", "coil20")


def errors(draw):
    """Errors of both models on one draw, in percent."""
    free = ~draw.labeled
    for estimator in (SpectralClassifier, LowDensityClassifier):
        model = estimator(random_state=draw.seed).fit(draw.X, draw.y_partial)
        yield 100.0 * float(np.mean(model.transduction_[free] != draw.y[free]))


def main():
    """Print a line for each set and number of labels."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--labels", default="20,50")
    given = parser.parse_args()
    wanted = {f"~{n} labels" for n in given.labels.split(",")}
    print(f"{'set':24} spectral  low density  difference")
    for row in make_rows(given.sets, is_mixed=False):
        if row["about"] not in wanted:
            continue
        draws = (clean(row, run) for run in range(given.runs))
        spectral, low = np.array([list(errors(draw)) for draw in draws]).T
        gaps = low - spectral
        error = gaps.std(ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else np.nan
        print(
            f"{row.name:24} {spectral.mean():8.1f}  {low.mean():11.1f}  "
            f"{gaps.mean():+.1f} +- {error:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()

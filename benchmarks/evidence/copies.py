"""How often a column of a table without a copy of the target is reported as one.

    WIDEMARGIN_DATA=... python benchmarks/evidence/copies.py [--draws 20] [SET ...]

Prints for each set how many draws of 10 to 100 labels name a column: with the columns
as they are, with columns cut into as many equal parts as there are classes, and with
the parts under the names of the classes, as texts. Up to 2,000 rows.
"""

import argparse

import numpy as np
import pandas as pd

from widemargin.tables.targets import find_copies
from widemargin_bench.tables.defaults import BUNDLED, STORED, load

SETS = tuple(name for name in (*STORED, *BUNDLED) if name != "pcmac")  # it is sparse
SIZES = (10, 20, 30, 50, 100)


def cut(X, n_parts):
    """Columns cut into parts with the same number of rows, numbered from 0."""
    cuts = np.quantile(X, np.arange(1, n_parts) / n_parts, axis=0)
    return (cuts[:, None] < X).sum(axis=0)


def count_reports(values, y, draws):
    """Draws of labels for which a column is reported."""
    frame, n_reports = pd.DataFrame(values).rename(columns=str), 0
    for n_labels in SIZES:
        for draw in range(draws):
            labeled = np.zeros(len(y), dtype=bool)
            rng = np.random.default_rng(draw)
            labeled[rng.choice(len(y), n_labels, replace=False)] = True
            n_reports += bool(find_copies(frame, y, labeled))
    return n_reports


def main():
    """Print a line for each set, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--draws", type=int, default=20)
    options = parser.parse_args()
    n_draws, sums = len(SIZES) * options.draws, np.zeros(3, dtype=int)
    for name in options.sets:
        X, y = load(name, most_rows=2000)
        names = np.array([f"class {code}" for code in range(y.max() + 1)], dtype=object)
        parts = cut(X, len(names))
        forms = (X, y), (parts, y), (names[parts], names[y])
        found = np.array([count_reports(*form, options.draws) for form in forms])
        sums += found
        print(f"{name:14} {show(found)} of {n_draws} each", flush=True)
    print(f"{'all':14} {show(sums)} of {n_draws * len(options.sets):,} each")


def show(counts):
    """The reports for each form of the columns."""
    plain, in_parts, named = counts
    return f"as they are {plain:3}, cut {in_parts:3}, named as classes {named:3}"


if __name__ == "__main__":
    main()

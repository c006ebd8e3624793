"""Error after labels that are suggested, and after labels of random rows.

    WIDEMARGIN_DATA=... python benchmarks/evidence/suggestions.py [--draws 4] [SET ...]
        [--rows 3000] [--pool 20000]

--rows is the number of rows of a set, and --pool that of rows to choose among. Prints
the mean error of SpectralClassifier on unlabeled rows, in percent, after 20, 50 and 100
labels, and after 200 and 400 labels of random rows. The first ten labels are suggested
together, and then ten at a time. For the last column 10 % of 100 random labels are made
wrong: the share of these among the first 15 suspects.
"""

import argparse

import numpy as np

from widemargin import SpectralClassifier, suggest_rows
from widemargin.defaults import SUGGESTION_ROWS
from widemargin_bench.evidence import (
    LABELLED_SETS,
    LABELLED_STEPS,
    constant,
    load_rows,
)

RANDOM_STEPS = (*LABELLED_STEPS, 200, 400)


def label(model, y, rows, *, is_random=True):
    """Error of the other rows, in percent, after labels of some rows."""
    given = np.full(len(y), -1)
    given[rows] = y[rows]
    model.update(given, random_labels=np.full(len(y), is_random))
    return 100.0 * np.mean((model.transduction_ != y)[given < 0])


def suggested(model, X, y, seed):
    """Errors after each step with suggested rows."""
    rows, errors = suggest_rows(X, random_state=seed).rows, []
    while len(rows) < LABELLED_STEPS[-1]:
        if len(set(y[rows])) < 2:
            given = np.full(len(y), -1)
            given[rows] = y[rows]
            more = suggest_rows(X, given, random_state=seed)
        else:
            error = label(model, y, rows, is_random=False)
            errors += [error] if len(rows) in LABELLED_STEPS else []
            more = model.suggest(10)
        rows = np.append(rows, more.rows)
    return [*errors, label(model, y, rows, is_random=False)]


def recall(model, y, rows, rng, n_wrong=10):
    """Share of planted errors among the first 15 suspects, in percent."""
    wrong = rng.choice(rows, n_wrong, replace=False)
    given = np.full(len(y), -1)
    given[rows] = y[rows]
    given[wrong] = (y[wrong] + rng.integers(1, y.max() + 1, n_wrong)) % (y.max() + 1)
    suspects = model.update(given).suspect_labels().rows[:15]
    return 100.0 * np.isin(wrong, suspects).mean()


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sets", nargs="*", default=LABELLED_SETS)
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--pool", type=int, default=SUGGESTION_ROWS)
    options = parser.parse_args()
    with constant("SUGGESTION_ROWS", options.pool):
        print_errors(options)


def print_errors(options):
    """Print a line for each set."""
    print(
        f"{'set':8} {'random: 20, 50, 100, 200, 400':>38} "
        f"{'suggested: 20, 50, 100':>22} {'errors found':>14}"
    )
    for name in options.sets:
        found = []
        for seed in range(options.draws):
            rng = np.random.default_rng(seed)
            X, y = load_rows(name, rng, options.rows)
            order = rng.permutation(len(y))
            given = np.full(len(y), -1)
            given[order[: LABELLED_STEPS[-1]]] = y[order[: LABELLED_STEPS[-1]]]
            model = SpectralClassifier(random_state=seed).fit(X, given)
            at_random = [label(model, y, order[:n]) for n in RANDOM_STEPS]
            share = recall(model, y, order[: LABELLED_STEPS[-1]], rng)
            found.append([*at_random, *suggested(model, X, y, seed), share])
        means = np.mean(found, axis=0)
        print(f"{name:8}" + "".join(f" {value:7.1f}" for value in means), flush=True)


if __name__ == "__main__":
    main()

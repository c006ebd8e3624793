"""Estimated and true error of FewLabelClassifier on labels that it suggested.

    WIDEMARGIN_DATA=... python benchmarks/evidence/chosen_labels.py [--draws 10]
        [SET ...]

Ten labels are suggested at a time; every fifth one after the first ten is of a random
row. Prints, after 20, 50 and 100 labels, the mean true and estimated error in percent,
and the share of draws in which they differ by at most two standard errors: for the
default number of labels that the probabilities count for (`EXPECTED_LABELS`), for
others, and for all labels counted as if they were random.
"""

import argparse
from collections import defaultdict

import numpy as np

from widemargin import FewLabelClassifier, suggest_rows
from widemargin.averaging import estimate_error
from widemargin.defaults import EXPECTED_LABELS
from widemargin_bench.evidence import (
    LABELLED_SETS,
    LABELLED_STEPS,
    constant,
    load_rows,
)

COUNTS = (EXPECTED_LABELS, 3.0, 30.0)


def grow(X, y, seed):
    """Yield fitted models and a mask of random labels, after each step."""
    first = suggest_rows(X, random_state=seed)
    rows, is_check, model = first.rows, first.is_check, None
    while len(rows) <= LABELLED_STEPS[-1]:
        given = np.full(len(y), -1)
        given[rows] = y[rows]
        random = np.isin(np.arange(len(y)), rows[is_check])
        if len(set(y[rows])) < 2:
            more = suggest_rows(X, given, random_state=seed)
        else:
            if model is None:
                model = FewLabelClassifier(random_state=seed)
                model.fit(X, given, random_labels=random)
            else:
                model.update(given, random_labels=random)
            if len(rows) in LABELLED_STEPS:
                yield model, given, random
            more = model.suggest(10)
        rows = np.append(rows, more.rows)
        is_check = np.append(is_check, more.is_check)


def estimates(model, given, random):
    """Estimate and standard error by each rule."""
    labeled = given >= 0
    codes = np.searchsorted(model.classes_, given[labeled])
    expected = 1.0 - model.certainty_[~labeled].mean()
    for count in COUNTS:
        with constant("EXPECTED_LABELS", count):
            options = {"is_random": random[labeled], "expected": expected}
            yield count, estimate_error(model.held_out_proba_, codes, **options)
    yield "all labels", estimate_error(model.held_out_proba_, codes)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sets", nargs="*", default=LABELLED_SETS)
    parser.add_argument("--draws", type=int, default=10)
    options = parser.parse_args()
    print(
        f"{'set':8} labels  error  " + "".join(f"{c!s:>20}" for c in COUNTS) + "  all"
    )
    everything = defaultdict(list)
    for name in options.sets:
        found = defaultdict(list)  # by number of labels
        for seed in range(options.draws):
            X, y = load_rows(name, np.random.default_rng(seed))
            for model, given, random in grow(X, y, seed):
                error = np.mean((model.transduction_ != y)[given < 0])
                line = [100.0 * error]
                for rule, (estimate, std) in estimates(model, given, random):
                    is_covered = abs(estimate - error) <= 2 * std
                    line += [100.0 * estimate, is_covered]
                    everything[rule].append(is_covered)
                found[(given >= 0).sum()].append(line)
        for n_labels, lines in found.items():
            error, *rest = np.mean(lines, axis=0)
            pairs = zip(rest[::2], rest[1::2], strict=True)
            text = "".join(f"  {e:5.1f} % ({100 * c:3.0f} %)" for e, c in pairs)
            print(f"{name:8} {n_labels:6} {error:5.1f} %{text}", flush=True)
    shares = {rule: f"{100 * np.mean(c):.1f} %" for rule, c in everything.items()}
    print("covered by two standard errors:", shares)


if __name__ == "__main__":
    main()

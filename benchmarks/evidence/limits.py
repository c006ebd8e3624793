"""Limits from which a faster or smaller method is used, and tolerances.

    WIDEMARGIN_DATA=... python benchmarks/evidence/limits.py [--draws 2] [CONSTANT ...]

Prints for each value of a constant of `widemargin.defaults` the error on unlabeled rows
in percent, the difference from the value in use (*), seconds of processor time, and
memory that is needed beside the data. With 100 labels of mnist, usps and waveform
unless a title says otherwise.
"""

import argparse
import warnings
from contextlib import nullcontext
from unittest.mock import patch

import numpy as np

from widemargin import (
    LabelSearchClassifier,
    LaplacianSVC,
    SelfLabelingGPC,
    TransductiveSVC,
)
from widemargin.defaults import (
    EVIDENCE_ROWS,
    GRAM_BYTES,
    HINGE_FOLD_TOL,
    HINGE_HOLDOUT,
    HOLDOUT_ROWS,
    HOLDOUT_SIZE,
    MAX_UNLABELED_RATIO,
    RELABEL_TOL,
)
from widemargin.labelling import search
from widemargin.solvers import hinge
from widemargin.solvers.evidence import MarginalLikelihood
from widemargin.solvers.relabeling import LeaveOneOut
from widemargin.solvers.self_labeling import Annealing
from widemargin_bench.evidence import compare, constant, draw_labels
from widemargin_bench.tables.defaults import load

SETS, N_LABELS = ("mnist", "usps", "waveform"), 100


def load_sets(n_rows, names=SETS):
    """Those of the sets that have so many rows."""
    sets = [load(name, most_rows=n_rows) for name in names]
    return [pair for pair in sets if len(pair[1]) == n_rows]


def error(make, n_labels=N_LABELS):
    """What is compared; `make` is a function of the value and the draw."""

    def score(value, X, y, draw):
        y_partial = draw_labels(y, n_labels, draw)
        model = make(value, draw).fit(X, y_partial)
        hidden = y_partial == -1
        return 100 * np.mean(model.transduction_[hidden] != y[hidden])

    return score


def plain(values):
    """A context that changes nothing for each value."""
    return {value: nullcontext() for value in values}


def newton(n_draws):
    """Newton's method and conjugate gradient by rows, columns and labels."""
    make = error(lambda solver, draw: LaplacianSVC(solver=solver, random_state=draw))
    for n_rows in (1000, 2000, 4000):
        for name, what in (("mnist", "10 columns"), ("waveform", "1 column")):
            sets = load_sets(n_rows, [name])
            title = f"NEWTON_LIMITS, {n_rows:,} rows of {name}, {what}"
            given = plain(("newton", "pcg")), make, sets, n_draws
            compare(title, "newton", *given)
    for n_labels in (500, 1000, 2000):
        make = error(
            lambda solver, draw: LaplacianSVC(solver=solver, random_state=draw),
            n_labels,
        )
        title = f"NEWTON_LIMITS, 3,000 rows of mnist, {n_labels:,} labels"
        given = plain(("newton", "pcg")), make, load_sets(3000, ["mnist"]), n_draws
        compare(title, "newton", *given)


def holdout_size(n_draws):
    """Rows on which labels are held out where conjugate gradient is used."""
    changes = {
        n: constant("HOLDOUT_SIZE", HOLDOUT_SIZE._replace(rows=n))
        for n in (500, 1000, 2000, 4000)
    }
    make = error(lambda _, draw: LaplacianSVC(solver="pcg", random_state=draw))
    title, sets = "HOLDOUT_SIZE.rows, 4,000 rows", load_sets(4000)
    compare(title, HOLDOUT_SIZE.rows, changes, make, sets, n_draws)


def tabu(n_draws):
    """Tabu search and the stochastic one by rows, with and without all ties."""
    for n_rows in (2000, 4000, 9000):
        changes = {
            "tabu, ties kept": _dense_rows(10**6),
            "tabu, ties computed": _dense_rows(0),
            "stochastic": nullcontext(),
        }
        make = error(
            lambda value, draw: LabelSearchClassifier(
                search=value.partition(",")[0],
                unlabeled_weight=1.0,
                landmarks=500,
                random_state=draw,
            )
        )
        title = f"TABU_ROWS and DENSE_ROWS, {n_rows:,} rows, unlabeled weight 1"
        sets = load_sets(n_rows)
        compare(title, "tabu, ties kept", changes, make, sets, n_draws)


def _dense_rows(n_rows):
    return patch.dict(search.search_labels.__kwdefaults__, dense_rows=n_rows)


def holdout_rows(n_draws):
    """Rows on which label search holds out labels."""
    changes = {
        n: patch.object(LabelSearchClassifier, "holdout_rows", n)
        for n in (300, 600, 1000, 2000)
    }
    make = error(lambda _, draw: LabelSearchClassifier(random_state=draw))
    title, sets = "HOLDOUT_ROWS, 2,000 rows", load_sets(2000)
    compare(title, HOLDOUT_ROWS, changes, make, sets, n_draws)


def relabel(n_draws):
    """Share of changed labels at which self-labeling ends."""
    make = error(
        lambda tol, draw: SelfLabelingGPC(
            relabel=LeaveOneOut(tol=tol), random_state=draw
        )
    )
    for n_rows in (1000, 4000):
        title, values = f"RELABEL_TOL, {n_rows:,} rows", (0.0, 1e-4, 1e-3, 1e-2)
        sets = load_sets(n_rows)
        compare(title, RELABEL_TOL, plain(values), make, sets, n_draws)


def evidence(n_draws):
    """Rows from which hyperparameters are learned."""
    make = error(
        lambda n, draw: SelfLabelingGPC(
            hyperparameters=MarginalLikelihood(max_rows=n), random_state=draw
        )
    )
    title, values = "EVIDENCE_ROWS, 2,000 rows", (250, 500, 1000, 2000)
    compare(title, EVIDENCE_ROWS, plain(values), make, load_sets(2000), n_draws)


def ratio(n_draws):
    """Largest summed weight of the unlabeled rows over that of the labels."""
    make = error(
        lambda value, draw: SelfLabelingGPC(
            annealing=Annealing(max_unlabeled_ratio=value), random_state=draw
        ),
        n_labels=10,
    )
    title, values = "MAX_UNLABELED_RATIO, 1,000 rows, 10 labels", (1.0, 2.0, 4.0, None)
    sets = load_sets(1000, (*SETS, "ringnorm", "splice"))
    compare(title, MAX_UNLABELED_RATIO, plain(values), make, sets, n_draws)


def gram(n_draws):
    """A Gram matrix that is kept, and one whose rows are computed when needed."""
    changes = {
        n: patch.dict(hinge.choose_hinge_space.__kwdefaults__, gram_bytes=n)
        for n in (GRAM_BYTES, 0)
    }
    make = error(lambda _, draw: TransductiveSVC(random_state=draw))
    title, sets = "GRAM_BYTES, 3,000 rows", load_sets(3000)
    compare(title, GRAM_BYTES, changes, make, sets, n_draws)


def hinge_folds(n_draws):
    """Rows and tolerance of hinge models that hold out labels."""
    make = error(lambda _, draw: TransductiveSVC(random_state=draw))
    changes = {
        n: constant("HINGE_HOLDOUT", HINGE_HOLDOUT._replace(least_rows=n))
        for n in (300, 600, 1000, 2000)
    }
    sets, title = load_sets(2000), "HINGE_HOLDOUT.least_rows, 2,000 rows"
    compare(title, HINGE_HOLDOUT.least_rows, changes, make, sets, n_draws)
    changes = {
        factor: constant("HINGE_FOLD_TOL", factor) for factor in (1.0, 10.0, 100.0)
    }
    title = "HINGE_FOLD_TOL, 2,000 rows"
    compare(title, HINGE_FOLD_TOL, changes, make, sets, n_draws)


PARTS = {
    "NEWTON_LIMITS": newton,
    "TABU_ROWS": tabu,
    "HOLDOUT_ROWS": holdout_rows,
    "RELABEL_TOL": relabel,
    "MAX_UNLABELED_RATIO": ratio,
    "EVIDENCE_ROWS": evidence,
    "HOLDOUT_SIZE": holdout_size,
    "HINGE_HOLDOUT": hinge_folds,
    "GRAM_BYTES": gram,
}


def main():
    """Print the tables that the arguments name, or all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--draws", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.names or PARTS:
        PARTS[name](options.draws)


if __name__ == "__main__":
    main()

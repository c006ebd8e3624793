"""Constants of the average by held-out labels, each against other values.

    WIDEMARGIN_DATA=... python benchmarks/evidence/averaging.py [--draws 3] [SET ...]

Models are fitted once for each draw of labels: the candidates of `FewLabelClassifier`
(constants inside of them are left as they are), those of `LaplacianSVC` and those of
`LabelSearchClassifier`. Every value of a constant then averages the same models. The
tables have the mean error on the unlabeled rows in percent and, in brackets, the mean
log loss in nats, over sets, 20 and 50 labels and draws; "wrong" is with a tenth of the
labels wrong. Below is the largest standard error, over sets, of a difference from the
value in use (*), and the error where each set takes the value that is best on the other
ones. Up to 600 rows of each set.
"""

import argparse
import warnings
from collections import defaultdict
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

from widemargin import FewLabelClassifier, averaging, calibration
from widemargin.averaging import average_models, average_scores
from widemargin.defaults import (
    CALIBRATION_CENTER,
    CALIBRATION_SPREAD,
    LEAST_PROBABILITY,
    TRUST,
)
from widemargin.estimators import few_label_classifier
from widemargin.estimators._candidates import class_probabilities
from widemargin_bench.evidence import (
    Models,
    draw_labels,
    label_search_models,
    laplacian_models,
)
from widemargin_bench.tables.defaults import load

SETS = (
    "usps", "coil20", "waveform", "ionosphere", "pima", "splice", "thyroid", "ringnorm",
)  # fmt: skip
N_ROWS, N_LABELS = 600, (20, 50)
KINDS = ("few-label", "few-label, wrong", "laplacian", "label search")
VALUES = {
    "TRUST": (TRUST, (0.0, 0.25, 0.5, 0.75, 1.0, 2.0)),
    "LEAST_PROBABILITY": (LEAST_PROBABILITY, (1e-6, 0.005, 0.02, 0.05, 0.1)),
    "CALIBRATION_CENTER": (CALIBRATION_CENTER, (1.5, 2.0, 3.0, 4.5, 6.0)),
    "CALIBRATION_SPREAD": (CALIBRATION_SPREAD, (0.1, 0.25, 0.5, 1.0, 2.0)),
}


def few_label_models(X, y, y_partial, seed):
    """Candidates of `FewLabelClassifier`."""
    model = FewLabelClassifier(random_state=seed)
    with patch.object(
        few_label_classifier, "average_models", wraps=average_models
    ) as spy:
        model.fit(X, y_partial)
    free, n_classes = np.flatnonzero(y_partial == -1), len(model.classes_)
    found = [class_probabilities(own, X[free], n_classes) for own in model.models_]
    return Models(*spy.call_args.args, np.array(found), y[free])


def draw_models(name, n_draws):
    """Models of each kind, a list each."""
    X, y = load(name, most_rows=N_ROWS)
    models = defaultdict(list)
    for n_labels in N_LABELS:
        for seed in range(n_draws):
            given = draw_labels(y, n_labels, seed)
            wrong = draw_labels(y, n_labels, seed, wrong=0.1)
            models["few-label"].append(few_label_models(X, y, given, seed))
            models["few-label, wrong"].append(few_label_models(X, y, wrong, seed))
            models["laplacian"].append(laplacian_models(X, y, given))
            models["label search"].append(label_search_models(X, y, given, seed))
    return models


@contextmanager
def constants(
    LEAST_PROBABILITY=LEAST_PROBABILITY,
    CALIBRATION_CENTER=CALIBRATION_CENTER,
    CALIBRATION_SPREAD=CALIBRATION_SPREAD,
):
    """Let the average use other values."""
    prior = {"center": CALIBRATION_CENTER, "spread": CALIBRATION_SPREAD}
    with (
        patch.object(averaging, "LEAST_PROBABILITY", LEAST_PROBABILITY),
        patch.dict(calibration.fit_calibration.__kwdefaults__, prior),
        patch.dict(calibration.neg_log_prior.__kwdefaults__, prior),
    ):
        yield


def evaluate(kind, models, TRUST=TRUST, **others):
    """Error in percent and log loss of the average on unlabeled rows."""
    given = models.held_out, models.codes, models.prior, models.counts
    with constants(**others):
        if kind.startswith("few-label"):
            average = average_models(*given, trust=TRUST)
            probabilities = average.combine(models.found)
        else:
            average, own = average_scores(*given, trust=TRUST)
            probabilities = own.probabilities(average.combine(models.found))
    right = probabilities[np.arange(len(models.truth)), models.truth]
    error = 100 * np.mean(probabilities.argmax(axis=1) != models.truth)
    return error, -np.mean(np.log(np.maximum(right, 1e-6)))


def table(constant, default, values, drawn):
    """Print a line for each value."""
    print(f"\n{constant:20}" + "".join(f"{kind:>20}" for kind in KINDS))
    found = np.array(
        [
            [
                [
                    np.mean([evaluate(k, m, **{constant: v}) for m in own[k]], axis=0)
                    for own in drawn
                ]
                for k in KINDS
            ]
            for v in values
        ]
    )  # (n_values, n_kinds, n_sets, 2)
    for value, means in zip(values, found.mean(axis=2), strict=True):
        shown = "".join(f"{error:12.2f} ({loss:.3f})" for error, loss in means)
        print(f"{value:<18g}{'*' if value == default else ' '} {shown}")
    errors, kept = found[..., 0], values.index(default)
    gaps = errors - errors[kept]  # paired with the default, by set
    spread = gaps.std(axis=2, ddof=1) / np.sqrt(len(drawn))
    print(f"{'standard error':20}" + "".join(f"{s:20.2f}" for s in spread.max(axis=0)))
    others = errors.sum(axis=2, keepdims=True) - errors
    chosen = others.argmin(axis=0)[None]
    means = np.take_along_axis(errors, chosen, axis=0)[0].mean(axis=1)
    print(f"{'one set left out':20}" + "".join(f"{e:20.2f}" for e in means), flush=True)


def main():
    """Print a table for each constant."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", default=SETS)
    parser.add_argument("--draws", type=int, default=3)
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = [draw_models(name, options.draws) for name in options.names]
    for constant, (default, values) in VALUES.items():
        table(constant, default, values, drawn)


if __name__ == "__main__":
    main()

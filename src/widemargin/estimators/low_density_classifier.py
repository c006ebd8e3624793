"""Self-training with least squares, from a spectral start."""

from dataclasses import dataclass

import numpy as np

from widemargin.averaging import average_scores
from widemargin.defaults import (
    LOW_DENSITY_ROWS,
    SELF_TRAINING_PENALTIES,
    SELF_TRAINING_WEIGHT,
)
from widemargin.estimators._estimator import Fit, Method
from widemargin.estimators._spectral import SpectralModel
from widemargin.labels import decide
from widemargin.linalg.products import suited_threads
from widemargin.linalg.random import as_generator
from widemargin.progress import track
from widemargin.solvers.result import Status
from widemargin.solvers.self_training import SelfTraining, self_train


@dataclass(kw_only=True, eq=False, repr=False)
class LowDensityClassifier(SpectralModel):
    r"""Least squares with a boundary in a low-density region, from a spectral start.

    The model starts from the class probabilities that `SpectralClassifier` predicts
    for the unlabeled rows, and infers labels from them. It fits regularized least
    squares to given and inferred labels, infers the labels again, and repeats this
    until few of them change, which moves the boundary away from dense regions. Every
    class keeps the share of the rows that the spectral model expects. Held-out labels
    weight models of several penalties.

    Parameters
    ----------
    kernel, graph, n_components, random_state
        As in `SpectralClassifier`. The model is linear in the leading components of the
        kernel.
    families : str or sequence of str, default=("labels", "graph", "spectrum")
        The families of the spectral model that it starts from.

    Attributes
    ----------
    names_ : list of str
        The penalty of each model of `average_`.
    label_distributions_, geometry_
        As in `SpectralClassifier`.
    classes_, function_, calibration_, transduction_, held_out_proba_, average_, result_
    has_own_graph_
        See :class:`~widemargin.estimators.Classifier`.

    Notes
    -----
    Minimizes, over the coefficients B and the classes of the unlabeled rows,

    .. math:: \frac{1}{l} \sum_{i \le l} \|y_i - B^\top z_i\|^2
              + \frac{10}{u} \sum_{i > l} \|y_i - B^\top z_i\|^2 + \lambda \|B\|^2

    with codes y of -1 and +1 and the components z of a row, scaled to a mean squared
    length of one, beside a constant. This is the objective of `LabelSearchClassifier`
    in fewer dimensions. It is minimized alternately over coefficients and classes,
    which takes milliseconds, instead of by moves of single labels. Held-out labels are
    predicted by five fits, each from a spectral model without those labels. A round
    costs O(n_samples n_components n_classes), after the time of `SpectralClassifier`.
    If there are more than 20,000 rows, the classes of a random subset are optimized,
    and the other rows get the scores of the result.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import LowDensityClassifier
    >>> from widemargin.datasets import hide_labels
    >>> X, y = load_digits(return_X_y=True)
    >>> X, y = X[:300], y[:300]
    >>> y_partial = hide_labels(y, 20, rng=0)  # -1 for all but 20 rows
    >>> model = LowDensityClassifier(random_state=0).fit(X, y_partial)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    used_families = ("spectrum",)
    methods = (
        Method(
            "low-density", "boundary in a low-density region, from a spectral start"
        ),
    )

    def _fit_labels(self, sample):
        basis, penalties = self.geometry_.components, SELF_TRAINING_PENALTIES
        if basis is None:  # fewer than three different rows have no components
            return self._fit_start(sample)
        with suited_threads(0):
            problem = self._problem(basis, sample)
            results = self._train(*problem, sample)
            held_out = self._hold_out(*problem, sample)
        self.names_ = [f"penalty {penalty:g}" for penalty in penalties]
        prior = np.full(len(penalties), 1.0 / len(penalties))
        given = sample.codes, prior, sample.label_weights
        average, calibration = average_scores(held_out, *given)
        solution = average.combine([_columns(result.solution) for result in results])
        # The last two rows: coefficients of the constant feature, and shifts.
        coef, constants = solution[:-2], solution[-2] + solution[-1]
        coordinates = basis.lengths[:, None] * coef
        scores = basis.spectrum.product(coordinates) + constants
        probabilities = calibration.probabilities(scores)
        self.label_distributions_ = sample.spread_rows(probabilities)
        return Fit(
            basis.to_function(None, coordinates, constant=constants),
            calibration,
            max(results, key=_urgency),
            decide(scores),
            sample.spread_to_given(average.held_out),
            average,
        )

    def _problem(self, basis, sample):
        """The rows that labels are inferred for, of many a part, and their features."""
        row_idx = np.arange(sample.n_rows)
        if sample.n_rows > LOW_DENSITY_ROWS:
            rng = as_generator(self.geometry_.seed)
            row_idx = sample.draw_rows(LOW_DENSITY_ROWS, rng)
        components = basis.spectrum.vectors[row_idx] * basis.lengths
        constant = np.ones((len(components), 1))
        return row_idx, np.hstack([components, constant]).astype(np.float32)

    def _train(self, row_idx, features, sample):
        """Results of all penalties, from the spectral model of the labels."""
        start = self.geometry_.learn(sample).probabilities
        if len(row_idx) < sample.n_rows:
            sample, start = sample.part(row_idx), start[row_idx]
        problem = SelfTraining.of(features, sample, start, SELF_TRAINING_WEIGHT)
        results = []
        for penalty in SELF_TRAINING_PENALTIES:
            results.append(self_train(problem, start, penalty=penalty))
            if results[-1].status is Status.INTERRUPTED:
                raise KeyboardInterrupt  # a fit is too short to keep a part
        return results

    def _hold_out(self, row_idx, features, sample):
        """Scores of the labels by models without them, (n_models, n_labels, n)."""
        held_out = sample.unknown_scores(len(SELF_TRAINING_PENALTIES))
        trials = sample.trials(sample, as_generator(self.geometry_.seed))
        for trial, predicted, label_idx in track("labels", trials):
            results = self._train(row_idx, features, trial)
            places = np.searchsorted(row_idx, label_idx)
            for scores, result in zip(held_out, results, strict=True):
                scores[predicted] = _columns(result.scores[places])
        return held_out


def _urgency(result):
    """Failures first, then the number of rounds."""
    return not result.status.is_success, result.n_iter


def _columns(values):
    """One column for two classes, as all scores here have it."""
    values = np.asarray(values, dtype=np.float64)
    return 0.5 * (values[:, 1:] - values[:, :1]) if values.shape[1] == 2 else values

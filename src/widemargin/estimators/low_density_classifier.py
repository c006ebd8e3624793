"""Least squares that labels the unlabeled rows itself, from a spectral start."""

from dataclasses import dataclass, replace

import numpy as np

from widemargin.averaging import average_scores
from widemargin.defaults import SELF_TRAINING_PENALTIES, SELF_TRAINING_WEIGHT
from widemargin.estimators._estimator import Fit, Method
from widemargin.estimators.spectral_classifier import SpectralClassifier
from widemargin.labels import decide
from widemargin.linalg.products import suited_threads
from widemargin.linalg.random import as_generator
from widemargin.sample import label_counts
from widemargin.solvers.result import worst
from widemargin.solvers.self_training import SelfTraining, self_train


@dataclass(kw_only=True, eq=False, repr=False)
class LowDensityClassifier(SpectralClassifier):
    r"""Least squares with a boundary in a low-density region, from a spectral start.

    The model starts from the labels that `SpectralClassifier` infers for the unlabeled
    rows. It fits regularized least squares to given and inferred labels, infers the
    labels again, and repeats this until few of them change, which moves the boundary
    away from dense regions. Every class keeps the share of the rows that the spectral
    model expects. Held-out labels weight models of several penalties.

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
        See :class:`~widemargin.estimators.Classifier`.

    Notes
    -----
    Minimizes, over the coefficients B and the classes of the unlabeled rows,

    .. math:: \frac{1}{l} \sum_{i \le l} \|y_i - B^\top z_i\|^2
              + \frac{10}{u} \sum_{i > l} \|y_i - B^\top z_i\|^2 + \lambda \|B\|^2

    with codes y of -1 and +1 and the components z of a row, scaled to a mean squared
    length of one, beside a constant. This is the objective of `LabelSearchClassifier`
    in fewer dimensions. It is minimized in turns, which takes milliseconds, instead of
    by moves of single labels. Held-out labels are predicted by five fits, each from a
    spectral model without those labels. O(n_samples n_components n_classes) for a
    round, after the time of `SpectralClassifier`.

    Examples
    --------
    >>> from widemargin import LowDensityClassifier
    >>> from widemargin.datasets import hide_labels, make_two_moons
    >>> X, y = make_two_moons(400, random_state=0)
    >>> y_partial = hide_labels(y, 8, rng=0)  # -1 for all but 8 rows
    >>> model = LowDensityClassifier(random_state=0).fit(X, y_partial)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    used_families = ("spectrum",)
    methods = (
        Method(
            "low_density", "boundary in a low-density region, from a spectral start"
        ),
    )

    def _fit_labels(self, sample):
        basis = self.geometry_.components
        if basis is None:  # two rows, which have no components
            return super()._fit_labels(sample)
        lengths = basis.lengths
        components = basis.spectrum.vectors * lengths
        features = np.hstack([components, np.ones((len(components), 1))])
        features = features.astype(np.float32)
        with suited_threads(0):
            results = self._train(features, sample)
            held_out = self._hold_out(features, sample)
        self.names_ = [f"penalty {penalty:g}" for penalty in SELF_TRAINING_PENALTIES]
        prior = np.full(len(results), 1.0 / len(results))
        counts = label_counts(sample.label_weights)
        average, calibration = average_scores(held_out, sample.codes, prior, counts)
        solution = average.combine([_columns(result.solution) for result in results])
        coef, constant = solution[:-2], solution[-2] + solution[-1]
        coordinates = lengths[:, None] * coef
        function = basis.to_function(None, coordinates, constant=constant)
        scores = components @ coef + constant
        probabilities = calibration.probabilities(scores)
        self.label_distributions_ = sample.spread_rows(probabilities)
        given = sample.spread_to_given(average.held_out)
        status = worst(*(result.status for result in results))
        last = replace(results[-1], status=status)
        return Fit(function, calibration, last, decide(scores), given, average)

    def _train(self, features, sample):
        """Results of all penalties, from the spectral model of the labels."""
        _, start = self.geometry_.learn(sample)
        probabilities = start.calibration.probabilities(start.scores)
        problem = SelfTraining.of(
            features, sample, probabilities.mean(axis=0), SELF_TRAINING_WEIGHT
        )
        return [
            self_train(problem, probabilities, penalty=penalty)
            for penalty in SELF_TRAINING_PENALTIES
        ]

    def _hold_out(self, features, sample):
        """Scores of the labels by models without them, (n_models, n_labels, n)."""
        n_columns, n_models = sample.signs.shape[1], len(SELF_TRAINING_PENALTIES)
        held_out = np.full((n_models, sample.n_labels, n_columns), np.nan)
        folds = sample.deal_folds(as_generator(self.geometry_.seed))
        for fold in np.unique(folds[folds >= 0]):
            hidden = folds == fold
            results = self._train(features, sample.without(hidden))
            for scores, result in zip(held_out, results, strict=True):
                scores[hidden] = _columns(result.scores[sample.label_idx[hidden]])
        return held_out


def _columns(values):
    """One column for two classes, as all scores here have it."""
    values = np.asarray(values, dtype=np.float64)
    return 0.5 * (values[:, 1:] - values[:, :1]) if values.shape[1] == 2 else values

"""Self-labeling support vector machine."""

from dataclasses import dataclass

import numpy as np

from widemargin.calibration import Calibration
from widemargin.checks import check_number
from widemargin.defaults import LABELED_WEIGHT
from widemargin.estimators._estimator import (
    RELABELING,
    Classifier,
    Fit,
    Method,
    read_parameter,
    read_parameters,
)
from widemargin.estimators.self_labeling_gpc import FAMILIES, read_task
from widemargin.progress import Progress
from widemargin.solvers.hinge import HingeSolver, choose_hinge_space
from widemargin.solvers.relabeling import InSample
from widemargin.solvers.self_labeling import AbsoluteRegression, self_label


@dataclass(kw_only=True, eq=False, repr=False)
class SelfLabelingSVC(Classifier):
    r"""Self-labeling support vector machine (SSuSVR).

    Learns from labeled and unlabeled rows: it alternates between support vector
    regression with the absolute loss and relabeling the unlabeled rows by its scores.
    The absolute loss is less sensitive to wrong labels than the squared one of
    `SelfLabelingGPC`, which is faster and mostly more accurate.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a row of weight one.
    kernel, labeled_weight, annealing
        As in `SelfLabelingGPC`.
    balance
        As in `LabelSearchClassifier`; its tolerance is :math:`\kappa` in [1]_.
    relabel : "in-sample" or InSample, default="in-sample"
        The threshold, Eqs. (9) and (8) of [1]_, and the stopping rule. Held-out values
        have no closed form here.
    solver
        As in `TransductiveSVC`.
    landmarks, random_state, verbose
        As in `LaplacianSVC`; "auto" `landmarks` are those of `TransductiveSVC`.

    Attributes
    ----------
    calibration_ : Calibration
        Slope of the probabilities, a fixed constant.
    classes_, function_, transduction_, held_out_proba_, average_, result_, n_iter_
        See :class:`~widemargin.estimators.Classifier`; no models are averaged, so
        `held_out_proba_` and `average_` are None.

    Notes
    -----
    Minimizes, alternately over functions :math:`f = h + b` and over labels of the
    unlabeled rows within the bounds of the class sizes, Eq. (4) of [1]_,

    .. math:: \tfrac12 \|h\|^2 + C \sum_i w_i |y_i - f(x_i)| ,

    with the weight `labeled_weight` for labeled rows and, at the end of the annealing,
    1 for unlabeled rows, or less if ``max_unlabeled_ratio`` requires it. More classes
    are one-vs-rest problems that are relabeled together. The loop ends when few labels
    change or labels repeat. ``labeled_weight=1, annealing=Annealing((1.0,), None),
    relabel=InSample(tol=0)`` is the model of [1]_, except for its constant, which is
    fed back there.

    References
    ----------
    .. [1] A. Patel, S. Sundararajan, S. Shevade. Semi-supervised classification using
       sparse Gaussian process regression. IJCAI, 2009.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from widemargin import SelfLabelingSVC
    >>> from widemargin.datasets import hide_labels
    >>> from widemargin.kernels import Rbf
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> model = SelfLabelingSVC(kernel=Rbf(2.0), C=10).fit(X, hide_labels(y, 10, rng=0))
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    C: float = 1.0
    kernel: object = "rbf"
    labeled_weight: float = LABELED_WEIGHT
    annealing: object = "auto"
    balance: object = "labeled"
    relabel: object = "in-sample"
    solver: object = "auto"
    landmarks: object = "auto"
    random_state: object = None
    verbose: bool = False

    value_families = {**FAMILIES, "solver": HingeSolver}
    history_names = RELABELING
    methods = (Method("self-labeling-svm", "the same with support vectors"),)

    def _fit_sample(self, sample, rng):
        check_number(self, "C", low=0, strict=True)
        check_number(self, "labeled_weight", low=0, strict=True)
        names = "kernel", "landmarks", "solver"
        kernel, landmarks, solver = read_parameters(self, *names)
        relabel, who = read_parameter(self, "relabel"), type(self).__name__
        if not isinstance(relabel, InSample):
            raise ValueError(
                f"relabel of {who} must be 'in-sample' or an InSample value, because "
                f"held-out values have no closed form, got {self.relabel!r}."
            )
        task = read_task(self, sample, relabel)
        kernel = sample.rows.fit_width(kernel, rng, auto="mean")
        space, solver = choose_hinge_space(
            kernel, sample.rows, landmarks, solver, rng, who=who
        )
        if space.low_rank:  # the same functions; rows may be far from the origin
            space = space.centered(np.full(sample.n_rows, 1.0 / sample.n_rows))
        model = AbsoluteRegression(space, solver, float(self.C))
        found = self_label(model, task, callback=Progress.of(self).rounds())
        result = found.ended(found.regressor.status).result
        function = found.regressor.function(found.signs)
        return Fit(function, Calibration(), result, found.codes)

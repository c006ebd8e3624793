"""Regularized least squares with a search for the missing labels."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from widemargin.checks import check_choice, check_number, check_number_or
from widemargin.defaults import (
    HOLDOUT_ROWS,
    SEARCH_LADDER,
    SEARCH_WIDTH,
    UNLABELED_WEIGHTS,
)
from widemargin.estimators._estimator import (
    Classifier,
    Fit,
    Method,
    copy_features,
    read_grid,
    read_jobs,
    read_parameters,
    read_sample,
    store_fit,
)
from widemargin.labelling import Search, Starts
from widemargin.labelling.path import PathSettings, SharedPaths, fit_labels
from widemargin.linalg.random import as_generator
from widemargin.objectives.class_sizes import Balance
from widemargin.progress import Progress
from widemargin.spaces import choose_space
from widemargin.spaces.choose import check_scale


@dataclass(kw_only=True, eq=False, repr=False)
class LabelSearchClassifier(Classifier):
    r"""Regularized least squares with a search for the missing labels.

    Gives the unlabeled rows the labels under which a kernel model with the squared loss
    fits all rows best: a decision boundary through the gaps between the rows.

    Parameters
    ----------
    ambient_reg : float, default=1e-3
        Weight of the kernel norm, :math:`\lambda` in [1]_.
    intrinsic_reg : float, default=0
        Weight of the smoothness along the graph.
    unlabeled_weight : float or "auto", default="auto"
        Weight of the loss on the unlabeled rows relative to that on the labeled ones,
        :math:`\lambda'` in [1]_. "auto" averages over 0, 0.1, 0.3, 1 and 3.
    fit_intercept : bool, default=True
        Whether to add a (penalized) constant to the functions; [1]_ has none.
    balance : "labeled", "equal", dict, Balance or None, default="labeled"
        Share of each class among the unlabeled rows: estimated from the labels, all the
        same, your own as ``{class: fraction}``, or None if a class may have any size.
        ``Balance(shares, tolerance)`` also sets the tolerance, :math:`\varepsilon` in
        [1]_, by default a factor of 1.5. Predictions for new rows are not constrained.
    search : str or Search, default="auto"
        How labels are searched: "tabu", "evolution", "shaking", "steepest",
        "stochastic", or a value such as ``Evolution(population=1, offspring=1)``, the
        (1+1) round robin of [1]_; see Notes. "auto" is "stochastic" for weights of the
        unlabeled rows below 1 and "tabu" from there on; with more than 8,192 rows
        always "stochastic".
    start : str or Starts, default="supervised"
        Labels to start from: "supervised", "smoothed", "random" or "both", see
        :class:`widemargin.labelling.Starts`, which also sets the number of random
        starts. The result with the lowest objective is kept.
    landmarks : int, Nystrom, "auto" or None, default="auto"
        As in `LaplacianSVC`; "auto" is None up to 3,000 rows and 1,000 for more. Up to
        8,192 rows, searches that read rows of the smoother keep them all,
        O(n_samples^2), for speed.
    n_jobs : int or None, default=None
        Number of searches that run in parallel threads. The result does not depend on
        it.
    kernel, graph, random_state, verbose
        As in `LaplacianSVC`, except that the automatic width of the kernel is "mean".

    Attributes
    ----------
    unlabeled_weights_ : tuple of float
        Weights of the unlabeled rows of the models; several if they are averaged.
    objective_ : float or None
        Lowest objective found, in the last search; None if nothing is unlabeled.
    result_, n_iter_ : SolveResult, int
        How the last search ended, and the moves of all searches of the last model.
    classes_, function_, calibration_, transduction_, average_, held_out_proba_
        See :class:`~widemargin.estimators.Classifier`; the last two are None with a
        fixed `unlabeled_weight`.

    Notes
    -----
    For two classes, over functions f and labels y of the unlabeled samples, Eq. (8) of
    [1]_,

    .. math:: \frac1l \sum_{i \in L} (y_i - f_i)^2
              + \frac{\lambda'}{u} \sum_{i \in U} (y_i - f_i)^2
              + \lambda \|f\|^2 ,

    with the norm of the kernel divided by its mean diagonal (the :math:`\lambda` of
    [1]_ is `ambient_reg` times that mean), plus
    :math:`\text{intrinsic\_reg}\, f^\top L^p f`. For more classes it is the sum over
    the one-vs-rest problems, as in [2]_. :doc:`/guide/label_search` describes the
    searches and the average; labels are held out on 1,000 rows if there are more.

    With ``balance="labeled"`` shares are those of the labels, with one label added to
    each class, shrunk towards equal shares to the extent that chance explains their
    differences.

    Copies of a labeled row with the same label are one row with their summed weight.
    The result does not depend on the class names, nor on the order of the rows unless
    landmarks are drawn.

    Time O(n^3) for the smoother of each weight, O(n r^2) with r landmarks; a step of
    "tabu" or "steepest" is O(n k), a test of "stochastic" O(k), or O(r k) with
    landmarks. Deviations from [1]_: more than two classes, the constant, the start, the
    average, tabu search; given labels never move (the footnote of [1]_ draws all of
    them).

    References
    ----------
    .. [1] F. Gieseke, O. Kramer, A. Airola, T. Pahikkala. Efficient recurrent local
       search strategies for semi- and unsupervised regularized least-squares
       classification. Evolutionary Intelligence 5, 2012.
    .. [2] T. Pahikkala, A. Airola, F. Gieseke, O. Kramer. On unsupervised training of
       multi-class regularized least-squares classifiers. Journal of Computer Science
       and Technology, 2014.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import LabelSearchClassifier
    >>> from widemargin.datasets import hide_labels
    >>> X, y = load_digits(return_X_y=True)
    >>> X, y = X[:300], y[:300]
    >>> y_partial = hide_labels(y, 50, rng=0)  # -1 for all but 50 rows
    >>> model = LabelSearchClassifier(random_state=0).fit(X, y_partial)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    kernel: object = "rbf"
    graph: object = "knn"
    ambient_reg: float = 1e-3
    intrinsic_reg: float = 0.0
    unlabeled_weight: float | str = "auto"
    fit_intercept: bool = True
    balance: object = "labeled"
    search: object = "auto"
    start: object = "supervised"
    landmarks: object = "auto"
    n_jobs: int | None = None
    random_state: object = None
    verbose: bool = False

    value_families = Classifier.value_families | {
        "balance": Balance,
        "search": Search,
        "start": Starts,
    }
    saved_state = (*Classifier.saved_state, "unlabeled_weights_")
    methods = (
        Method("label-search", "searches the missing labels; for classes with gaps"),
    )
    history_names = {"objective": "lowest objective"}
    step_name = "start"
    averaged = "unlabeled_weights_"
    ladder = SEARCH_LADDER  # from which number of rows on there are landmarks
    holdout_rows = HOLDOUT_ROWS  # number of rows on which labels are held out

    def _fit_sample(self, sample, rng):
        return next(_fit_models([self], sample, rng))

    def fit_path(
        self,
        X: Any,
        y: Any,
        *,
        ambient_reg: ArrayLike,
        unlabeled_weight: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> list[Self]:
        """Fit a model for each pair of weights, sharing expensive computations.

        All of them share the kernel matrix; those with the same `unlabeled_weight` also
        share its eigendecomposition.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        ambient_reg, unlabeled_weight : sequences of float
            Weights to combine; `unlabeled_weight` is by default that of the estimator.
            Fitted estimators are in the order of
            ``product(unlabeled_weight, ambient_reg)``.
        """
        if unlabeled_weight is None:
            unlabeled_weight = [self.unlabeled_weight]
        weights = {"ambient_reg": ambient_reg, "unlabeled_weight": unlabeled_weight}
        ambient_reg, unlabeled_weight = read_grid(self, "fit_path", **weights)
        models = [
            clone(self).set_params(ambient_reg=ambient, unlabeled_weight=weight)
            for weight in unlabeled_weight
            for ambient in ambient_reg
        ]
        sample = read_sample(models[0], X, y, sample_weight).sorted()
        fits = _fit_models(models, sample, as_generator(self.random_state))
        for model, fitted in zip(models, fits, strict=True):
            copy_features(models[0], model)
            store_fit(model, sample, fitted)
        return models


def _fit_models(models, sample, rng):
    """Yield what each of several models learns that differ only in their weights."""
    for model in models:
        check_number(model, "ambient_reg", low=0, strict=True)
        check_number(model, "intrinsic_reg", low=0)
        check_number_or(model, "unlabeled_weight", ("auto",), low=0, strict=True)
        check_choice(model, "fit_intercept", (True, False))
    first, who = models[0], type(models[0]).__name__
    names = "kernel", "landmarks", "graph", "balance", "search", "start"
    kernel, landmarks, graph, balance, search, start = read_parameters(first, *names)
    kernel = sample.rows.fit_width(kernel, rng, auto=SEARCH_WIDTH)
    settings = PathSettings(
        kernel,
        graph,
        first.intrinsic_reg,
        balance,
        balance.class_shares(sample.classes.tolist(), None, who),
        search,
        start,
        read_jobs(first),
    )
    space = choose_space(
        kernel, sample.rows, landmarks, rng, ladder=first.ladder, who=who
    )
    scale = check_scale(space, kernel, who)
    if first.fit_intercept:
        # With the variance of the kernel, so that one `ambient_reg` serves both.
        space = space.with_constant(scale)
    space = settings.add_graph(space, sample.rows)
    seed = int(rng.integers(2**31))  # the same starts for all
    shared = space if len(models) == 1 else SharedPaths(space)
    for model in models:
        found = fit_labels(
            shared,
            sample,
            model.ambient_reg * scale,
            model.unlabeled_weight,
            settings,
            np.random.default_rng(seed),
            callback=Progress.of(model).searches(),
            n_rows=model.holdout_rows,
        )
        yield _describe(model, sample, space, found)


def _describe(model, sample, space, found):
    """What was learned; `found` is a `LabelFit`."""
    is_averaged = found.average is not None
    weights = (0.0, *UNLABELED_WEIGHTS) if is_averaged else (model.unlabeled_weight,)
    model.unlabeled_weights_, objective = weights, found.result.objective
    model.objective_ = None if np.isnan(objective) else objective
    held_out = found.held_out
    return Fit(
        space.to_function(found.coordinates),
        found.calibration,
        found.result,
        found.codes,
        None if held_out is None else sample.spread_to_given(held_out),
        found.average,
    )

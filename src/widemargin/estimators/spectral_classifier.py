"""Closed-form models in spectra that are computed once for all rows."""

from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
from sklearn import config_context
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from widemargin.checks import check_number, refuse
from widemargin.defaults import SPECTRAL_LABELS
from widemargin.estimators._estimator import (
    Classifier,
    Fit,
    Method,
    check_sample_weight,
    fit_sample,
    read_parameters,
    read_rows,
    store_fit,
    values_at,
)
from widemargin.estimators.interaction import Suspects, explain_rows, suggest_from
from widemargin.graphs import Graph
from widemargin.kernels import Kernel
from widemargin.labels import decide, known_names, labeled_mask
from widemargin.linalg.products import suited_threads
from widemargin.linalg.random import as_generator
from widemargin.sample import Sample, collect_sample
from widemargin.solvers.active_learning import rank_suspects
from widemargin.solvers.closed_form import fit_covariances, label_functions
from widemargin.spaces import FunctionSum
from widemargin.spaces.bases import list_covariances, make_bases

FAMILIES = ("labels", "graph", "spectrum")


@dataclass(frozen=True)
class Geometry:
    """What a fit computes from the rows alone, whatever their labels."""

    sample: Sample  # with the labels of the last fit or update
    bases: dict
    covariances: tuple
    seed: int  # by which labels are drawn if there are too many

    def thin_labels(self, sample):
        """The sample with as many labels as can be fitted."""
        return sample.thin_labels(SPECTRAL_LABELS, as_generator(self.seed))


@dataclass(kw_only=True, eq=False, repr=False)
class SpectralClassifier(Classifier):
    r"""Average of closed-form models over eigenvectors of all rows.

    Every model is Gaussian-process regression on the labels with its own prior
    covariance. The covariances are written in eigenvectors that are computed once from
    all rows, so that a model costs only what its labels cost. Leave-one-out scores of
    the labels, which are exact, set the weights of the models.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        As in `LaplacianSVC`, except "precomputed".
    graph : "knn" or KnnGraph, default="knn"
        The graph whose smoothest functions the family "graph" is made of. Its Laplacian
        is always normalized, and models of several powers are averaged.
    families : str or sequence of str, default=("labels", "graph", "spectrum")
        Which models are averaged, see Notes. "labels" gives a supervised model.
    n_components : int, default=200
        Eigenvectors of the graph, and of each kernel.
    random_state : int, Generator or None, default=None
        For the landmarks of the kernel spectrum if there are more than 500 rows.

    Attributes
    ----------
    names_ : list of str
        What each model of `average_` is.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Class probabilities of the training rows; NaN for rows of weight zero.
    function_ : FunctionSum
        The fitted function: a part for each basis.
    geometry_ : Geometry
        Rows, eigenvectors and kernel values, which `update` uses again. They take the
        memory of the rows and of about 600 numbers for each; model files leave them
        out.
    classes_, calibration_, transduction_, held_out_proba_, average_
        See :class:`~widemargin.estimators.Classifier`.

    Notes
    -----
    A model has scores of covariance K with noise :math:`\sigma^2` and targets of -1 and
    +1 for each class; leave-one-out scores have a closed form. The families are

    ========  =================================================================
    labels    K is the kernel, with five widths; unlabeled rows play no part
    graph     :math:`K = s \sum_j (\epsilon / (\epsilon + \lambda_j))^p u_j
              u_j^\top + (1 - s) k` over the eigenvectors of the normalized
              graph Laplacian, p = 1, 2, 3 and s = 1, 0.9, 0.5
    spectrum  :math:`K = \sum_j \mu_j^q v_j v_j^\top` over the principal
              components of the rows and of the kernel, q = 1, 2, 4, 8
    ========  =================================================================

    each with four noise variances from 0.01 to 10, with and without a constant, and
    scaled to a mean variance of one. The prior of a family is shared by its members;
    the graph has a larger one as long as classes have a single label, which cannot be
    held out. The average is that of the calibrated scores, so that it is one function.

    New rows are compared with the labels, with landmarks, and with their nearest
    training rows, whose graph scores are averaged. Time is that of nearest neighbors
    and eigenvectors, then O(n_labeled^3 + n_samples n_components n_classes); `update`
    takes the second part only. Eigenvectors depend on the rows alone, each distinct one
    of positive weight counting once.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import SpectralClassifier
    >>> from widemargin.datasets import hide_labels
    >>> X, y = load_digits(return_X_y=True)
    >>> y_partial = hide_labels(y, 20, rng=0)  # -1 for all but 20 rows
    >>> model = SpectralClassifier(random_state=0).fit(X, y_partial)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    kernel: object = "rbf"
    graph: object = "knn"
    families: object = FAMILIES
    n_components: int = 200
    random_state: object = None

    value_families = {"kernel": Kernel, "graph": Graph}
    saved_state = (*Classifier.saved_state, "names_")
    merge = "all"  # copies of a row would be each other's nearest neighbors
    averaged = "names_"
    methods = (
        Method("spectral", "closed-form models over all rows; good with few labels"),
        Method(
            "supervised",
            "labeled rows only, by an average of kernel models",
            needs_unlabeled=False,
            parameters=(("families", "labels"),),
        ),
    )

    def _fit_sample(self, sample, rng):
        self._make_geometry(sample, rng)
        return self._fit_labels(sample)

    def _make_geometry(self, sample, rng):
        kernel, graph = read_parameters(self, "kernel", "graph")
        families = self._read_families(kernel)
        with suited_threads(0):  # threads gain little on tall and narrow matrices
            bases = make_bases(
                kernel, graph, sample.rows, families, self.n_components, rng
            )
        covariances = tuple(list_covariances(bases, families))
        seed = int(rng.integers(2**63))
        self.geometry_ = Geometry(sample, bases, covariances, seed)

    def _fit_labels(self, sample):
        """What is learned from the labels of a sample with the rows of the geometry."""
        self.geometry_ = replace(self.geometry_, sample=sample)
        bases, covariances = self.geometry_.bases, self.geometry_.covariances
        labeled = self.geometry_.thin_labels(sample)
        idx = labeled.label_idx
        # The rows were checked by `fit`; a look at all of them takes milliseconds.
        with suited_threads(0), config_context(assume_finite=True):
            self.names_, average, calibration, found, constant = fit_covariances(
                covariances, bases, labeled
            )
            scores = {name: bases[name].scores(idx, c) for name, c in found.items()}
        function = _add_functions(bases, idx, found, scores, constant)
        scores = sum(scores.values()) + constant
        probabilities = calibration.probabilities(scores)
        self.label_distributions_ = sample.spread_rows(probabilities)
        held_out = labeled.spread_to_given(average.held_out)
        return Fit(function, calibration, None, decide(scores), held_out, average)

    def update(self, y, sample_weight=None):
        """Learn other labels of the rows of the last `fit`, in milliseconds.

        Labels may be added, changed and removed, also such of new classes. The result
        is that of a new fit, as far as `random_state` is a number; eigenvectors and
        parameters are those of the last one.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            All labels, as in `fit`.
        sample_weight : array-like of shape (n_samples,), optional
            As in `fit`. If other rows than before have the weight zero, eigenvectors
            are computed again.

        Returns
        -------
        self
        """
        before = self._read_geometry("update").sample
        check_consistent_length(before.given, y)
        weights = check_sample_weight(self, sample_weight, len(before.given))
        if np.array_equal(weights > 0, before.given_row_idx >= 0):
            sample = before.relabeled(y, weights)
            return store_fit(self, sample, self._fit_labels(sample))
        sample = collect_sample(before.given, y, weights, merge=self.merge)
        return fit_sample(self, sample.sorted())

    def suggest(self, n=10):
        """Rows whose labels would help the most.

        The first ten labels are for rows in the middle of clusters. Later ones are for
        rows that lower the posterior variance of uncertain rows the most, and every
        fifth is for a row that is drawn at random. Label them, and call `update`.

        Parameters
        ----------
        n : int, default=10
            How many rows; fewer if fewer are unlabeled.

        Returns
        -------
        Suggestions
            Their positions in X as `rows`, `is_check` for random ones, and `reason`.
        """
        geometry = self._read_geometry("suggest")
        _check_count(n, "suggest")
        known, found = geometry.sample.labeled, self.label_distributions_
        return suggest_from(geometry, known, n, self.average_, found)

    def explain(self, X, n=5):
        """The labels that decide about each row, with their amounts.

        Scores are linear in the targets of the labels. For the predicted class against
        the second best one, a label of either contributes an amount to the margin, half
        of the difference of both scores; all amounts together are the margin.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        n : int, default=5
            How many labels of each row, those of the largest absolute amounts.

        Returns
        -------
        Explanation
        """
        geometry = self._read_geometry("explain")
        _check_count(n, "explain")
        labeled = geometry.thin_labels(geometry.sample)
        idx, bases = labeled.label_idx, geometry.bases
        found, constant = label_functions(
            geometry.covariances, bases, labeled, self.average_
        )
        scores = {name: bases[name].scores(idx, c) for name, c in found.items()}
        function = _add_functions(bases, idx, found, scores, constant)
        weights = values_at(function, read_rows(self, X, reset=False))
        return explain_rows(weights, labeled, n)

    def suspect_labels(self):
        """Given labels that models without them contradict.

        Returns
        -------
        Suspects
            Positions in X, the least probable label first, its probability, and the
            class that is the most probable.
        """
        sample = self._read_geometry("suspect_labels").sample
        rows = np.flatnonzero(sample.given_codes >= 0)
        found = rank_suspects(self.held_out_proba_, sample.given_codes[rows])
        suspects, probabilities, best = found
        return Suspects(rows[suspects], probabilities, self.classes_[best])

    def _read_geometry(self, who):
        """The geometry of a fitted model; a message if it was read from a file."""
        check_is_fitted(self)
        if not hasattr(self, "geometry_"):
            raise ValueError(
                f"{who} of SpectralClassifier needs the training rows and their "
                "eigenvectors, which files of models do not hold; call fit(X, y) first."
            )
        return self.geometry_

    def _read_families(self, kernel):
        """The families that are meant; the message names those that there are."""
        if kernel.pairwise:
            refuse(self, "kernel", "one of rows; LaplacianSVC takes a kernel matrix")
        check_number(self, "n_components", low=1, integer=True)
        names = [str(name) for name in np.atleast_1d(self.families)]
        if not names or not set(names) <= set(FAMILIES):
            refuse(self, "families", f"some of {', '.join(FAMILIES)}")
        return names


def suggest_rows(X, y=None, n=10, random_state=None):
    """Rows of X whose labels would help the most; X may have no labels at all.

    With labels of two classes these are the suggestions of a `SpectralClassifier`, and
    otherwise rows in the middle of clusters without a label. To label more and more
    rows, keep a model: its `update` and `suggest` do not compute eigenvectors again.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,), optional
        Labels, with -1, NaN or None for unlabeled rows.
    n : int, default=10
        How many rows; fewer if fewer are unlabeled.
    random_state : int, Generator or None, default=None

    Returns
    -------
    Suggestions
        Positions of the rows as `rows`, `is_check` for random ones, and `reason`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import suggest_rows
    >>> X, y = load_digits(return_X_y=True)
    >>> first = suggest_rows(X, n=10, random_state=0)
    >>> len(set(y[first.rows])) > 5
    True
    """
    _check_count(n, "suggest_rows")
    model = SpectralClassifier(random_state=random_state)
    rows = read_rows(model, X)
    sample = collect_sample(rows, merge=model.merge).sorted()
    model._make_geometry(sample, as_generator(random_state))
    known = np.zeros(sample.n_rows, dtype=bool)
    if y is not None:
        check_consistent_length(rows, y)
        known[sample.given_row_idx[labeled_mask(y)]] = True
        if len(np.unique(known_names(y))) > 1:
            return model.update(y).suggest(n)
    return suggest_from(model.geometry_, known, n)


def _add_functions(bases, label_idx, found, scores, constant):
    """The function of a fitted model from coordinates, and scores of all rows."""
    parts = [
        bases[name].to_function(label_idx, c, scores[name]) for name, c in found.items()
    ]
    return FunctionSum(tuple(parts), constant)


def _check_count(n, who):
    """Raise unless a number of rows or labels is one."""
    if not isinstance(n, Integral) or isinstance(n, bool) or n < 1:
        raise ValueError(f"n of {who} must be a whole number >= 1, got {n!r}.")

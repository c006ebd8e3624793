"""Closed-form models in spectra that are computed once for all rows."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_consistent_length

from widemargin.estimators._estimator import Method, read_rows, values_at
from widemargin.estimators._spectral import SpectralModel
from widemargin.estimators.interaction import Explanation, explain_rows
from widemargin.labels import known_names, labeled_mask
from widemargin.linalg.random import as_generator
from widemargin.sample import collect_sample
from widemargin.solvers.active_learning import Suggestions, suggest_rows_from_geometry
from widemargin.solvers.closed_form import label_functions


@dataclass(kw_only=True, eq=False, repr=False)
class SpectralClassifier(SpectralModel):
    r"""Average of closed-form models over eigenvectors of all rows.

    Every model is Gaussian-process regression on the labels with its own prior
    covariance. The covariances are written in eigenvectors that are computed once from
    all rows, so that the cost of a model depends only on the number of labels.
    Leave-one-out scores of the labels, which are exact, and the class shares of the
    predictions set the weights of the models.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        As in `LaplacianSVC`, except "precomputed".
    graph : "knn" or Graph, default="knn"
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
        Name of each model of `average_`.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Class probabilities of the training rows; NaN for rows of weight zero.
    function_ : FunctionSum
        The fitted function: a part for each basis.
    geometry_ : SpectralGeometry
        Rows, eigenvectors and kernel values, which `update` uses again. Each row takes
        the memory of its features, of about 600 numbers, and of its kernel values with
        the labels for five widths. Model files leave this out.
    classes_, calibration_, transduction_, held_out_proba_, average_, has_own_graph_
        See :class:`~widemargin.estimators.Classifier`.

    Notes
    -----
    A model has scores of covariance K with noise :math:`\sigma^2` and targets of -1 and
    +1 for each class; leave-one-out scores have a closed form. The families are

    ========  =================================================================
    labels    K is the kernel, with five widths; unlabeled rows are not used
    graph     :math:`K = s \sum_j (\epsilon / (\epsilon + \lambda_j))^p u_j
              u_j^\top + (1 - s) k` over the eigenvectors of the normalized
              graph Laplacian, p = 1, 2, 3 and s = 1, 0.9, 0.5
    spectrum  :math:`K = \sum_j \mu_j^q v_j v_j^\top` over the principal
              components of the rows and of the kernel, q = 1, 2, 4, 8
    ========  =================================================================

    each with four noise variances from 0.01 to 10, with and without a constant, and
    scaled to a mean variance of one. The prior of a family is shared by its members;
    the graph has a larger one as long as classes have a single label, which cannot be
    held out. The class shares that a model predicts for 200 unlabeled rows count as up
    to five additional held-out labels. They count less if the labels suggest that
    classes differ in size, and not at all if there are equally many labels of each
    class or if some labels were chosen. With a single label of each class, classes of
    equal size are assumed: shares count, the constant makes the mean score of all rows
    that of the labels, and of the graph only p = 2, 3 and s = 1, 0.9 count. The average
    is that of the calibrated scores, so that it is one function.

    New rows are compared with the labels, with landmarks, and with their nearest
    training rows, whose graph scores are averaged. Time is that of nearest neighbors
    and eigenvectors, then O(n_labeled^3 + n_samples n_components n_classes); `update`
    takes the second part only. Eigenvectors depend only on the distinct rows of
    positive weight.

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

    methods = (
        Method("spectral", "closed-form models over all rows; good with few labels"),
        Method(
            "supervised",
            "labeled rows only, by an average of kernel models",
            needs_unlabeled=False,
            parameters=(("families", "labels"),),
        ),
    )

    def _fit_labels(self, sample):
        return self._fit_start(sample)

    def suggest(
        self, n: int = 10, *, certainty: ArrayLike | None = None
    ) -> Suggestions:
        """Rows whose labels would help the most.

        The first ten labels are for rows in the middle of clusters. Later ones are for
        rows that lower the posterior variance of uncertain rows the most, and every
        fifth is for a row that is drawn at random. Label them, and call `update`.

        Parameters
        ----------
        n : int, default=10
            Number of rows; fewer if fewer are unlabeled.
        certainty : ndarray of shape (n_samples,), optional
            Probability of the predicted class of each training row by a model that you
            use together with this one.

        Returns
        -------
        Suggestions
            Their positions in X as `rows`, `is_check` for random ones, and `reason`.
        """
        geometry = self._read_geometry("suggest")
        _check_count(n, "suggest")
        if certainty is None:
            certainty = self.label_distributions_.max(axis=1)
        known = geometry.sample.labeled
        return suggest_rows_from_geometry(geometry, known, n, self.average_, certainty)

    def explain(
        self, X: Any, n: int = 5, *, classes: ArrayLike | None = None
    ) -> Explanation:
        """The labels that contribute most to each prediction, with their amounts.

        Scores are linear in the targets of the labels. For the predicted class against
        the second best one, a label of either contributes an amount to the margin, half
        of the difference of both scores; all amounts together are the margin.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        n : int, default=5
            Number of labels per row, those with the largest absolute amounts.
        classes : array-like of shape (n_rows,), optional
            Classes to explain, in place of the predicted ones.

        Returns
        -------
        Explanation
        """
        geometry = self._read_geometry("explain")
        _check_count(n, "explain")
        rows = read_rows(self, X, reset=False)
        codes = None if classes is None else self._codes_to_explain(classes, len(rows))
        labeled = geometry.thin_labels(geometry.sample)
        found, constant = label_functions(
            geometry.covariances, geometry.bases, labeled, self.average_
        )
        targets = np.eye(labeled.n_labels)
        function, _ = geometry.add_up(labeled, found, constant, targets)
        return explain_rows(values_at(function, rows), labeled, n, codes)

    def _codes_to_explain(self, classes, n_rows):
        """Positions in `classes_` of a class for each row."""
        classes = np.asarray(classes)
        if classes.shape != (n_rows,):
            raise ValueError(
                f"classes of explain must have one class for each of the {n_rows:,} "
                f"rows of X, got shape {classes.shape}."
            )
        if len(unknown := np.setdiff1d(classes, self.classes_)):
            raise ValueError(
                f"classes of explain must be among {self.classes_.tolist()}, got "
                f"{unknown[0]!r}."
            )
        return np.searchsorted(self.classes_, classes)


def suggest_rows(
    X: Any, y: Any = None, n: int = 10, random_state: Any = None
) -> Suggestions:
    """Rows of X whose labels would help the most; X may have no labels at all.

    With labels of two classes these are the suggestions of a `SpectralClassifier`, and
    otherwise rows in the middle of clusters without a label. To label rows step by
    step, keep a model: its `update` and `suggest` do not compute eigenvectors again.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,), optional
        Labels, with -1, NaN or None for unlabeled rows.
    n : int, default=10
        Number of rows; fewer if fewer are unlabeled.
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
    return suggest_rows_from_geometry(model.geometry_, known, n)


def _check_count(n, who):
    """Raise unless a number of rows or labels is one."""
    if not isinstance(n, Integral) or isinstance(n, bool) or n < 1:
        raise ValueError(f"n of {who} must be a whole number >= 1, got {n!r}.")

"""The classifier to reach for first: weighs the others by few labels."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from widemargin.estimators._candidates import (
    BUDGETS,
    NAMES,
    class_probabilities,
    deal_labels,
    fit_candidate,
    list_candidates,
)
from widemargin.estimators._checks import check_choice
from widemargin.estimators._kernel_machine import FLOATS
from widemargin.estimators.few_label_report import write_report
from widemargin.kernels import Rbf
from widemargin.kernels.blocks import row_blocks
from widemargin.labels import read_labels
from widemargin.linalg.random import as_generator
from widemargin.solvers.candidate_weights import estimate_error, weigh_candidates
from widemargin.solvers.label_next import choose_rows, information

_SUPERVISED_PRIOR = 2.0  # what the labels alone count before they are asked; others 1
_NEGLIGIBLE = 1e-3  # weight of a candidate that is not asked for predictions
_N_NEXT = 10  # rows that are proposed for labelling
_NEXT_ROWS = 2000  # of the largest value, among which they are chosen


class FewLabelClassifier(ClassifierMixin, BaseEstimator):
    r"""Weighs a supervised machine and semi-supervised ones by few labels.

    The classifier to reach for first. Unlabeled rows help where classes follow clusters
    or neighborhoods, and harm where they do not; which of it holds is not known
    beforehand. This one fits machines that bet on different things, asks each about
    labels that it did not see, and averages their probabilities accordingly. Print
    ``report_`` to see what was found.

    Parameters
    ----------
    candidates : "auto", list of str or dict, default="auto"
        What to weigh besides the supervised machine: those of the `budget`, some of
        them by name (see Notes), or your own classifiers as ``{name: estimator}``,
        which take partly labeled targets and have `predict_proba`.
    budget : {"fast", "balanced", "thorough"}, default="fast"
        How many candidates are fitted, and on how many rows, see Notes.
    n_jobs : int or None, default=None
        Candidates that are fitted at a time, as in scikit-learn. The result is the
        same.
    random_state : int, RandomState, Generator or None, default=None
        For the rows and folds that are drawn, and for the candidates. Pass a number for
        results that can be repeated.
    verbose : bool, default=False
        Whether to print a line for each candidate.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class names.
    transduction_ : ndarray of shape (n_samples,)
        Labels of all training samples: the given ones, the others inferred.
    report_ : FewLabelReport
        What was tried and how far it counts, the estimated error, and the rows whose
        label would tell the most.
    models_ : list of classifiers
        The fitted candidates, the supervised machine first. Their classes are codes:
        positions in ``classes_``.
    names_ : list of str
        Their names.
    weights_ : ndarray of shape (n_candidates,)
        How far each counts.
    held_out_proba_ : ndarray of shape (n_labeled, n_classes)
        Class probabilities of each labeled sample by machines and weights that did not
        see its label; NaN for the only label of a class.

    Notes
    -----
    The supervised machine is `RidgeAverageClassifier`. In this order, the "fast" budget
    adds the first five of the others, "balanced" the first seven, "thorough" all:
    "laplacian", "transductive", "label-search", "transductive, width by labels",
    "label-search, width by labels", "self-labeling", "laplacian, width by labels",
    "laplacian of power 1", "tri-class". "Width by labels" takes the kernel width that
    the supervised machine prefers. Of more than 2,000 rows ("fast"; 5,000 and 10,000),
    or 5,000 for Laplacian machines (8,000 and 10,000), each is fitted on the labeled
    ones and a sample of the others.

    The weight of a candidate is proportional to its prior, 2 for the supervised machine
    and 1 for the others, times exp(-loss / 2), the loss being the sum over held-out
    labels of minus the logarithm of their probability, each at most 3.9: left out one
    by one in closed form (supervised, Laplacian), or in five folds. See
    :doc:`/guide/few_labels` for why this rule, where it is safe and where it is not.

    The estimated error is that of held-out labels under weights that do not know them.
    It holds for rows like the labeled ones.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from widemargin import FewLabelClassifier
    >>> from widemargin.datasets import hide_labels
    >>> X, y = load_digits(return_X_y=True)
    >>> X, y = X[:600], y[:600]
    >>> y_partial = hide_labels(y, 30, rng=0)  # -1 for all but 30 rows
    >>> model = FewLabelClassifier(random_state=0).fit(X, y_partial)
    >>> bool(model.score(X, y) > 0.85)
    True
    >>> len(model.report_.label_next)
    10
    """

    def __init__(
        self,
        candidates="auto",
        *,
        budget="fast",
        n_jobs=None,
        random_state=None,
        verbose=False,
    ):
        self.candidates = candidates
        self.budget = budget
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X, y):
        """Fit on labeled and unlabeled samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All samples.
        y : array-like of shape (n_samples,)
            Labels of any type. Integer -1, NaN or None marks an unlabeled sample.

        Returns
        -------
        self

        Notes
        -----
        An interrupt (Ctrl-C) leaves a model of the candidates that were fitted so far,
        and is then passed on.
        """
        self._check_parameters()
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS)
        if y is not None:
            check_consistent_length(X, y)
        labels = read_labels(y)  # what is known
        rng = as_generator(self.random_state)
        fitted, interrupt = self._fit_candidates(X, labels, rng)
        prior = np.ones(len(fitted))
        prior[0] = _SUPERVISED_PRIOR
        evidence = weigh_candidates(
            np.array([part.held_out for part in fitted]), labels.codes, prior
        )
        self.classes_, self.weights_ = labels.classes, evidence.weights
        self.held_out_proba_ = evidence.held_out
        self.models_ = [part.model for part in fitted]
        self.names_ = [part.name for part in fitted]
        self._infer(X, labels, fitted, evidence)
        if interrupt is not None:
            raise interrupt
        return self

    def _fit_candidates(self, X, labels, rng):
        """All candidates, and the interrupt that ended it early or None."""
        order = rng.permutation(np.flatnonzero(~labels.labeled))
        folds = deal_labels(X, labels, rng)
        first, *others = list_candidates(self.candidates, self.budget)
        seeds = rng.integers(2**31, size=1 + len(others)).tolist()
        given = (X, labels, order, folds)
        fitted, interrupt = [fit_candidate(first, *given, seeds[0])], None
        self._say(fitted[0], labels)
        gamma = fitted[0].model.gamma_
        if not len(order):  # nothing that other machines could learn from
            return fitted, None
        jobs = Parallel(n_jobs=self.n_jobs, return_as="generator")
        tasks = (
            delayed(fit_candidate)(candidate, *given, seed, gamma)
            for candidate, seed in zip(others, seeds[1:], strict=True)
        )
        try:
            for part in jobs(tasks):
                fitted.append(part)
                self._say(part, labels)
        except KeyboardInterrupt as error:
            interrupt = error
        return fitted, interrupt

    def _infer(self, X, labels, fitted, evidence):
        """Labels of the unlabeled rows, and the report."""
        unlabeled, codes = np.flatnonzero(~labels.labeled), labels.coded()
        own = np.empty((len(fitted), len(unlabeled)), dtype=np.intp)
        value, shares = np.empty(len(unlabeled)), self._shares()
        for block in self._blocks(len(unlabeled)):
            rows = X[unlabeled[block]]
            probabilities = np.array(
                [class_probabilities(m, rows, labels.n_classes) for m in self.models_]
            )
            mixture = np.tensordot(shares, probabilities, axes=1)
            own[:, block] = probabilities.argmax(axis=2)
            codes[unlabeled[block]] = mixture.argmax(axis=1)
            value[block] = information(probabilities, shares)
        self.transduction_ = labels.classes[codes]
        self.report_ = write_report(
            fitted,
            evidence,
            estimate_error(evidence.held_out, labels.codes),
            own,
            codes[unlabeled],
            self._next(X, unlabeled, value),
        )

    def _next(self, X, unlabeled, value):
        """Unlabeled rows whose label would tell the most, unlike each other."""
        best = np.argsort(-value, kind="stable")[:_NEXT_ROWS]
        rows, kernel = X[unlabeled[best]], Rbf(self.models_[0].gamma_)
        chosen = choose_rows(
            value[best], lambda i: kernel(rows, rows[[i]])[:, 0], _N_NEXT
        )
        return unlabeled[best[chosen]]

    def _check_parameters(self):
        check_choice(self, "budget", BUDGETS)
        candidates, name = self.candidates, type(self).__name__
        if isinstance(candidates, dict):
            for key, estimator in candidates.items():
                if not (isinstance(key, str) and hasattr(estimator, "predict_proba")):
                    raise ValueError(
                        f"candidates of {name} must be classifiers with predict_proba "
                        f"under a name each, got {key!r}: {estimator!r}."
                    )
        elif isinstance(candidates, str):
            check_choice(self, "candidates", ("auto",), "or a list of names or a dict")
        else:
            unknown = [c for c in np.atleast_1d(candidates).tolist() if c not in NAMES]
            if unknown:
                raise ValueError(
                    f"candidates of {name} must be some of {list(NAMES)}, got "
                    f"{unknown!r}."
                )

    def _say(self, part, labels):
        """Print a line of progress if the user asked for it."""
        if self.verbose:
            asked = np.isfinite(part.held_out).all(axis=1)
            wrong = part.held_out[asked].argmax(axis=1) != labels.codes[asked]
            print(
                f"{type(self).__name__}: {part.name}, {wrong.sum()} of {len(wrong)} "
                f"held-out labels wrong, {part.seconds:.1f} s",
                flush=True,
            )

    def _shares(self):
        """Weights of the candidates that are asked."""
        shares = np.where(self.weights_ > _NEGLIGIBLE, self.weights_, 0.0)
        return shares / shares.sum()

    def _blocks(self, n_rows):
        width = len(self.models_) * len(self.classes_)
        return row_blocks(n_rows, width, 8)

    def predict_proba(self, X):
        """Class probabilities, shape (n_samples, n_classes).

        The weighted mean of the candidates' probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self, "models_")
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        shares, n_classes = self._shares(), len(self.classes_)
        return sum(
            share * class_probabilities(model, X, n_classes)
            for share, model in zip(shares, self.models_, strict=True)
            if share > 0
        )

    def predict_log_proba(self, X):
        """Logarithms of the class probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X):
        """Log odds of the second of two classes, or logarithms of all probabilities."""
        tiny = np.finfo(np.float64).tiny
        logs = np.log(np.maximum(self.predict_proba(X), tiny))
        return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs

    def predict(self, X):
        """Class of each sample, as in ``classes_``."""
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

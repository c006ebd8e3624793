"""The classifier to reach for first: weighs the others by few labels."""

import numbers
from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    has_fit_parameter,
    validate_data,
)

from widemargin.estimators._candidates import (
    BUDGETS,
    NAMES,
    SUPERVISED,
    class_probabilities,
    fit_candidate,
    list_candidates,
)
from widemargin.estimators._checks import (
    check_choice,
    check_sample_weight,
    check_squares,
)
from widemargin.estimators._estimator import Method
from widemargin.estimators._few_label_inference import infer
from widemargin.estimators._few_label_sample import FewLabelSample
from widemargin.estimators._kernel_machine import FLOATS
from widemargin.estimators.few_label_report import FewLabelReport, write_report
from widemargin.labels import read_labels
from widemargin.linalg.random import as_generator
from widemargin.solvers.candidate_weights import estimate_error, weigh_candidates
from widemargin.stored import is_finite, require

_SUPERVISED_PRIOR = 2.0  # what the labels alone count before they are asked; others 1
_NEGLIGIBLE = 1e-3  # weight of a candidate that is not asked for predictions


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
        which take partly labeled targets and have `predict_proba`. They are given
        arrays, without names of columns, classes as codes, and `sample_weight` if you
        pass it, which their `fit` must then have.
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
        Labels of all training samples: the given ones, the others inferred, also
        those of weight zero.
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
        Class probabilities of each labeled sample by machines that did not see its
        label, weighed without it; NaN for the only label of a class.

    Notes
    -----
    The supervised machine is `RidgeAverageClassifier`. In this order, the "fast" budget
    adds the first five of the others, "balanced" the first seven, "thorough" all:
    "laplacian", "transductive", "label-search", "transductive, width by labels",
    "label-search, width by labels", "self-labeling", "laplacian, width by labels",
    "laplacian of power 1", "tri-class". "Width by labels" takes the kernel width that
    the supervised machine prefers. Of more than 2,000 rows ("fast"; 5,000 and 10,000),
    or 5,000 for Laplacian machines (8,000 and 10,000), each is fitted on the labeled
    ones, or so many of them that they are half of the rows, and a sample of the others.
    Copies of a labeled row with the same label are one label.

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

    def fit(self, X, y, sample_weight=None):
        """Fit on labeled and unlabeled samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All samples.
        y : array-like of shape (n_samples,)
            Labels of any type. Integer -1, NaN or None marks an unlabeled sample.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each sample in every candidate, see there what weights of
            unlabeled samples mean. A label of a weight below one counts so much less
            when candidates are weighed and in the estimated error, too: a label that
            you trust half may have 0.5. If all labels have less than one, the ratios
            count. Samples of weight zero are left out altogether.

        Returns
        -------
        self

        Notes
        -----
        An interrupt (Ctrl-C) leaves a model of the candidates that were fitted so far,
        and is then passed on.
        """
        self._check_parameters(is_weighted=sample_weight is not None)
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS)
        if y is not None:
            check_consistent_length(X, y)
        check_squares(self, X)
        weights = check_sample_weight(self, sample_weight, X.shape[0])
        used = np.flatnonzero(weights)
        labels = read_labels(y, weights > 0)  # what is known
        rng = as_generator(self.random_state)
        listed = list_candidates(self.candidates, self.budget)
        seeds = rng.integers(2**31, size=len(listed)).tolist()
        sample = FewLabelSample.draw(
            X if len(used) == len(weights) else X[used],
            labels,
            rng,
            None if sample_weight is None else weights[used],
        )
        fitted, interrupt = self._fit_candidates(listed, sample, seeds)
        prior = np.ones(len(fitted))
        prior[0] = _SUPERVISED_PRIOR
        held_out = np.array([part.held_out for part in fitted])
        evidence = weigh_candidates(held_out, labels.codes, prior, sample.label_weights)
        self.classes_, self.weights_ = labels.classes, evidence.weights
        self.held_out_proba_ = evidence.held_out
        self.models_ = [part.model for part in fitted]
        self.names_ = [part.name for part in fitted]
        self._say(f"asks the candidates about {len(sample.unlabeled)} rows")
        inference = infer(
            self.models_,
            self._shares(),
            sample.X,
            sample.unlabeled,
            labels.n_classes,
            self.models_[0].gamma_,
        )
        self.transduction_ = self._transduce(X, weights, sample, inference.codes)
        skipped = [c.name for c in listed[len(fitted) :]] if interrupt else ()
        self.report_ = write_report(
            fitted,
            evidence,
            estimate_error(evidence.held_out, labels.codes, sample.label_weights),
            sample,
            replace(inference, label_next=used[inference.label_next]),
            prior,
            skipped,
        )
        if interrupt is not None:
            raise interrupt
        return self

    def _fit_candidates(self, listed, sample, seeds):
        """The fitted candidates, and the interrupt that ended it early or None."""
        fitted, interrupt = [fit_candidate(listed[0], sample, seeds[0])], None
        self._tell(fitted[0], sample.labels)
        gamma = float(f"{fitted[0].model.gamma_:.4g}")  # no rounding errors
        if not len(sample.unlabeled):  # nothing that other machines could learn from
            return fitted, None
        jobs = Parallel(n_jobs=self.n_jobs, return_as="generator")
        tasks = (
            delayed(fit_candidate)(candidate, sample, seed, gamma)
            for candidate, seed in zip(listed[1:], seeds[1:], strict=True)
        )
        try:
            for part in jobs(tasks):
                fitted.append(part)
                self._tell(part, sample.labels)
        except KeyboardInterrupt as error:
            interrupt = error
        return fitted, interrupt

    def _transduce(self, X, weights, sample, inferred):
        """Labels of all given rows; those of weight zero are predicted."""
        codes = np.empty(len(weights), dtype=np.intp)
        of_used = sample.labels.coded()
        of_used[sample.unlabeled] = inferred
        codes[weights > 0] = of_used
        left_out = np.flatnonzero(weights == 0)
        if len(left_out):
            codes[left_out] = self._mix(X[left_out]).argmax(axis=1)
        return self.classes_[codes]

    def _check_parameters(self, *, is_weighted):
        check_choice(self, "budget", BUDGETS)
        name, n_jobs = type(self).__name__, self.n_jobs
        if n_jobs is not None and not (isinstance(n_jobs, numbers.Integral) and n_jobs):
            raise ValueError(
                f"n_jobs of {name} must be None or a whole number other than 0, got "
                f"{n_jobs!r}."
            )
        if isinstance(self.candidates, dict):
            self._check_own_candidates(is_weighted=is_weighted)
        elif isinstance(self.candidates, str):
            check_choice(self, "candidates", ("auto",), "or a list of names or a dict")
        else:
            names = [str(c) for c in np.atleast_1d(self.candidates).tolist()]
            if not set(names) <= set(NAMES) or len(set(names)) < len(names):
                raise ValueError(
                    f"candidates of {name} must be a list of some of {list(NAMES)}, "
                    f"each once, got {self.candidates!r}."
                )

    def _check_own_candidates(self, *, is_weighted):
        for name, estimator in self.candidates.items():
            is_valid = isinstance(name, str) and hasattr(estimator, "predict_proba")
            if not is_valid or name == SUPERVISED:
                raise ValueError(
                    f"candidates of {type(self).__name__} must be classifiers with "
                    f"predict_proba under a name other than {SUPERVISED!r} each, got "
                    f"{name!r}: {estimator!r}."
                )
            if is_weighted and not has_fit_parameter(estimator, "sample_weight"):
                raise ValueError(
                    f"candidate {name!r} of {type(self).__name__}, a "
                    f"{type(estimator).__name__}, has no sample_weight in its fit; "
                    "leave it out, or fit without weights."
                )

    def _say(self, message):
        """Print a line of progress if the user asked for it."""
        if self.verbose:
            print(f"{type(self).__name__}: {message}", flush=True)

    def _tell(self, part, labels):
        """Say how a candidate did."""
        asked = np.isfinite(part.held_out).all(axis=1)
        wrong = part.held_out[asked].argmax(axis=1) != labels.codes[asked]
        self._say(
            f"{part.name}, {wrong.sum()} of {len(wrong)} held-out labels wrong, "
            f"{part.seconds:.1f} s"
        )

    def _shares(self):
        """Weights of the candidates that are asked."""
        shares = np.where(self.weights_ > _NEGLIGIBLE, self.weights_, 0.0)
        return shares / shares.sum()

    def predict_proba(self, X):
        """Class probabilities, shape (n_samples, n_classes).

        The weighted mean of the candidates' probabilities.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self, "models_")
        return self._mix(
            validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        )

    def _mix(self, X):
        """Mean of the candidates' probabilities by weight."""
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

    saved_state = ("classes_", "names_", "weights_", "models_", "report_")
    methods = (
        Method(
            "auto",
            "weights the others by held-out labels; start here",
            needs_unlabeled=False,
            n_folds=0,
        ),
    )

    def check_state(self):
        """Raise ValueError unless weights, names, models and report fit each other."""
        super().check_state()
        n_models = len(self.models_)
        require(isinstance(self.models_, list) and n_models > 0, self, "models_")
        names = self.names_
        fits = isinstance(names, list) and all(isinstance(name, str) for name in names)
        require(fits and len(names) == n_models, self, "names_")
        weights = self.weights_
        fits = is_finite(weights, 1) and len(weights) == n_models
        fits = fits and bool((weights >= 0).all()) and abs(weights.sum() - 1) < 1e-6
        require(fits, self, "weights_")
        classes = self.classes_
        fits = isinstance(classes, np.ndarray) and classes.ndim == 1
        fits = fits and classes.dtype.kind in "biufUO" and len(classes) > 1
        require(fits, self, "classes_")
        for model in self.models_:
            self._check_codes(model)
        fits = isinstance(self.report_, FewLabelReport)
        fits = fits and len(self.report_.candidates) == n_models
        require(fits, self, "report_")

    def _check_codes(self, model):
        """Raise unless a model predicts some of the classes, by their codes."""
        is_single = hasattr(model, "classes_") and not hasattr(model, "models_")
        require(is_single, self, "models_")
        fits = model.n_features_in_ == self.n_features_in_
        require(fits, model, "n_features_in_")
        codes = model.classes_
        fits = isinstance(codes, np.ndarray) and codes.ndim == 1
        fits = fits and codes.dtype.kind == "i" and len(codes) > 1
        fits = fits and bool((np.diff(codes) > 0).all())  # each once
        fits = fits and codes[0] >= 0 and codes[-1] < len(self.classes_)
        require(fits, model, "classes_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

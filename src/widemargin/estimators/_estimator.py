"""What all estimators share: parameters that are values, and declared state."""

import warnings
from dataclasses import dataclass

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from widemargin.checks import check_number, check_number_or, refuse
from widemargin.estimators._checks import (
    check_gram,
    check_sample_weight,
    check_squares,
    class_weights,
)
from widemargin.graphs import Graph
from widemargin.kernels import Kernel, Landmarks, Nystrom, Precomputed, read_kernel
from widemargin.labels import decide, read_labels
from widemargin.sample import as_rows, collect_sample
from widemargin.solvers.result import Status
from widemargin.stored import Stored, check_part, parts_in, require
from widemargin.values import Value

FLOATS = (np.float64, np.float32)


# Titles in `history_names` of solvers that relabel rows round by round
RELABELING = {"criterion": "share of decisions\nthat changed"}


@dataclass(frozen=True)
class Method:
    """An estimator as the command line offers it.

    Attributes
    ----------
    name : str
        What the user types after ``--method``.
    summary : str
        What it is good for, in half a line.
    needs_unlabeled : bool
        Whether it makes no sense on rows that are all labeled.
    n_folds : int
        Folds of an error estimate, unless the user says otherwise; 0 for an estimator
        that holds out labels anyway.
    parameters : tuple of pairs
        Parameters that differ from the estimator's defaults.
    task : {"classify", "cluster"}
        The command that offers it: ``widemargin fit`` or ``widemargin cluster``.

    Notes
    -----
    Help pages read the declarations of the library's own estimators from their source,
    without importing it: write all arguments as literals.
    """

    name: str
    summary: str
    needs_unlabeled: bool = True
    n_folds: int = 5
    parameters: tuple = ()
    task: str = "classify"


class Estimator(BaseEstimator):
    """A scikit-learn estimator whose parameters may be values.

    A subclass declares, once, what the rest of the library may know of it.

    Attributes
    ----------
    value_families : dict of str to Value
        The family of each parameter that may be a value or its shorthand.
    saved_state : tuple of str
        Fitted attributes that prediction needs and a model file keeps, in addition to
        ``n_features_in_``, ``feature_names_in_`` and ``n_iter_``. They are arrays,
        plain values, `Stored` parts, values and fitted estimators, also in lists,
        tuples and dicts. Attributes with an entry for each training row are not among
        them.
    methods : tuple of Method
        Names under which the command line offers it.
    history_names : dict of str to str
        Titles of the quantities in ``result_.history`` that plots show. A title that
        begins with "share" belongs to a number between 0 and 1.
    step_name : str
        What an entry of the history stands for.
    averaged : str or None
        The fitted attribute that names the models of ``average_``, an entry for each:
        ``"unlabeled_weights_"``, for example.
    """

    value_families = {"kernel": Kernel, "graph": Graph, "landmarks": Landmarks}
    saved_state = ()
    methods = ()
    history_names = {
        "objective": "objective",
        "criterion": "criterion",
        "gradient_norm": "gradient norm",
        "decision_change": "share of decisions\nthat changed",
    }
    step_name = "iteration"
    averaged = None

    def set_params(self, **params):
        """Set parameters, also of values: ``set_params(kernel__gamma=0.5)``.

        A value is frozen, so that a copy with the new parameter takes its place; a
        shorthand is replaced by the value that it stands for.
        """
        inner, own = {}, {}
        for key, given in params.items():
            name, separator, rest = key.partition("__")
            if separator and name in self.value_families:
                inner.setdefault(name, {})[rest] = given
            else:
                own[key] = given
        super().set_params(**own)
        for name, changes in inner.items():
            value, who = getattr(self, name), f"{name} of {type(self).__name__}"
            if not isinstance(value, Value):
                value = self.value_families[name].read(value, who)
            if not isinstance(value, Value):
                raise ValueError(
                    f"{who} is {value!r}, which has no parameter "
                    f"{', '.join(map(repr, changes))}; set {name} to a value first."
                )
            setattr(self, name, value.with_params(**changes))
        return self

    def check_state(self):
        """Raise ValueError unless the fitted parts fit each other.

        Model files call it for a model that they read. The parts check themselves, and
        a subclass adds what only it can know.
        """
        n_features = getattr(self, "n_features_in_", None)
        is_count = type(n_features) is int and n_features > 0
        require(is_count, self, "n_features_in_")
        state = [getattr(self, name, None) for name in self.saved_state]
        for part in parts_in(state, (Stored, Estimator)):
            if isinstance(part, Estimator):
                part.check_state()
            else:
                check_part(part, n_features)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = is_pairwise(self)
        return tags


def all_estimators(family=Estimator):
    """Every class below `Estimator`, those of plug-ins included."""
    for cls in family.__subclasses__():
        yield cls
        yield from all_estimators(cls)


def is_pairwise(estimator):
    """Whether an estimator is given Gram matrices instead of rows."""
    kernel = getattr(estimator, "kernel", None)
    if isinstance(kernel, str):
        return kernel == "precomputed"
    return isinstance(kernel, Precomputed)


class Classifier(ClassifierMixin, Estimator):
    """Classes and probabilities from the scores of a fitted function.

    A fitted one has ``classes_``, ``function_`` and ``calibration_``.
    """

    saved_state = ("classes_", "function_", "calibration_", "average_", "result_")

    def check_state(self):
        """Raise ValueError unless classes, function and calibration fit each other."""
        super().check_state()
        classes = getattr(self, "classes_", None)
        fits = isinstance(classes, np.ndarray) and classes.dtype.kind in "biufUO"
        require(fits and classes.ndim == 1 and len(classes) > 1, self, "classes_")
        n_columns = len(classes) if len(classes) > 2 else 1
        is_function = isinstance(getattr(self, "function_", None), Stored)
        fits = is_function and self.function_.n_columns in (n_columns, len(classes))
        require(fits, self, "function_")
        is_part = isinstance(getattr(self, "calibration_", None), Stored)
        require(is_part, self, "calibration_")

    def decision_function(self, X):
        """Scores of new rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With a precomputed kernel, kernel values against all training rows.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, positive for ``classes_[1]``,
        else (n_samples, n_classes).
        """
        scores = evaluate(self, X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X):
        """Class of each row, as in ``classes_``."""
        codes = decide(evaluate(self, X))
        return self.classes_[codes]

    def predict_proba(self, X):
        """Class probabilities, shape (n_samples, n_classes).

        A softmax of the scores times ``calibration_.slope``. The most probable class
        is always the predicted one.
        """
        scores = evaluate(self, X)  # first: it checks that there is a fitted model
        return self.calibration_.probabilities(scores)

    def predict_log_proba(self, X):
        """Logarithms of the class probabilities."""
        scores = evaluate(self, X)
        return self.calibration_.log_probabilities(scores)


def evaluate(estimator, X):
    """Scores of new rows by the fitted function, (n_samples, n_columns)."""
    check_is_fitted(estimator, "function_")
    X = validate_data(estimator, X, accept_sparse="csr", dtype=FLOATS, reset=False)
    return estimator.function_(X)


def read_rows(estimator, X, kernel=None):
    """The rows that a user gave, checked: features, or a Gram matrix."""
    pairwise = isinstance(kernel, Precomputed)
    X = validate_data(
        estimator, X, accept_sparse=False if pairwise else "csr", dtype=FLOATS
    )
    if pairwise:
        check_gram(estimator, X)
    else:
        check_squares(estimator, X)
    return as_rows(X, pairwise=pairwise)


def read_sample(
    estimator, X, y, sample_weight, kernel, *, merge="labeled", irrelevant=None
):
    """The training sample: what the user passed to `fit`, checked and put together."""
    rows = read_rows(estimator, X, kernel)
    if y is not None:
        check_consistent_length(rows, y)
    weights = check_sample_weight(estimator, sample_weight, len(rows))
    if getattr(estimator, "class_weight", None) is not None:
        labels, used_idx = read_labels(y, weights > 0), np.flatnonzero(weights)
        weights[used_idx[labels.labeled]] *= class_weights(estimator, labels)
    if irrelevant is None and y is None:
        read_labels(y)  # raises: there is nothing to learn from
    return collect_sample(rows, y, weights, irrelevant, merge=merge)


def read_parameter(estimator, name):
    """A parameter as a value of its family, for a value, a shorthand or a kernel.

    None, and "auto" where the family has no such shorthand, are returned as they are.
    """
    given, who = getattr(estimator, name), f"{name} of {type(estimator).__name__}"
    if name == "kernel":
        return read_kernel(given, who)
    return estimator.value_families[name].read(given, who)


def read_landmarks(estimator):
    """The parameter `landmarks`: "auto", None, or so many landmarks as a value."""
    given = estimator.landmarks
    if isinstance(given, Landmarks):
        return given
    check_number_or(estimator, "landmarks", ("auto", None), low=1, integer=True)
    return given if given is None or given == "auto" else Nystrom(int(given))


def read_jobs(estimator):
    """Number of threads that the parameter `n_jobs` stands for."""
    if estimator.n_jobs is not None:
        check_number(estimator, "n_jobs", integer=True)
        if estimator.n_jobs == 0:
            refuse(
                estimator,
                "n_jobs",
                "None, a number of threads, or -1 for all processors",
            )
    return effective_n_jobs(estimator.n_jobs)


def copy_features(source, target):
    """Give a model what another one was told about the columns of X."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(source, name):
            setattr(target, name, getattr(source, name))


def transduce(estimator, sample, codes):
    """Class names of all given rows: given, inferred, or predicted if left out."""
    missing, missing_codes = sample.missing_idx, ()
    if len(missing):
        missing_codes = decide(estimator.function_(sample.given.X[missing]))
    return sample.transduce(codes, missing_codes)


def store_result(estimator, result):
    """Set ``result_`` and ``n_iter_``; warn once if the solver did not succeed.

    An interrupt is passed on from here: the model is usable, but a loop around it ends.
    """
    estimator.result_ = result
    estimator.n_iter_ = max(1, result.n_iter)
    if result.status.is_success:
        return
    criterion = result.history.get("criterion") or [np.nan]
    plural = "" if result.n_iter == 1 else "s"
    warnings.warn(
        f"{type(estimator).__name__} after {result.n_iter} iteration{plural}: "
        f"{result.status.value} (criterion {max(criterion[-1:]):.1e}).",
        ConvergenceWarning,
        stacklevel=3,
    )
    if result.status is Status.INTERRUPTED:
        raise KeyboardInterrupt


@dataclass(frozen=True)
class Progress:
    """Lines of progress, if the user asked for them.

    Attributes
    ----------
    who : str
        Name of the estimator.
    verbose : bool
    """

    who: str
    verbose: bool

    @classmethod
    def of(cls, estimator):
        """The progress of an estimator with a parameter `verbose`."""
        return cls(type(estimator).__name__, bool(estimator.verbose))

    def say(self, message):
        """Print a line."""
        if self.verbose:
            print(f"{self.who}: {message}", flush=True)

    def every(self, n_iterations):
        """A solver's callback that prints every so many iterations, or None."""
        if not self.verbose:
            return None

        def report(iteration, history):
            if iteration % n_iterations == 0:
                line = (
                    f"iteration {iteration}: objective {history['objective'][-1]:.6g}"
                )
                changes = history.get("decision_change")
                if changes:
                    line += f", {100 * changes[-1]:.2f} % of decisions changed"
                self.say(f"{line}, criterion {history['criterion'][-1]:.1e}")

        return report

    def searches(self):
        """A callback that prints a line for each search, or None."""
        if not self.verbose:
            return None

        def report(n_done, history):
            speed = history["moves"][-1] / max(history["seconds"][-1], 1e-9)
            self.say(
                f"search {n_done}: objective {history['found'][-1]:.6g}, best "
                f"{history['objective'][-1]:.6g}, {speed:,.0f} moves per second"
            )

        return report

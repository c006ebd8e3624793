"""What all estimators share: parameters that are values, one `fit`, declared state."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from widemargin.checks import (
    check_number,
    is_table,
    refuse,
    warn_caller,
    warn_of_order,
)
from widemargin.graphs import Graph, check_adjacency
from widemargin.kernels import Custom, Kernel, Landmarks, Precomputed, read_kernel
from widemargin.labels import (
    decide,
    known_names,
    labeled_mask,
    read_labels,
    refuse_unlabeled,
)
from widemargin.linalg.random import as_generator
from widemargin.rows import GramRows, Rows, find_kind, scatter
from widemargin.sample import collect_sample
from widemargin.solvers.result import Status
from widemargin.stored import Stored, check_part, parts_in, require
from widemargin.values import Value

FLOATS = (np.float64, np.float32)
_WEIGHTS = 1e-20, 1e20  # between which the largest weight stays as it is given
_SHOWN_TEXT = 40  # characters of a cell in a message
_LEAST_WEIGHT = 1e-12  # of a row, over the largest one: rounding hides smaller ones

# Titles in `history_names` of solvers that relabel rows round by round
RELABELING = {"criterion": "share of decisions\nthat changed"}


@dataclass(frozen=True)
class Method:
    """An estimator as the command line offers it.

    All arguments are literals: help pages read them without importing the source.
    """

    name: str  # what the user types after ``--method``
    summary: str  # what it is good for, in half a line
    needs_unlabeled: bool = True  # it makes no sense on rows that are all labeled
    n_folds: int = 5  # of an error estimate; 0 if it holds out labels anyway
    parameters: tuple = ()  # pairs, where they differ from the defaults
    task: str = "classify"  # or "cluster", the command that offers it


class Estimator(BaseEstimator):
    """A scikit-learn estimator whose parameters may be values.

    A subclass declares, once, what the rest of the library may use of it.
    """

    # The family of each parameter that may be a value or its shorthand
    value_families = {"kernel": Kernel, "graph": Graph, "landmarks": Landmarks}
    # Fitted attributes that prediction needs and a model file keeps, in addition to
    # `n_features_in_`, `feature_names_in_` and `n_iter_`: arrays, plain values, parts
    # that are `Stored`, values and fitted estimators, also in lists, tuples and dicts,
    # but nothing with an entry for each training row
    saved_state = ()
    training_state = ()  # those that only `update` and the like use, not predictions
    methods = ()  # a `Method` for each name on the command line
    # Titles of what plots show of `result_.history`; "share..." is between 0 and 1
    history_names = {
        "objective": "objective",
        "criterion": "criterion",
        "gradient_norm": "gradient norm",
        "decision_change": "share of decisions\nthat changed",
    }
    step_name = "iteration"  # what an entry of the history stands for
    averaged = None  # the attribute that names the models of `average_`
    encodes_tables = False  # whether `fit` encodes data frames that are not all numbers

    def set_params(self, **params: Any) -> Self:
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
                value = read_parameter(self, name)  # also of a function as kernel
            if not isinstance(value, Value):
                raise ValueError(
                    f"{who} is {value!r}, which has no parameter "
                    f"{', '.join(map(repr, changes))}; set {name} to a value first."
                )
            setattr(self, name, value.with_params(**changes))
        return self

    def check_state(self):
        """Raise ValueError unless fitted parts, read from a file, fit each other."""
        n_features = getattr(self, "n_features_in_", None)
        is_count = type(n_features) is int and n_features > 0
        require(is_count, self, "n_features_in_")
        state = [getattr(self, name, None) for name in self.saved_state]
        for part in parts_in(state, (Stored, Estimator)):
            if isinstance(part, Estimator):
                part.check_state()
            else:
                check_part(part, n_features)

    def trial_row(self):
        """A row that it must predict once fitted; None if any numbers will do."""
        return None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = is_pairwise(self)
        return tags


def check_classes(classifier):
    """The fitted class names; ValueError if they cannot be such."""
    classes = getattr(classifier, "classes_", None)
    fits = isinstance(classes, np.ndarray) and classes.dtype.kind in "biufUO"
    fits = fits and classes.ndim == 1 and len(classes) > 1
    if fits and classes.dtype.kind == "O":
        fits = all(isinstance(name, str) for name in classes)
    # One name stands for one class, and names are looked up in their order.
    fits = fits and bool((classes[:-1] < classes[1:]).all())
    require(fits, classifier, "classes_")
    return classes


def is_pairwise(estimator):
    """Whether an estimator is given Gram matrices instead of rows."""
    # Not `read_parameter`: tags may be read of estimators with invalid parameters.
    kernel = getattr(estimator, "kernel", None)
    if isinstance(kernel, str):
        return kernel == "precomputed"
    return isinstance(kernel, Precomputed)


@dataclass(frozen=True)
class Fit:
    """What a classifier has learned from a sample."""

    function: Stored  # scores, a column per class or one for two classes
    calibration: Stored  # from scores to probabilities
    result: object = None  # how the solver ended
    codes: np.ndarray | None = None  # of the sample's rows, for `transduction_`
    held_out: np.ndarray | None = None  # probabilities of the given labels
    average: object = None  # weights of the models, and the evidence for them


class KnownLabelsScore(ClassifierMixin):
    """The `score` of all classifiers, which refuses unlabeled rows."""

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy on rows whose labels are known.

        ValueError if y marks an unlabeled row. Scorers of scikit-learn do not call this
        method: they count such a row as a wrong prediction, see
        :func:`~widemargin.model_selection.labeled_scorer`.
        """
        refuse_unlabeled(y, f"y of {type(self).__name__}.score")
        return super().score(X, y, sample_weight)


class Classifier(KnownLabelsScore, Estimator):
    """Base of the classifiers: `fit` and predictions around one method.

    A subclass writes ``_fit_sample(sample, rng)``, which returns a `Fit`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class names, sorted.
    function_ : Function
        The fitted scores: kernel, points, coefficients and intercepts.
    calibration_ : Calibration
        Slope that turns scores into probabilities.
    transduction_ : ndarray of shape (n_samples,)
        Labels of all training rows: the given ones, the others inferred.
    held_out_proba_ : ndarray of shape (n_labeled, n_classes) or None
        Class probabilities of each labeled row of positive weight, by models fitted
        without its label; NaN where it was not held out, as the only label of a class.
    average_ : Average or None
        Weights of the models that were averaged, their losses and mistakes.
    result_ : SolveResult
        How the solver ended; ``result_.history`` holds what it recorded in each step.
    n_iter_ : int
        Steps of the solver.
    has_own_graph_ : bool
        Whether `fit` was given an `adjacency`.
    """

    saved_state = (
        "classes_", "function_", "calibration_", "average_", "result_",
        "has_own_graph_",
    )  # fmt: skip
    merge = "labeled"  # which copies of a row become one, see `collect_sample`

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit on labeled and unlabeled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            All rows; their Gram matrix if ``kernel="precomputed"``. A list of arrays,
            memory maps or sparse matrices holds blocks of rows, which are never joined.
        y : array-like of shape (n_samples,)
            Labels of any type. Integer -1, NaN or None marks an unlabeled row.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each row in its part of the loss; held-out labels count in
            proportion to theirs. Only ratios of weights matter: those of the labels are
            divided by their mean. Rows of weight zero are left out altogether.

        Returns
        -------
        self

        Notes
        -----
        An interrupt (Ctrl-C) leaves a model with the best result so far, and is then
        passed on.
        """
        return fit_sample(self, read_sample(self, X, y, sample_weight).sorted())

    def find_irrelevant(self, y):
        """Which rows are known to belong to no class, a mask; None for none."""
        return None

    def check_state(self):
        """Raise ValueError unless classes, function and calibration fit each other."""
        super().check_state()
        classes = check_classes(self)
        n_columns = len(classes) if len(classes) > 2 else 1
        is_function = isinstance(getattr(self, "function_", None), Stored)
        fits = is_function and self.function_.n_columns in (n_columns, len(classes))
        require(fits, self, "function_")
        is_part = isinstance(getattr(self, "calibration_", None), Stored)
        require(is_part, self, "calibration_")

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of new rows, (n_samples, n_classes).

        For two classes (n_samples,), positive for ``classes_[1]``. X is a matrix or
        blocks of rows, as in `fit`; with a precomputed kernel it holds kernel values
        against all training rows.
        """
        scores = evaluate(self, X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """Class of each row, as in ``classes_``; X is that of `decision_function`."""
        codes = decide(evaluate(self, X))
        return self.classes_[codes]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Class probabilities, (n_samples, n_classes), largest for the predicted class.

        A softmax of the scores times ``calibration_.slope``. X is that of
        `decision_function`.
        """
        scores = evaluate(self, X)  # first: it checks that there is a fitted model
        return self.calibration_.probabilities(scores)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithms of the class probabilities."""
        scores = evaluate(self, X)
        return self.calibration_.log_probabilities(scores)


def evaluate(estimator, X, attribute="function_"):
    """Values of new rows by a fitted function; scores are (n_samples, n_columns)."""
    check_is_fitted(estimator, attribute)
    rows = read_rows(estimator, X, reset=False)
    return values_at(getattr(estimator, attribute), rows)


def values_at(function, rows, idx=None):
    """Values of a function of a matrix at all rows, or some, block by block."""
    pieces = [(where, function(X)) for where, X in rows.blocks(idx)]
    return scatter(pieces, len(rows) if idx is None else len(idx))


def read_rows(estimator, X, *, reset=True):
    """The rows that a user gave, checked; `reset` is False for those to predict.

    Rows that were read before, by another estimator for example, stay as they are.
    """
    if isinstance(X, Rows):
        return X
    kind, who = find_kind(X), f"X of {type(estimator).__name__}"
    if is_table(X):
        from widemargin.tables.errors import check_twice  # only users of tables need it

        check_twice(X.columns, who)
    is_gram = reset and is_pairwise(estimator)
    if kind is None:
        formats = False if is_gram else "csr"
        try:
            X = validate_data(
                estimator, X, accept_sparse=formats, dtype=FLOATS, reset=reset
            )
        except (ValueError, TypeError):
            _refuse_mixed(X, who, type(estimator).__name__, reset=reset)
            _refuse_texts(X, who, type(estimator).__name__, reset=reset)
            _refuse_missing(X, who, estimator, reset=reset)
            _refuse_infinite(X, who)
            raise
        rows = GramRows(X) if is_gram else Rows(X)
    elif is_pairwise(estimator):
        raise ValueError(
            f"{who} with kernel='precomputed' must be one matrix of kernel values, got "
            f"{kind.__name__}; join the blocks, or pass rows and another kernel."
        )
    else:
        rows = kind(X)
        # Sets or compares the number of features; `check` below reads the values.
        validate_data(estimator, rows.parts[0], reset=reset, skip_check_array=True)
    if reset or not is_pairwise(estimator):
        rows.check(who, is_training=reset)
    if not reset:
        return rows
    has_kernel = hasattr(estimator, "kernel")
    kernel = read_parameter(estimator, "kernel") if has_kernel else None
    if not isinstance(kernel, Custom):  # a user's own function may scale columns itself
        rows.check_spreads(who, getattr(estimator, "feature_names_in_", None))
    rows.check_offset(kernel, who)
    return rows


def _refuse_mixed(X, who, name, *, reset):
    """Raise `TableError` if columns of a data frame cannot be read as numbers."""
    from widemargin.tables.errors import TableError, listed

    mixed = [each for each in getattr(X, "columns", ()) if not _is_numeric(X[each])]
    if mixed:
        one = len(mixed) == 1
        columns = f"the column{'' if one else 's'} {listed(mixed)} cannot be read"
        advice = f"use make_pipeline(TableEncoder(), {name}(...))"
        advice += f", or drop {'it' if one else 'them'}"
        raise TableError(
            f"{who} must hold numbers, but {columns} as such; "
            f"{advice if reset else 'the model was fitted on numbers'}."
        )


def _refuse_texts(X, who, name, *, reset):
    """Raise ValueError if an array or a list holds texts that are no numbers."""
    if is_table(X) or sparse.issparse(X):
        return
    try:
        cells = np.asarray(X)
    except ValueError:  # rows of different lengths
        return
    if cells.dtype.kind not in "OU":
        return
    for position, cell in np.ndenumerate(cells):
        if isinstance(cell, str) and not _is_numeric(np.array([cell])):
            where = ", ".join(
                f"{axis} {i}"
                for axis, i in zip(("row", "column"), position, strict=False)
            )
            shown = str(cell)  # not a string of NumPy, whose type would be shown
            if len(shown) > _SHOWN_TEXT:
                shown = f"{shown[:_SHOWN_TEXT]}..."
            advice = (
                f"pass a data frame to make_pipeline(TableEncoder(), {name}(...)), "
                "which encodes its text columns, or texts to "
                f"make_pipeline(TfidfVectorizer(), {name}(...))"
            )
            raise ValueError(
                f"{who} must hold numbers, got {shown!r} in {where}; "
                f"{advice if reset else 'the model was fitted on numbers'}."
            )


def _refuse_missing(X, who, estimator, *, reset):
    """Raise if a matrix or a data frame holds NaN.

    What cannot be read as real numbers, and what is sparse, is left to scikit-learn.
    """
    try:
        if np.iscomplexobj(X):
            return
        if hasattr(X, "isna"):  # pd.NA is not always read as a number
            missing = np.asarray(X.isna())
        else:
            missing = np.isnan(np.asarray(X, dtype=np.float64))
    except (ValueError, TypeError):
        return
    if missing.ndim != 2 or not missing.any():
        return
    columns, first = getattr(X, "columns", None), missing.any(axis=0).argmax()
    where = f"column {first}" if columns is None else f"column {columns[first]!r}"
    name = type(estimator).__name__
    imputer = "SimpleImputer" if columns is None else "TableEncoder"
    advice = f"fit make_pipeline({imputer}(), {name}(...)), which imputes them"
    if estimator.encodes_tables:
        advice = f"fit {name} on a data frame with missing cells, which it imputes, "
        advice += "or impute them first, with SimpleImputer for example"
    if not reset:
        advice = f"the model was fitted on rows without them; {advice}"
    n_missing = f"{missing.sum():,} missing value{'s' if missing.sum() > 1 else ''}"
    raise ValueError(
        f"{who} contains NaN: {n_missing}, the first in {where}; {advice}."
    )


def _refuse_infinite(X, who):
    """Raise if a matrix or a data frame of real numbers holds infinity."""
    if np.iscomplexobj(X):
        return
    try:
        infinite = np.isinf(np.asarray(X, dtype=np.float64))
    except (ValueError, TypeError):
        return
    if infinite.ndim != 2 or not infinite.any():
        return
    columns = getattr(X, "columns", range(infinite.shape[1]))
    row, column = np.argwhere(infinite)[0]
    raise ValueError(
        f"{who} contains infinity, {infinite.sum():,} times, first in row {row} of "
        f"column {columns[column]!r}; correct such cells, or replace them by NaN and "
        "impute them."
    )


def _is_numeric(values):
    """Whether the cells of a column can be read as numbers, NaN and None included."""
    kind = getattr(values.dtype, "kind", "O")
    if kind in "mM":
        return False
    known = values.dropna() if hasattr(values, "dropna") else values  # also pd.NA
    try:
        np.asarray(known, dtype=np.float64)
    except (ValueError, TypeError):
        return False
    return True


def reads_plainly(classifier, y):
    """Whether a sample that was read without a classifier is the one it would read."""
    has_weights = getattr(classifier, "class_weight", None) is not None
    if has_weights or is_pairwise(classifier):
        return False
    return classifier.find_irrelevant(y) is None


def read_sample(estimator, X, y, sample_weight, *, merge=None):
    """The training sample: what the user passed to `fit`, checked and put together."""
    rows = read_rows(estimator, X)
    if y is None:
        read_labels(y)  # raises: there is nothing to learn from
    check_consistent_length(rows, y)
    if is_table(X) and find_kind(X) is None:
        from widemargin.tables.targets import warn_of_copies  # needs pandas

        warn_of_copies(X, y)
        if not estimator.encodes_tables:  # otherwise it has done so
            warn_of_order(X, y)
    weights = check_sample_weight(estimator, sample_weight, len(rows))
    if getattr(estimator, "class_weight", None) is not None:
        used = labeled_mask(y) & (weights > 0)
        weights /= weights.max()  # the product must not overflow
        weights[used] *= _class_weights(estimator, known_names(y, used))
    find_irrelevant = getattr(estimator, "find_irrelevant", None)
    irrelevant = None if find_irrelevant is None else find_irrelevant(y)
    return collect_sample(rows, y, weights, irrelevant, merge=merge or estimator.merge)


def read_graph_sample(estimator, X, y, sample_weight, adjacency):
    """The training sample, sorted, with the user's own graph if there is one."""
    if adjacency is None:
        return read_sample(estimator, X, y, sample_weight).sorted()
    # a graph names each row, so that copies stay apart
    sample = read_sample(estimator, X, y, sample_weight, merge="none")
    adjacency = check_adjacency(adjacency, len(sample.given))
    return sample.with_adjacency(adjacency).sorted()


def check_length(estimator, y, n_rows):
    """Raise unless there is a label, or a mark for none, for each training row."""
    n_labels = len(y) if hasattr(y, "__len__") else 1
    if n_labels != n_rows:
        raise ValueError(
            f"y of {type(estimator).__name__}.update must have an entry for each of "
            f"the {n_rows} rows of the last fit, got {n_labels}; mark unlabeled rows "
            "as in fit, and set y[rows] for those that are labeled now."
        )


def read_random_labels(estimator, random_labels, n_rows):
    """The mask of rows whose label is one of a random row; all rows if it is None."""
    if random_labels is None:
        return np.ones(n_rows, dtype=bool)
    mask = np.asarray(random_labels)
    if mask.shape != (n_rows,) or mask.dtype != bool:
        raise ValueError(
            f"random_labels of {type(estimator).__name__} must be a mask, one bool for "
            f"each of {n_rows} rows, got {mask.dtype} of shape {mask.shape}; "
            "np.isin(np.arange(n_rows), rows) turns positions into one."
        )
    return mask


def check_sample_weight(estimator, sample_weight, n_samples):
    """Weights as an array, one for each sample: >= 0, not all zero, not extreme."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = np.array(sample_weight, dtype=np.float64)
    name = type(estimator).__name__
    if weights.ndim == 0:
        weights = np.full(n_samples, float(weights))
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight of {name}.fit must have shape ({n_samples},), one weight "
            f"for each sample, got {weights.shape}."
        )
    # The sum of the weights must not overflow.
    largest = float(weights.max())
    limit = np.finfo(np.float64).max / n_samples
    if not (weights.min() >= 0 and 0 < largest < limit):  # NaN fails it
        raise ValueError(
            f"sample_weight of {name}.fit and its sum must be finite, >= 0 and not all "
            f"zero, got values from {weights.min():g} to {largest:g}."
        )
    smallest = float(weights[weights > 0].min())
    if smallest < _LEAST_WEIGHT * largest:
        raise ValueError(
            f"sample_weight of {name}.fit must be zero or at least {_LEAST_WEIGHT:g} "
            f"times the largest weight, got values from {smallest:g} to {largest:g}; "
            "set the weights of rows to leave out to zero."
        )
    # Sums and products of weights must neither overflow nor vanish.
    is_extreme = not _WEIGHTS[0] <= largest <= _WEIGHTS[1]
    return weights / largest if is_extreme else weights


def _class_weights(estimator, names):
    """Weight of each label by its class, from the parameter `class_weight`."""
    classes, codes = np.unique(names, return_inverse=True)
    weights = compute_class_weight(estimator.class_weight, classes=classes, y=names)
    if not np.isfinite(weights).all() or (weights < 0).any():
        refuse(estimator, "class_weight", "'balanced' or a dict of finite weights >= 0")
    return weights[codes]


def read_parameter(estimator, name):
    """A parameter as a value of its family; None and "auto" may stay as they are."""
    given, who = getattr(estimator, name), f"{name} of {type(estimator).__name__}"
    if name == "kernel":
        return read_kernel(given, who)
    return estimator.value_families[name].read(given, who)


def read_parameters(estimator, *names):
    """Several parameters as values, see `read_parameter`."""
    return [read_parameter(estimator, name) for name in names]


def read_grid(estimator, method, **weights):
    """Weights to combine as lists, from sequences or single weights; none is empty."""
    lists = [[own] if np.isscalar(own) else list(own) for own in weights.values()]
    if not all(lists):
        raise ValueError(
            f"{type(estimator).__name__}.{method} needs at least one "
            f"{' and one '.join(weights)}, got {' and '.join(map(repr, lists))}."
        )
    return lists


def read_jobs(estimator):
    """Number of threads that the parameter `n_jobs` stands for."""
    if estimator.n_jobs is not None:
        check_number(estimator, "n_jobs", integer=True)
        if estimator.n_jobs == 0:
            wanted = "None, a number of threads, or -1 for all processors"
            refuse(estimator, "n_jobs", wanted)
    return effective_n_jobs(estimator.n_jobs)


def fit_sample(classifier, sample):
    """Fit a classifier to a sample: `fit` after the user's arguments are read."""
    rng = as_generator(getattr(classifier, "random_state", None))
    classifier.n_features_in_ = sample.given.n_features
    return store_fit(classifier, sample, classifier._fit_sample(sample, rng))


def store_fit(classifier, sample, fitted):
    """Set the attributes that all fitted classifiers have."""
    classifier.classes_ = sample.classes
    classifier.function_ = fitted.function
    classifier.calibration_ = fitted.calibration
    classifier.average_ = fitted.average
    classifier.held_out_proba_ = fitted.held_out
    classifier.has_own_graph_ = sample.adjacency is not None
    if fitted.codes is not None:
        missing_idx, missing_codes = sample.missing_idx, ()
        if len(missing_idx):  # rows of weight zero are predicted
            scores = values_at(fitted.function, sample.given, missing_idx)
            missing_codes = decide(scores)
        classifier.transduction_ = sample.transduce(fitted.codes, missing_codes)
    if fitted.result is not None:
        store_result(classifier, fitted.result)
    return classifier


def store_result(estimator, result):
    """Set ``result_`` and ``n_iter_``; warn of failures, pass interrupts on."""
    estimator.result_ = result
    estimator.n_iter_ = max(1, result.n_iter)
    if result.status.is_success:
        return
    criterion = result.history.get("criterion") or [np.nan]
    plural = "" if result.n_iter == 1 else "s"
    warn_caller(
        f"{type(estimator).__name__} after {result.n_iter} iteration{plural}: "
        f"{result.status.value} (criterion {max(criterion[-1:]):.1e}).",
        ConvergenceWarning,
    )
    if result.status is Status.INTERRUPTED:
        raise KeyboardInterrupt


def last_step(model):
    """The estimator itself, out of a search over parameters or of pipelines."""
    model = getattr(model, "best_estimator_", model)
    return last_step(model.steps[-1][1]) if hasattr(model, "steps") else model


def set_features(estimator, n_features, names=None):
    """Set the number and the names of columns, as scikit-learn's estimators do."""
    estimator.n_features_in_ = n_features
    vars(estimator).pop("feature_names_in_", None)  # of an earlier fit
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)


def copy_features(source, target):
    """Copy the number and the names of columns from one model to another."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(source, name):
            setattr(target, name, getattr(source, name))

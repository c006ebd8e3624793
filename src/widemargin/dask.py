"""Dask: fit on rows of a cluster, and predict dask arrays and data frames lazily.

It needs ``pip install 'dask[array,dataframe,distributed]'``. The algorithm is that of
`widemargin.blocks`: a chunk or partition is a block, and what all blocks give together
is small. Tasks are pure, so that a worker that dies costs time only.
"""

from dataclasses import KW_ONLY, dataclass
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from widemargin.blocks import Block, Blocks, find_dtype
from widemargin.checks import is_table, name_package
from widemargin.estimators._estimator import Estimator, set_features
from widemargin.estimators.few_label_classifier import FewLabelClassifier
from widemargin.estimators.table_encoder import TableEncoder
from widemargin.labels import refuse_unlabeled
from widemargin.model_files.parts import FittedEstimator
from widemargin.progress import tell_rows
from widemargin.stored import replace_parts

__all__ = ["DaskFewLabelClassifier", "predict", "predict_proba"]

_Y = "y of DaskFewLabelClassifier"
_SUMMED = 8  # results of blocks that one task adds up
# A model in a task graph is intended here.
_OPTIONS = {"distributed.admin.large-graph-warning-threshold": "1GB"}


def _import_dask():
    """The packages of dask that are needed here."""
    try:
        import dask
        import dask.array
        import dask.callbacks
        import dask.dataframe
    except ImportError as error:
        package = "dask[array,dataframe,distributed]"
        needs = name_package("widemargin.dask", package, "dask")
        raise ImportError(needs) from error
    return dask


@dataclass(eq=False, repr=False)
class DaskFewLabelClassifier(ClassifierMixin, BaseEstimator):
    """`FewLabelClassifier` on rows that are spread over a cluster.

    All rows count: each is joined to its nearest of up to 20,000 anchors, and the graph
    that they make of the anchors is gathered, together with the labels and 20,000
    random rows. Nothing that grows with the number of rows leaves the workers. Up to
    20,000 rows the model is that of `FewLabelClassifier`.

    It needs ``pip install 'dask[array,dataframe,distributed]'``, and computes with the
    client that is active, on threads of this process if there is none.

    Parameters
    ----------
    candidates, budget, n_jobs, random_state, verbose
        As in `FewLabelClassifier`.

    Attributes
    ----------
    model_ : FewLabelClassifier
        The fitted model, for its report and for `widemargin.save`. Its `row_idx_` are
        the rows that were gathered.
    classes_ : ndarray of shape (n_classes,)
        The class names, sorted.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Their names, if X was a data frame.

    Notes
    -----
    An array is read twice: to check the rows and gather labels, and to join the rows to
    anchors. A data frame is read three times, since its partitions are counted before;
    ``X.persist()`` reads it once, if the workers have the memory. Chunks of 10,000 to
    1,000,000 rows suit it; each must fit into the memory of a worker a few times.

    Examples
    --------
    >>> import dask.array as da
    >>> from sklearn.datasets import load_digits
    >>> from widemargin.dask import DaskFewLabelClassifier
    >>> from widemargin.datasets import hide_labels
    >>> X, y = load_digits(return_X_y=True)
    >>> X, y = X[:300], y[:300]
    >>> X_chunks = da.from_array(X, chunks=(100, -1))
    >>> model = DaskFewLabelClassifier(random_state=0)
    >>> predicted = model.fit(X_chunks, hide_labels(y, 50, rng=0)).predict(X_chunks)
    >>> bool((predicted.compute() == y).mean() > 0.9)
    True
    """

    candidates: object = "auto"
    _: KW_ONLY
    budget: object = "fast"
    n_jobs: int | None = None
    random_state: object = None
    verbose: bool = False

    def fit(self, X: Any, y: Any) -> Self:
        """Fit on labeled and unlabeled rows.

        Parameters
        ----------
        X : dask array of shape (n_samples, n_features) or dask data frame
            Numbers, in chunks of any sizes, which must be known for an array.
        y : dask array or series, array-like, or str
            Labels, with -1, NaN or None for unlabeled rows; or the name of the column
            of X that holds them.

        Returns
        -------
        self
        """
        blocks = DaskBlocks(X, y)
        model = FewLabelClassifier(**self.get_params(deep=False))
        self.model_ = model.fit(blocks)
        self.classes_ = model.classes_
        set_features(self, blocks.n_features, blocks.feature_names)
        return self

    @property
    def report_(self):
        """The report of the model."""
        check_is_fitted(self, "model_")
        return self.model_.report_

    def predict(self, X: Any) -> Any:
        """Class of each row, lazily for dask collections, see `predict`."""
        check_is_fitted(self, "model_")
        return predict(self.model_, X)

    def predict_proba(self, X: Any) -> Any:
        """Class probabilities, lazily for dask collections, see `predict_proba`."""
        check_is_fitted(self, "model_")
        return predict_proba(self.model_, X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on rows whose labels are known, computed at once.

        ValueError if y marks an unlabeled row.
        """
        compute = _import_dask().compute
        y, weights = compute(y, sample_weight, traverse=False)
        refuse_unlabeled(y, f"y of {type(self).__name__}.score")
        (predicted,) = compute(self.predict(X))
        return float(accuracy_score(y, predicted, sample_weight=weights))


def predict(model, X):
    """Classes of the rows of a dask array or data frame by any fitted estimator.

    Nothing is computed yet: the result is a dask array with a chunk for each chunk of
    X. Other X are predicted at once.

    Parameters
    ----------
    model : fitted estimator or pipeline
    X : dask array of shape (n_samples, n_features) or dask data frame

    Returns
    -------
    dask array of shape (n_samples,)

    Examples
    --------
    >>> import dask.array as da
    >>> from widemargin import SpectralClassifier
    >>> from widemargin.dask import predict
    >>> model = SpectralClassifier().fit([[0.0], [1.0], [2.0]], [0, -1, 1])
    >>> predict(model, da.from_array(np.array([[0.1], [1.9]]), chunks=1)).compute()
    array([0, 1])
    """
    classes = getattr(model, "classes_", np.zeros(0, dtype=np.intp))
    return _map(model, "predict", X, np.asarray(classes).dtype)


def predict_proba(model, X):
    """Class probabilities of the rows of a dask array or data frame, see `predict`.

    Parameters
    ----------
    model : fitted estimator or pipeline
    X : dask array of shape (n_samples, n_features) or dask data frame

    Returns
    -------
    dask array of shape (n_samples, n_classes)
    """
    return _map(model, "predict_proba", X, np.dtype(np.float64), len(model.classes_))


def _map(model, method, X, dtype, n_columns=None):
    """A method of a model for each chunk of rows; a dask array."""
    dask = _import_dask()
    if not dask.is_dask_collection(X):
        return getattr(model, method)(X)
    if is_table(X):
        _check_names(model, X)
    shape = () if n_columns is None else (n_columns,)
    meta = np.empty((0, *shape), dtype=dtype)
    # A task of its own: a worker reads the model, and indexes its points, only once.
    options = {"model": dask.delayed(_hand_over)(_lean(model)), "method": method}
    if not isinstance(X, dask.array.Array):
        return X.map_partitions(_predict_block, meta=meta, like=meta, **options)
    X = _with_whole_rows(X)
    if n_columns is None:
        chunks = {"chunks": X.chunks[:1], "drop_axis": 1}
    else:
        chunks = {"chunks": (X.chunks[0], shape)}
    return X.map_blocks(_predict_block, meta=meta, like=meta, **chunks, **options)


def _check_names(model, X):
    """Raise ValueError if a data frame has other columns than a model was fitted on.

    Encoders of tables find their columns themselves, and so may those of others.
    """
    first = model[0] if isinstance(model, Pipeline) else model
    is_encoder = isinstance(first, TableEncoder) or getattr(first, "encoder_", None)
    known, given = getattr(first, "feature_names_in_", None), list(X.columns)
    if is_encoder or not isinstance(first, Estimator) or known is None:
        return
    if given != list(known):
        lacking = [name for name in known if name not in given]
        more = [name for name in given if name not in known]
        what = "the same columns in another order"
        if lacking or more:
            what = f"{len(lacking):,} missing and {len(more):,} other ones"
            what += f", {', '.join(map(repr, [*lacking, *more][:5]))}"
        raise ValueError(
            f"X must have the columns that {type(first).__name__} was fitted on, got "
            f"{what}; pass X[list(model.feature_names_in_)]."
        )


def _predict_block(X, model, method, like):
    """Predictions of a chunk of rows, which may be none."""
    return getattr(model, method)(X).astype(like.dtype) if len(X) else like


def _hand_over(value):
    """The value itself, as the result of a task."""
    return value


def _lean(model):
    """A copy of a fitted model without what only its training rows need."""
    if isinstance(model, Pipeline):
        return Pipeline([(name, _lean(step)) for name, step in model.steps])
    if not isinstance(model, Estimator):
        return model
    writing = FittedEstimator(type(model))
    return writing.build(replace_parts(writing.take_apart(model), BaseEstimator, _lean))


class DaskBlocks(Blocks):
    """Chunks of a dask array or partitions of a data frame, with their labels."""

    def __init__(self, X, y):
        self.dask = dask = _import_dask()
        who = "X of DaskFewLabelClassifier"
        if not dask.is_dask_collection(X) or not hasattr(X, "to_delayed"):
            raise TypeError(
                f"{who} must be a dask array or data frame, got a {type(X).__name__}; "
                "use dask.array.from_array, or FewLabelClassifier."
            )
        if X.ndim != 2:
            raise ValueError(f"{who} must have rows and columns, got {X.ndim} axes.")
        if isinstance(X, dask.array.Array):
            self.n_features, self.dtype = X.shape[1], find_dtype([X.dtype], who)
            X, kind = _with_whole_rows(X), "chunk"
            sizes = _known_sizes(X, who)
            parts = zip(np.ravel(X.to_delayed()), self._divide(y, sizes), strict=True)
        else:
            X, names = _order_columns(X, y)
            self.feature_names, self.n_features = names, len(names)
            self.dtype, kind = find_dtype(X.dtypes[names], who), "partition"
            # Of all columns at once: where fewer are read, files may be joined.
            parts = X.to_delayed()
            sizes = self._compute(*map(dask.delayed(len), parts))
            if isinstance(y, str):
                split = dask.delayed(_split_labels, nout=2)
                parts = [split(part, names) for part in parts]
            else:
                parts = zip(parts, self._divide(y, sizes), strict=True)
        self._sizes = [int(size) for size in sizes]
        self.n_rows, starts = sum(self._sizes), np.cumsum([0, *sizes[:-1]]).tolist()
        make = dask.delayed(Block)
        self._blocks = [
            make(*part, start, f"{kind} {place} of X")
            for place, (part, start) in enumerate(zip(parts, starts, strict=True))
        ]

    def _divide(self, y, sizes):
        """The part of y for each block, not computed yet."""
        n_rows, array = sum(sizes), self.dask.array
        if not isinstance(y, array.Array):
            if self.dask.is_dask_collection(y) and hasattr(y, "to_dask_array"):
                y = self._read_series(y)
            elif y is None or np.ndim(y) != 1:
                raise ValueError(
                    f"{_Y} must be a dask array or series, an array, or the name of a "
                    f"column of X, got a {type(y).__name__}."
                )
            else:
                # As objects, since NumPy would write out a NaN among texts.
                is_array = isinstance(getattr(y, "dtype", None), np.dtype)
                values = np.asarray(y, dtype=None if is_array else object)
                y = array.from_array(values, chunks=-1)
        if y.ndim != 1:
            raise ValueError(f"{_Y} must have one axis, got {y.ndim}.")
        _known_sizes(y, _Y)
        if len(y) != n_rows:
            raise ValueError(
                f"{_Y} must have an entry for each of {n_rows:,} rows, got "
                f"{len(y):,}; mark unlabeled rows with -1, NaN or None."
            )
        return y.rechunk((tuple(sizes),)).to_delayed().ravel()

    def _read_series(self, y):
        """A series as an array with chunks of known sizes."""
        if y.ndim != 1:
            raise ValueError(f"{_Y} must be one column, got {y.ndim} axes.")
        # As it is read: `to_dask_array` takes other partitions for the lengths.
        parts, array = y.to_delayed(), self.dask.array
        sizes = self._compute(*map(self.dask.delayed(len), parts))
        values, dtype = self.dask.delayed(_series_values), _series_values(y._meta).dtype
        pairs = zip(parts, sizes, strict=True)
        return array.concatenate(
            [array.from_delayed(values(p), (n,), dtype=dtype) for p, n in pairs]
        )

    def _tasks(self, function, shared):
        """The tasks of all blocks; `shared` is a task, which reaches a worker once."""
        call = self.dask.delayed(function, pure=True)
        shared = self.dask.delayed(_hand_over)(shared)
        return [call(block, shared) for block in self._blocks]

    def total(self, function, shared, say=None):
        """The sum of ``function(block, shared)``, added up by the workers."""
        tasks, total = self._tasks(function, shared), self.dask.delayed(_sum_up)
        parts = tasks
        while len(parts) > 1:
            groups = range(0, len(parts), _SUMMED)
            parts = [total(parts[i : i + _SUMMED]) for i in groups]
        if say is None:
            return self._compute(parts[0])[0]
        return self._compute_aloud(parts[0], tasks, say)

    def _compute_aloud(self, result, tasks, say):
        """The result, which needs all tasks; lines say how many rows are done."""
        tell, n_done = tell_rows(self.n_rows, say), 0
        client = getattr(self.dask.base.get_scheduler(), "__self__", None)
        if not hasattr(client, "compute"):  # a scheduler of this machine
            sizes = dict(zip([task.key for task in tasks], self._sizes, strict=True))

            def count(key, *_):
                nonlocal n_done
                if key in sizes:
                    n_done += sizes[key]
                    tell(n_done)

            with self.dask.callbacks.Callback(posttask=count):
                return self._compute(result)[0]
        from distributed import as_completed

        # Futures of the tasks would keep their results; these keep nothing.
        ends = [self.dask.delayed(_end)(task) for task in tasks]
        with self.dask.config.set(_OPTIONS):
            result, *ends = client.compute([result, *ends], optimize_graph=False)
        sizes = dict(zip([end.key for end in ends], self._sizes, strict=True))
        for end in as_completed(ends):
            if end.status != "finished":
                break  # the result says why
            n_done += sizes[end.key]
            tell(n_done)
        return result.result()

    def _compute(self, *tasks):
        # Inlined, `shared` would be read again by each task.
        with self.dask.config.set(_OPTIONS):
            return self.dask.compute(*tasks, optimize_graph=False)


def _end(part):
    """Nothing, once a task is done."""


def _sum_up(parts):
    """The sum of what some blocks give."""
    return reduce(add, parts)


def _series_values(part):
    """The entries of a series; those of a type that NumPy lacks as objects."""
    is_plain = isinstance(part.dtype, np.dtype)
    return np.asarray(part) if is_plain else part.to_numpy(dtype=object)


def _with_whole_rows(X):
    """The array in chunks of whole rows."""
    return X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X


def _known_sizes(array, who):
    """Numbers of rows of all chunks; ValueError if they are not known."""
    if np.isnan(array.shape[0]):
        raise ValueError(
            f"{who} has chunks of unknown size, as arrays from data frames have; call "
            "compute_chunk_sizes() on it first, or pass the data frame."
        )
    return array.chunks[0]


def _order_columns(X, y):
    """A data frame, in which a column of labels comes last, and the other columns."""
    names = list(X.columns)
    if y is None:
        raise ValueError(f"{_Y} must be given; it may be the name of a column of X.")
    if not isinstance(y, str):
        return X, names
    if y not in names:
        raise ValueError(
            f"{_Y} must be a column of X, got {y!r}; X has "
            f"{', '.join(map(repr, names[:20]))}."
        )
    names.remove(y)
    return X[[*names, y]], names


def _split_labels(frame, names):
    """The features of a data frame, and its last column."""
    return frame[names], frame.iloc[:, -1]
